import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Fleet, withExporter } from './exporter.ts'
import { measureRounds, type Round } from './rounds.ts'

/** A push with OTLP of everything that `/metrics` has, by an exporter that polls once. */
export interface Push extends Round {
  /** Those of the last push. */
  readonly requests: number
  readonly bytes: number
}

/** Requests of one push follow each other more closely. */
const PAUSE_MS = 1500

export async function measurePush(fleet: Fleet, intervalSeconds: number): Promise<Push> {
  let [pushes, lastMs] = [0, 0]
  let last = { requests: 0, bytes: 0 }
  const receiver = createServer((request, response) => {
    if (performance.now() - lastMs > PAUSE_MS) {
      pushes += 1
      last = { requests: 0, bytes: 0 }
    }
    lastMs = performance.now()
    last.requests += 1
    request.on('data', ({ length }: Buffer) => {
      last.bytes += length
    })
    request.on('end', () => response.setHeader('Content-Type', 'application/x-protobuf').end())
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const { port } = receiver.address() as AddressInfo
  const section = `otlp: {endpoint: "http://127.0.0.1:${port}", interval: ${intervalSeconds}s}`
  try {
    return await withExporter(fleet, { section }, async (exporter) => {
      const round = await measureRounds(exporter, () => pushes)
      return { ...round, ...last }
    })
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}
