import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, type Exporter, type Fleet, withExporter } from './exporter.ts'
import type { SystemReport } from './system_process.ts'

/** Pools of equal size, and how often one round of polls follows another. */
export interface PolledFleet extends Omit<Fleet, 'schedule'> {
  readonly intervalSeconds: number
}

/** Delays of the event loop between two scrapes, in milliseconds. */
export interface Delays {
  readonly p99: number
  readonly longest: number
}

/** What a round of polls costs the process of the exporter. */
export interface RoundFigures {
  readonly cpuSeconds: number
  readonly parseSeconds: number
  readonly bodyBytes: number
  /** Of the event loop, in the worst round; undefined without scrapes, because they are read from them. */
  readonly delays: Delays | undefined
}

const ROUNDS = 3
/** Not measured: they compile the code, and show in which form scrapes come. */
const FIRST_ROUNDS = 10
/** Without a request, and with less CPU time than this, the exporter is idle. */
const IDLE_MS = 1500
const IDLE_CPU_SECONDS = 0.02

/** @param isScraped whether each round is followed by a scrape with gzip */
export function measureRounds(fleet: PolledFleet, isScraped: boolean): Promise<RoundFigures> {
  const schedule = `*/${fleet.intervalSeconds} * * * * *`
  return withExporter({ ...fleet, schedule }, (exporter) => measured(exporter, fleet.pools, isScraped), false)
}

async function measured(watched: Exporter, pools: number, isScraped: boolean): Promise<RoundFigures> {
  const { pid, system, url } = watched
  for (let round = 0; round < FIRST_ROUNDS; round += 1) {
    await nextRound(watched)
    if (isScraped) await scrape(url)
  }
  await idle(watched)
  const before = { cpu: cpuSeconds(pid), feeds: (await report(system)).feeds }
  const delays: Delays[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await nextRound(watched)
    if (isScraped) delays.push(await scrape(url))
  }
  await idle(watched)
  const after = await report(system, 'parse')
  return {
    cpuSeconds: ((cpuSeconds(pid) - before.cpu) * pools) / (after.feeds - before.feeds),
    parseSeconds: after.parseSeconds,
    bodyBytes: after.bodyBytes,
    delays: isScraped ? worst(delays) : undefined,
  }
}

/** Waits for the end of a round that begins later. */
async function nextRound(watched: Exporter): Promise<void> {
  const { feeds } = await report(watched.system)
  while ((await report(watched.system)).feeds === feeds) await sleep(50)
  await idle(watched)
}

async function idle({ system, pid }: Exporter): Promise<void> {
  const STEP_MS = 250
  let before = { feeds: -1, cpu: 0 }
  for (let quietMs = 0; quietMs < IDLE_MS; quietMs += STEP_MS) {
    await sleep(STEP_MS)
    const now = { feeds: (await report(system)).feeds, cpu: cpuSeconds(pid) }
    if (now.feeds !== before.feeds || now.cpu - before.cpu > IDLE_CPU_SECONDS) quietMs = 0
    before = now
  }
}

async function report(system: ChildProcess, message = 'count'): Promise<SystemReport> {
  const answer = once(system, 'message')
  system.send(message)
  const [received] = (await answer) as [SystemReport]
  return received
}

function worst(delays: readonly Delays[]): Delays {
  const most = (of: (one: Delays) => number) => Math.max(...delays.map(of))
  return { p99: most(({ p99 }) => p99), longest: most(({ longest }) => longest) }
}

/** @returns the delays since the scrape before */
async function scrape(url: string): Promise<Delays> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } })).text()
  const delay = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]) * 1000
  return { p99: delay('p99'), longest: delay('max') }
}
