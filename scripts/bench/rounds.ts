import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, type Exporter, type Fleet, longestDelayMs, withExporter } from './exporter.ts'
import type { SystemReport } from './system_process.ts'

/** What the polls of all pools, followed by a scrape with gzip, cost the process of the exporter. */
export interface Round {
  readonly cpuSeconds: number
  /** Delay of the event loop, in the worst round. */
  readonly longestDelayMs: number
}

const ROUNDS = 3
/** Not measured: they compile the code. */
const FIRST_ROUNDS = 10
/** Without a request, and with less CPU time than this, the exporter is idle. */
const IDLE_MS = 1500
const IDLE_CPU_SECONDS = 0.02
const STEP_MS = 250

export function measureRounds(fleet: Fleet, intervalSeconds: number): Promise<Round> {
  return withExporter(fleet, `*/${intervalSeconds} * * * * *`, async (exporter) => {
    for (let round = 0; round < FIRST_ROUNDS; round += 1) await nextRound(exporter)
    const before = { cpu: cpuSeconds(exporter.pid), feeds: await feedsOf(exporter) }
    const delays: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) delays.push(await nextRound(exporter))
    const feeds = (await feedsOf(exporter)) - before.feeds
    return {
      cpuSeconds: ((cpuSeconds(exporter.pid) - before.cpu) * fleet.pools) / feeds,
      longestDelayMs: Math.max(...delays),
    }
  })
}

/** Waits for the end of a round that begins later, and scrapes. @returns the longest delay since the scrape before */
async function nextRound(exporter: Exporter): Promise<number> {
  const feeds = await feedsOf(exporter)
  while ((await feedsOf(exporter)) === feeds) await sleep(50)
  await idle(exporter)
  const delayMs = await longestDelayMs(exporter.url)
  await idle(exporter)
  return delayMs
}

async function idle(exporter: Exporter): Promise<void> {
  let before = { feeds: -1, cpu: 0 }
  for (let quietMs = 0; quietMs < IDLE_MS; quietMs += STEP_MS) {
    await sleep(STEP_MS)
    const now = { feeds: await feedsOf(exporter), cpu: cpuSeconds(exporter.pid) }
    if (now.feeds !== before.feeds || now.cpu - before.cpu > IDLE_CPU_SECONDS) quietMs = 0
    before = now
  }
}

async function feedsOf({ system }: Exporter): Promise<number> {
  const answer = once(system, 'message')
  system.send('count')
  const [{ feeds }] = (await answer) as [SystemReport]
  return feeds
}
