import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { get } from '../../support/http.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket, readAll, recordLog, startListener } from './listener_setup.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** No connection is closed because it was idle for some time. */
const TWO = { connections: 2, keepAliveTimeoutMs: 600_000 }

/** A client that does not read. */
async function openSilent(port: number, text: string): Promise<Socket> {
  const socket = await openSocket(port)
  socket.on('error', () => undefined)
  socket.pause()
  if (text !== '') socket.write(text)
  return socket
}

describe('beyond the connection limit', () => {
  test('a new client is served, and the connection without progress for the longest time is closed', async () => {
    const log = recordLog()
    await using listener = await startListener({ log, limits: TWO })
    const idle = await openSocket(listener.port)
    const active = await openSocket(listener.port)
    const closed = readAll(idle)
    active.write(REQUEST)
    await once(active, 'data')
    expect((await get(listener.url)).status).toBe(200)
    await closed
    active.write(REQUEST)
    await once(active, 'data')
    active.destroy()
    expect(log.lines).toEqual([
      'warn connection limit reached, connections without progress are closed {"limit":2}',
    ])
  })

  test('a client that sends data keeps its connection rather than one that was idle since', async () => {
    await using listener = await startListener({ limits: TWO })
    const first = await openSocket(listener.port)
    const second = await openSocket(listener.port)
    const closed = readAll(second)
    // Its idle time begins after its response, wherever the listener was before.
    second.write(REQUEST)
    await once(second, 'data')
    first.write(REQUEST)
    await once(first, 'data')
    expect((await get(listener.url)).status).toBe(200)
    await closed
    expect(first.destroyed).toBe(false)
    first.destroy()
  })

  test('clients that do not read their responses do not keep others out', async () => {
    const sent: ServerResponse[] = []
    await using listener = await startListener({
      limits: { connections: 3 },
      handler: ({ url }, response) => {
        if (url === '/-/healthy') return response.end('healthy')
        sent.push(response)
        return response.end(Buffer.alloc(32 * 1024 * 1024))
      },
    })
    for (let count = 0; count < 3; count += 1) await openSilent(listener.port, REQUEST)
    await waitForAssertion(() => expect(sent).toHaveLength(3))
    for (let probe = 0; probe < 5; probe += 1) {
      expect((await get(`${listener.url}/-/healthy`)).text).toBe('healthy')
    }
    await waitForAssertion(() => expect(sent.some(({ destroyed }) => destroyed)).toBe(true))
  })
})

test('a response that is read more slowly than the minimum rate is closed, and its data are discarded', async () => {
  const sent: ServerResponse[] = []
  await using listener = await startListener({
    limits: { responseBaseMs: 50, responseBytesPerMs: 1024 * 1024 },
    handler: (_request, response) => {
      sent.push(response)
      response.setHeader('Content-Length', 64 * 1024 * 1024)
      response.end(Buffer.alloc(64 * 1024 * 1024))
    },
  })
  const socket = await openSilent(listener.port, REQUEST)
  await waitForAssertion(() => expect(sent[0]?.destroyed).toBe(true))
  expect(sent[0]?.writableFinished).toBe(false)
  // After a plain close the client would receive the data that the kernel has kept for it.
  const reset = once(socket, 'error')
  socket.resume()
  await expect(reset).resolves.toMatchObject([{ code: 'ECONNRESET' }])
})
