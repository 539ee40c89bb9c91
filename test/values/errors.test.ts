import { expect, test } from 'vitest'
import { errorCode, errorText } from '../../src/values/errors.ts'

const failure = (code: unknown, cause?: unknown) => Object.assign(new Error('failed', { cause }), { code })

test.each<[string, unknown, string]>([
  ['with a code', failure('ECONNRESET'), 'ECONNRESET'],
  ['with a code and a cause that has one', failure('ERR_OUTER', failure('ECONNRESET')), 'ERR_OUTER'],
  ['of a socket, as undici wraps it', failure('UND_ERR_SOCKET', failure('ECONNRESET')), 'ECONNRESET'],
  ['of a socket without a cause', failure('UND_ERR_SOCKET'), 'UND_ERR_SOCKET'],
  ['without a code, whose cause has one', new Error('failed', { cause: failure('EPIPE') }), 'EPIPE'],
  ['whose code is a number', failure(5), ''],
  ['without a code', new Error('failed'), ''],
  ['that is no Error', { code: 'EPIPE' }, ''],
])('the code of a failure %s', (_, value, expected) => {
  expect(errorCode(value)).toBe(expected)
})

test('the text of a failure is its message, or the value itself', () => {
  expect([errorText(new Error('refused')), errorText('refused'), errorText(undefined)]).toEqual([
    ...['refused', 'refused', 'undefined'],
  ])
})
