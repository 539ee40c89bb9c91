import { describe, expect, test } from 'vitest'
import { basicHeader, TOKEN_HEADER, tokenOf } from '../../../src/api/http/credentials.ts'
import { responseOf, secret } from '../http/responses.ts'

test('basicHeader encodes name and password in UTF-8', () => {
  expect(basicHeader('mönitor', secret('pass:wörd'))).toEqual({
    Authorization: `Basic ${Buffer.from('mönitor:pass:wörd', 'utf8').toString('base64')}`,
  })
})

describe('tokenOf', () => {
  test('returns the token of the header', () => {
    expect(tokenOf(responseOf(200, '', { [TOKEN_HEADER]: ' BAAc/Q0x+Od3g== ' })).reveal()).toBe(
      'BAAc/Q0x+Od3g==',
    )
  })

  test.each<[string, Record<string, string>, string]>([
    ['a response without a token, which a storage system does not send', {}, 'html'],
    ['an empty token', { [TOKEN_HEADER]: ' ' }, 'schema'],
    ['a token that is not valid in a header', { [TOKEN_HEADER]: 'SECRET tök' }, 'schema'],
  ])('refuses %s', (_, headers, reason) => {
    const read = () => tokenOf(responseOf(200, '', headers))
    expect(read).toThrow(expect.objectContaining({ reason }))
    expect(read).toThrow(/^(?!.*SECRET).*is it the right address\?$/)
  })
})
