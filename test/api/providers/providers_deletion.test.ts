import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Abandoned, type SendDeletion, sendDeletion, UnknownOutcome } from '../../../src/api/admin_client.ts'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { exchangeFailure } from '../../../src/api/http/failures.ts'
import { createTransport, type HttpResponse } from '../../../src/api/http/transport.ts'
import { createLimits } from '../../../src/api/request/operation.ts'
import { responseOf } from '../http/responses.ts'

const PLACE = { system: 'frankfurt', operation: 'delete', path: '/vdc/admin/authnproviders/…' }

const NO_TLS = { caFile: undefined, certFile: undefined, keyFile: undefined, serverName: undefined }
const STAYS = new AbortController().signal
/** Longer than a test may take, which fails where a deletion waits for it. */
const HOUR_MS = 3_600_000

/** The result of a deletion with this response or error, by default after the request was sent. */
async function outcome(
  end: Partial<HttpResponse> | Error,
  isSent = true,
): Promise<{ result: string; sent: number }> {
  let sent = 0
  const send: SendDeletion = async (_signal, onSend) => {
    sent++
    if (isSent) onSend()
    if (end instanceof Error) throw exchangeFailure(end)
    return { ...responseOf(200, end.text), ...end }
  }
  const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
  const bounds = { limits, timeoutMs: 1000, stop: STAYS, place: PLACE }
  const result = await sendDeletion(send, bounds).then(
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
  test.each<[string, Partial<HttpResponse> | Error, string]>([
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
    ['with a connection reset', broken('ECONNRESET'), 'unknown'],
    ['with a closed connection', broken('UND_ERR_SOCKET'), 'unknown'],
    ['with a TCP timeout', broken('ETIMEDOUT'), 'unknown'],
    ['with a lost route', broken('EHOSTUNREACH'), 'unknown'],
    ['with a TLS error', broken('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), 'unknown'],
    ['without a response in time', new DOMException('late', 'TimeoutError'), 'unknown'],
    ['answered with bytes that are not HTTP', broken('HPE_INVALID_CONSTANT'), 'unknown'],
    ['with an unknown error', new Error('?'), 'unknown'],
  ])('%s', async (_what, end, result) => {
    expect(await outcome(end)).toEqual({ result, sent: 1 })
  })

  test.each<[string, Error, string]>([
    ['to a closed port', broken('ECONNREFUSED'), 'connect'],
    ['to an unknown host', broken('ENOTFOUND'), 'dns'],
    ['with a connect timeout', broken('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
    ['with a TCP timeout of the connection', broken('ETIMEDOUT'), 'connect'],
    ['with a reset during the TLS handshake', broken('ECONNRESET'), 'reset'],
    ['to a host with an untrusted certificate', broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls'],
    ['to a host with the certificate of another host', broken('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    ['without a connection in time', new DOMException('late', 'TimeoutError'), 'timeout'],
  ])('%s is not sent', async (_what, end, result) => {
    expect(await outcome(end, false)).toEqual({ result, sent: 1 })
  })

  test('whose caller leaves while it waits for a permit is abandoned', async () => {
    const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const busy = limits.withPermit(() => promise, { signal: STAYS })
    const caller = new AbortController()
    const send = () => Promise.reject(new Error('sent'))
    const bounds = { limits, timeoutMs: HOUR_MS, stop: caller.signal, place: PLACE }
    const failure = sendDeletion(send, bounds).catch((cause: unknown) => cause)
    caller.abort()
    expect(await failure).toBeInstanceOf(Abandoned)
    resolve()
    await busy
  })

  test('whose caller leaves while the connection is opened is abandoned; later it is not cut off', async () => {
    const connected = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const openConnections: Socket[] = []
    // A TLS handshake without a response: the connection stays in the state of being opened.
    const silent = createTcpServer((socket) => {
      openConnections.push(socket)
      connected.resolve()
    })
    const system = createHttpServer((_request, response) => {
      answered.promise.then(() => response.writeHead(204).end())
      connected.resolve()
    })
    for (const server of [silent, system]) await listening(server)
    const limits = createLimits({ concurrency: 1, requestsPerSecond: 10, maxResponseBytes: 1000 })
    const run = async (baseUrl: string, stop: AbortSignal) => {
      const transport = createTransport({
        tls: { ...NO_TLS, insecureSkipVerify: true },
        timeoutMs: HOUR_MS,
        concurrency: 1,
        maxResponseBytes: 1000,
        onCertificate: () => undefined,
      })
      const request = { baseUrl, method: 'DELETE', path: '/x', headers: {} } as const
      const send: SendDeletion = (signal, onSend) => transport.send({ ...request, signal, onSend })
      return sendDeletion(send, { limits, timeoutMs: HOUR_MS, stop, place: PLACE })
        .catch((cause: unknown) => cause)
        .finally(() => void transport.close())
    }
    const early = new AbortController()
    const unsent = run(`https://127.0.0.1:${portOf(silent)}`, early.signal)
    await connected.promise
    early.abort()
    expect(await unsent).toBeInstanceOf(Abandoned)
    const late = new AbortController()
    const requested = once(system, 'request')
    const sent = run(`http://127.0.0.1:${portOf(system)}`, late.signal)
    await requested
    late.abort()
    answered.resolve()
    expect(await sent).toBe(undefined)
    for (const socket of openConnections) socket.destroy()
    for (const server of [silent, system]) server.close()
  })
})

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
