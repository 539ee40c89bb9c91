import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, type Exporter, type Fleet, withExporter } from './exporter.ts'
import type { SystemReport } from './system_process.ts'

/** What a round of polls or a push, followed by a scrape with gzip, costs the process of the exporter. */
export interface Round {
  readonly cpuSeconds: number
  /** Delay of the event loop, in the worst round. */
  readonly longestDelayMs: number
}

const ROUNDS = 3
/** Not measured: they compile the code. */
const FIRST_ROUNDS = 10
/** Without another feed or push, and with less CPU time than this, the exporter is idle. */
const IDLE_MS = 1500
const IDLE_CPU_SECONDS = 0.02
const STEP_MS = 250

type Count = () => number | Promise<number>

/** The polls of all pools. */
export function measurePolls(fleet: Fleet, intervalSeconds: number): Promise<Round> {
  return withExporter(fleet, { schedule: `*/${intervalSeconds} * * * * *` }, async (exporter) => {
    const { cpuSeconds, longestDelayMs } = await measureRounds(exporter, () => feedsOf(exporter))
    return { cpuSeconds: cpuSeconds * fleet.pools, longestDelayMs }
  })
}

/** @param count of feeds or pushes so far @returns the CPU time of one of them */
async function measureRounds(exporter: Exporter, count: Count): Promise<Round> {
  for (let round = 0; round < FIRST_ROUNDS; round += 1) await nextRound(exporter, count)
  const before = { cpu: cpuSeconds(exporter.pid), count: await count() }
  const delays: number[] = []
  while (delays.length < ROUNDS) delays.push(await nextRound(exporter, count))
  return {
    cpuSeconds: (cpuSeconds(exporter.pid) - before.cpu) / ((await count()) - before.count),
    longestDelayMs: Math.max(...delays),
  }
}

/**
 * Waits for the end of a round that begins later, and scrapes.
 * @returns the longest delay since the scrape before, or the start of a push, which resets it, too
 */
async function nextRound(exporter: Exporter, count: Count): Promise<number> {
  const before = await count()
  while ((await count()) === before) await sleep(50)
  await idle(exporter, count)
  const headers = { 'accept-encoding': 'gzip' }
  const text = await (await fetch(`${exporter.url}/metrics`, { headers })).text()
  await idle(exporter, count)
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000
}

async function idle({ pid }: Exporter, count: Count): Promise<void> {
  let before = { count: -1, cpu: 0 }
  for (let quietMs = 0; quietMs < IDLE_MS; quietMs += STEP_MS) {
    await sleep(STEP_MS)
    const now = { count: await count(), cpu: cpuSeconds(pid) }
    if (now.count !== before.count || now.cpu - before.cpu > IDLE_CPU_SECONDS) quietMs = 0
    before = now
  }
}

async function feedsOf({ system }: Exporter): Promise<number> {
  const answer = once(system, 'message')
  system.send('count')
  const [{ feeds }] = (await answer) as [SystemReport]
  return feeds
}

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
