import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { exchangeFailure } from '../../../src/api/http/failures.ts'
import type { Answer, Transport } from '../../../src/api/http/transport.ts'
import { sendDeletion, UnknownOutcome } from '../../../src/api/providers/deletion.ts'
import { createLimits } from '../../../src/api/request/limits.ts'
import { answerOf } from '../http/answers.ts'

const PLACE = { system: 'frankfurt', operation: 'delete', path: '/vdc/admin/authnproviders/…' }
const REQUEST = { baseUrl: 'http://127.0.0.1:1', path: '/x', headers: {} }

/** The result of a deletion with this response or error. */
async function outcome(end: Partial<Answer> | Error): Promise<{ result: string; sent: number }> {
  let sent = 0
  const transport: Transport = {
    async send() {
      sent++
      if (end instanceof Error) throw exchangeFailure(end)
      return { ...answerOf(200), ...end }
    },
    close: async () => undefined,
  }
  const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
  const deletion = { request: REQUEST, transport, limits, timeoutMs: 1000, place: PLACE }
  const result = await sendDeletion(deletion).then(
    () => 'done',
    (failure: unknown) => {
      expect(failure).toBeInstanceOf(ApiError)
      expect(String(failure)).toContain('system frankfurt, delete')
      return failure instanceof UnknownOutcome ? 'unknown' : (failure as ApiError).reason
    },
  )
  return { result, sent }
}

const broken = (code: string) => Object.assign(new Error(code), { code })
const redirect = {
  status: 302,
  header: (name: string) => (name === 'location' ? 'https://b/login?x' : undefined),
}

describe('a deletion', () => {
  test.each<[string, Partial<Answer> | Error, string]>([
    ['answered with 200', { status: 200 }, 'done'],
    ['answered with 204', { status: 204 }, 'done'],
    ['answered with 200 and a body', { status: 200, text: '<deleted/>' }, 'done'],
    ['answered with 200 and HTML', { status: 200, text: '<!DOCTYPE html><html>' }, 'unknown'],
    ['refused', { status: 400 }, 'client_error'],
    ['refused because of its token', { status: 401 }, 'auth'],
    ['redirected to the login', redirect, 'auth'],
    ['redirected elsewhere', { status: 302 }, 'redirect'],
    ['answered with 500', { status: 500 }, 'server_error'],
    ['answered with 503', { status: 503 }, 'unavailable'],
    ['answered by a proxy (502)', { status: 502 }, 'unknown'],
    ['answered by a proxy (504)', { status: 504 }, 'unknown'],
    ['to a closed port', broken('ECONNREFUSED'), 'connect'],
    ['to an unknown host', broken('ENOTFOUND'), 'dns'],
    ['with a connect timeout', broken('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
    ['to a host with an untrusted certificate', broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls'],
    ['to a host with the certificate of another host', broken('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    ['with a connection reset', broken('ECONNRESET'), 'unknown'],
    ['with a closed connection', broken('UND_ERR_SOCKET'), 'unknown'],
    // These also occur on open connections, when packets are lost after the request was sent.
    ['with a TCP timeout', broken('ETIMEDOUT'), 'unknown'],
    ['with a lost route', broken('EHOSTUNREACH'), 'unknown'],
    ['with a TLS error', broken('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), 'unknown'],
    ['without a response in time', new DOMException('late', 'TimeoutError'), 'unknown'],
    ['answered with bytes that are not HTTP', broken('HPE_INVALID_CONSTANT'), 'unknown'],
    ['with an unknown error', new Error('?'), 'unknown'],
  ])('%s', async (_what, end, result) => {
    expect(await outcome(end)).toEqual({ result, sent: 1 })
  })

  test('that gets no permit in time is not sent', async () => {
    const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const busy = limits.withPermit(() => promise, { signal: new AbortController().signal })
    let sent = 0
    const transport: Transport = {
      send: async () => {
        sent++
        throw new Error('sent')
      },
      close: async () => undefined,
    }
    const deletion = { request: REQUEST, transport, limits, timeoutMs: 50, place: PLACE }
    const failure: unknown = await sendDeletion(deletion).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).not.toBeInstanceOf(UnknownOutcome)
    expect({ reason: (failure as ApiError).reason, sent }).toEqual({ reason: 'timeout', sent: 0 })
    resolve()
    await busy
  })

  test('that is under way is followed to its end, however long it waited for a permit', async () => {
    const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
    const waiting = new AbortController()
    const { promise, resolve } = Promise.withResolvers<string>()
    const running = limits.withPermit(() => promise, { signal: waiting.signal })
    waiting.abort(new Error('the wait is over'))
    resolve('done')
    expect(await running).toBe('done')
  })
})
