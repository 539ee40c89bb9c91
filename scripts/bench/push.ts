import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, type Fleet, longestDelayMs, NEVER, withExporter } from './exporter.ts'

/** What a push with OTLP of everything that `/metrics` has costs the process of the exporter. */
export interface Push {
  readonly cpuSeconds: number
  readonly requests: number
  readonly bytes: number
  /** Delay of the event loop, in the worst push. */
  readonly longestDelayMs: number
}

const INTERVAL_MS = 5000
/** Requests of one push follow each other more closely. */
const PAUSE_MS = 1500
const STEP_MS = 100
/** Not measured: they compile the code. */
const FIRST_PUSHES = 3
const PUSHES = 5

/** The exporter polls once, and then does nothing but push. */
export async function measurePush(fleet: Fleet): Promise<Push> {
  const received = { requests: 0, bytes: 0 }
  const receiver = createServer((request, response) => {
    request.on('data', ({ length }: Buffer) => {
      received.bytes += length
    })
    request.on('end', () => {
      received.requests += 1
      response.setHeader('Content-Type', 'application/x-protobuf').end()
    })
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  const section = `otlp: {endpoint: "http://127.0.0.1:${port}", interval: ${INTERVAL_MS / 1000}s}\n`

  async function pushes(count: number): Promise<void> {
    for (let ended = 0; ended < count; ended += 1) {
      const { requests } = received
      while (received.requests === requests) await sleep(STEP_MS)
      for (let seen = -1; seen !== received.requests; await sleep(PAUSE_MS)) seen = received.requests
    }
  }

  try {
    return await withExporter(
      fleet,
      NEVER,
      async ({ pid, url }) => {
        await pushes(FIRST_PUSHES)
        await longestDelayMs(url)
        const before = { ...received, cpu: cpuSeconds(pid) }
        await pushes(PUSHES)
        return {
          cpuSeconds: (cpuSeconds(pid) - before.cpu) / PUSHES,
          requests: (received.requests - before.requests) / PUSHES,
          bytes: (received.bytes - before.bytes) / PUSHES,
          longestDelayMs: await longestDelayMs(url),
        }
      },
      section,
    )
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}
