import { expect, test } from 'vitest'
import { createFailureLog } from '../../../src/server/listener/failure_log.ts'
import { recordLog } from './listener_setup.ts'

function setUp() {
  const clock = { ms: 0 }
  const log = recordLog()
  return { clock, log, failures: createFailureLog(log, () => clock.ms) }
}

test.each(['EPIPE', 'ECONNRESET', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_EOF_STATE'])(
  '%s of a client is logged at level debug',
  (code) => {
    const { log, failures } = setUp()
    failures.write('request failed', Object.assign(new Error('write failed'), { code }), { path: '/metrics' })
    expect(log.lines).toEqual(['debug client left {"path":"/metrics","reason":"write failed"}'])
  },
)

test('repeated failures are logged once a minute, with their number', () => {
  const { clock, log, failures } = setUp()
  const fail = (reason: string) => failures.write('request failed', new Error(reason), { path: '/' })
  for (let count = 0; count < 500; count += 1) fail('one')
  fail('two')
  clock.ms += 60_000
  fail('one')
  clock.ms += 60_000
  fail('one')
  expect(log.lines).toEqual([
    'error request failed {"path":"/","reason":"one"}',
    'error request failed {"path":"/","reason":"two"}',
    'error request failed {"path":"/","reason":"one","repeated":499}',
    'error request failed {"path":"/","reason":"one"}',
  ])
})
