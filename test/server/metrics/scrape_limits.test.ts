import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createExposition, type Exposition } from '../../../src/metrics/exposition.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { get } from '../../support/http.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { recordLog } from '../listener/listener_setup.ts'
import { metricsApp } from '../status/status_setup.ts'

/** More than the buffers of a connection hold, so that a response is not sent while its client does not read. */
const TEXT = Buffer.alloc(16 * 1024 * 1024, '# text\n')
const largePage = (): Exposition => ({
  ...createExposition([]),
  body: async () => ({ pieces: [TEXT], textBytes: TEXT.length, crc: 0 }),
})

/** A listener for metrics with a manual clock, an exposition to replace, and its responses in the order of the requests. */
async function startMetrics(maxRequests?: number) {
  const clock = { ms: 0 }
  const shown = { exposition: largePage() }
  const log = recordLog()
  const responses: ServerResponse[] = []
  const app = metricsApp({ exposition: () => shown.exposition, maxRequests, now: () => clock.ms, log })
  const handler: typeof app = (request, response) => {
    responses.push(response)
    return app(request, response)
  }
  const listener = createListener({ address: '127.0.0.1:0', handler, log })
  await listener.start()
  const clients: Client[] = []
  /** A client that stops reading when its response has begun. */
  const stall = async () => {
    const client = await openStalled(Number(new URL(listener.url).port))
    clients.push(client)
    await untilStalled(responses.at(-1))
    return client
  }
  const status = async (path = '/metrics') => (await get(`${listener.url}${path}`)).status
  const dispose = async () => {
    for (const { socket } of clients) socket.destroy()
    await listener.stop()
  }
  return { clock, log, responses, shown, stall, status, url: listener.url, [Symbol.asyncDispose]: dispose }
}

interface Client {
  readonly socket: Socket
  /** Reads the rest; whether the response was complete. */
  finish(): Promise<boolean>
}

function openStalled(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n')
  let bytes = 0
  const finish = () =>
    new Promise<boolean>((resolve) => {
      socket.on('data', () => bytes > TEXT.length && resolve(true))
      socket.once('close', () => resolve(false))
      socket.resume()
    })
  return new Promise((resolve) => {
    socket.once('data', () => {
      socket.pause()
      resolve({ socket, finish })
    })
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
  })
}

/** Resolves when the connection accepts no more data; at once if the response was closed. */
async function untilStalled(response: ServerResponse | undefined): Promise<void> {
  let unsent = 0
  do {
    unsent = response?.socket?.writableLength ?? 0
    await setImmediate()
    await setImmediate()
  } while (!response?.closed && (unsent === 0 || response?.socket?.writableLength !== unsent))
}

/**
 * Resolves when no connection has accepted data for a while: after an acknowledgement that comes late, which takes up to
 * 200 ms, the kernel may accept more of a response that is not read.
 */
async function untilQuiet(responses: readonly ServerResponse[]): Promise<void> {
  const written = () => responses.map(({ socket }) => socket?.writableLength).join()
  for (let before = ''; before !== written(); ) {
    before = written()
    await setTimeout(500)
  }
}

describe('scrapes in flight', () => {
  test('are limited; health and readiness are not', async () => {
    await using metrics = await startMetrics(2)
    const clients = [await metrics.stall(), await metrics.stall()]
    const { status, text } = await get(`${metrics.url}/metrics`)
    expect([status, text]).toEqual([503, 'Limit of concurrent requests reached (2), try again later.\n'])
    expect(await metrics.status('/-/healthy')).toBe(200)
    expect(await metrics.status('/-/ready')).toBe(200)
    expect(await Promise.all(clients.map(({ finish }) => finish()))).toEqual([true, true])
    await waitForAssertion(async () => expect(await metrics.status()).toBe(200))
  })

  test('beyond the limit replace a response that has made no progress for a quarter of a second', async () => {
    await using metrics = await startMetrics(2)
    const slowest = await metrics.stall()
    await untilQuiet(metrics.responses)
    metrics.clock.ms += 249
    const other = await metrics.stall()
    expect(await metrics.status()).toBe(503)
    metrics.clock.ms += 1
    expect(await metrics.status()).toBe(200)
    expect([await slowest.finish(), await other.finish()]).toEqual([false, true])
  })

  test('end when their client leaves, without a line in the log', async () => {
    await using metrics = await startMetrics(20)
    for (let count = 0; count < 20; count += 1)
      await metrics.stall().then(({ socket }) => socket.resetAndDestroy())
    await waitForAssertion(() => expect(metrics.responses.every(({ destroyed }) => destroyed)).toBe(true))
    expect(await metrics.status()).toBe(200)
    expect(metrics.log.lines.filter((line) => !line.startsWith('debug client left '))).toEqual([])
  })
})

describe('a response that is not read', () => {
  test('is passed to its connection in pieces', async () => {
    await using metrics = await startMetrics()
    await metrics.stall()
    expect(metrics.responses[0]?.writableLength).toBeLessThan(TEXT.length * 0.6)
  })

  test('keeps its exposition, until responses send too many older expositions', async () => {
    await using metrics = await startMetrics()
    const clients: Client[] = []
    for (let count = 0; count < 5; count += 1) {
      metrics.shown.exposition = largePage()
      clients.push(await metrics.stall(), await metrics.stall())
    }
    const outcomes = await Promise.all(clients.map(({ finish }) => finish()))
    expect(outcomes).toEqual([false, false, ...Array(8).fill(true)])
  })
})
