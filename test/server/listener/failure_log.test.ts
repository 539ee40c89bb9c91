import { expect, test } from 'vitest'
import { logFailure } from '../../../src/server/listener/failure_log.ts'
import { recordLog } from './listener_setup.ts'

test.each(['EPIPE', 'ECONNRESET', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_EOF_STATE'])(
  '%s of a client is logged at level debug',
  (code) => {
    const log = recordLog()
    logFailure(log, 'request failed', Object.assign(new Error('write failed'), { code }), {
      path: '/metrics',
    })
    expect(log.lines).toEqual(['debug client left {"path":"/metrics","reason":"write failed"}'])
  },
)

test('another failure is an error', () => {
  const log = recordLog()
  logFailure(log, 'request failed', new Error('bad'), { path: '/' })
  expect(log.lines).toEqual(['error request failed {"path":"/","reason":"bad"}'])
})
