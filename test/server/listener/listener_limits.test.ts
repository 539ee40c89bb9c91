import type { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket, readAll, sendRaw, startListener } from './listener_setup.ts'

/** Short limits for tests. */
const FAST = { headersTimeoutMs: 150, requestTimeoutMs: 300, checkIntervalMs: 25 }
const END = 'Connection: close\r\n\r\n'

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}

test('one connection has at most 100 requests', async () => {
  await using listener = await startListener()
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const answers = await sendRaw(listener.port, request.repeat(150))
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
  expect(statuses.filter((status) => status === '200')).toHaveLength(100)
  expect(new Set(statuses.slice(100))).not.toContain('200')
  expect(statusOf(await sendRaw(listener.port, `GET / HTTP/1.1\r\nHost: a\r\n${END}`))).toBe(200)
})

describe('a request', () => {
  test.each([
    ['dots in a path, for the handler to refuse', `GET /a/../b HTTP/1.1\r\nHost: a\r\n${END}`, 200],
    ['an unknown expectation', `GET / HTTP/1.1\r\nHost: a\r\nExpect: b\r\n${END}`, 417],
    ['no host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 200],
    ['a whole URL', `GET http://a/metrics HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['two slashes', `GET //evil/metrics HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['a slash and a backslash', `GET /\\evil/metrics HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['no slash', `GET metrics HTTP/1.1\r\nHost: a\r\n${END}`, 400],
    ['no host', `GET / HTTP/1.1\r\n${END}`, 400],
    ['two hosts', `GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n${END}`, 400],
    ['two origins', `GET / HTTP/1.1\r\nHost: a\r\nOrigin: a\r\nOrigin: b\r\n${END}`, 400],
    [
      'two authorizations',
      `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n${END}`,
      400,
    ],
    ['two lengths', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n${END}a`, 400],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${END}`,
      400,
    ],
    ['line ends without a carriage return', 'GET / HTTP/1.1\nHost: a\n\n', 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['the longest URL', `GET /${'a'.repeat(2047)} HTTP/1.1\r\nHost: a\r\n${END}`, 200],
    ['a longer URL', `GET /${'a'.repeat(2048)} HTTP/1.1\r\nHost: a\r\n${END}`, 414],
    ['a large header', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(7_000)}\r\n${END}`, 200],
    ['too large a header', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(9_000)}\r\n${END}`, 431],
  ])('with %s', async (_what, text, status) => {
    await using listener = await startListener()
    expect(statusOf(await sendRaw(listener.port, text))).toBe(status)
  })

  test.each(['Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n', 'Content-Length: 10\r\n\r\n0123'])(
    'with a body (%j) is refused at once where none is accepted',
    async (text) => {
      await using listener = await startListener({ acceptsBodies: false })
      const answer = await sendRaw(listener.port, `POST /-/healthy HTTP/1.1\r\nHost: a\r\n${text}`)
      expect(statusOf(answer)).toBe(413)
    },
  )

  test('that is refused closes its connection', async () => {
    const handled: unknown[] = []
    await using listener = await startListener({
      handler: (request, response) => {
        handled.push(request.url)
        response.end()
      },
    })
    const answer = await sendRaw(listener.port, 'GET //a HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
    expect(answer).toContain('X-Content-Type-Options: nosniff')
    expect(handled).toEqual([])
  })
})

describe('a slow client', () => {
  test.each([
    ['that never sends anything', ''],
    ['that never ends its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX: a'],
  ])('%s is answered 408', async (_what, text) => {
    await using listener = await startListener({ limits: FAST })
    expect(statusOf(await sendRaw(listener.port, text))).toBe(408)
  })

  test('that sends its headers byte by byte gets 408', async () => {
    await using listener = await startListener({ limits: FAST })
    const socket = await openSocket(listener.port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n')
    const dripping = setInterval(() => socket.write('X: a\r\n'), 10)
    socket.once('close', () => clearInterval(dripping))
    expect(statusOf(await readAll(socket))).toBe(408)
  })

  test('that is idle between two requests is disconnected', async () => {
    await using listener = await startListener({ limits: { keepAliveTimeoutMs: 50, checkIntervalMs: 25 } })
    const answer = await sendRaw(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(statusOf(answer)).toBe(200)
  })

  test('that does not read its response is disconnected', async () => {
    const closed = vi.fn()
    await using listener = await startListener({
      limits: { stallTimeoutMs: 100 },
      handler: (_request, response) => {
        response.once('close', () => closed(response.writableFinished))
        response.end(Buffer.alloc(64 * 1024 * 1024))
      },
    })
    // A loaded machine may disconnect a client before its request is read, so there may be several clients.
    const clients: Socket[] = []
    const disconnected = async () => {
      const socket = await openSocket(listener.port)
      clients.push(socket.on('error', () => undefined).pause())
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(false), { timeout: 2000 })
    }
    await waitForAssertion(disconnected)
    expect(closed).not.toHaveBeenCalledWith(true)
    for (const client of clients) client.destroy()
  })
})
