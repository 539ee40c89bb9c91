import { setTimeout as sleep } from 'node:timers/promises'
import { parseConfig } from '../../src/config/load.ts'
import type { Profile } from '../../src/emulator/protocol/profiles.ts'
import { nextTimes } from '../../src/values/cron_times.ts'
import { startExporter } from '../../test/faults/exporter_setup.ts'
import { createEmulator, type Emulator } from '../../test/support/programs/emulator.ts'
import { neverSchedule } from '../../test/support/schedules.ts'

/** What is measured. */
export interface LoadedSystem {
  readonly profile: Profile
  readonly pools: number
  /** Of each pool. */
  readonly nodes: number
  readonly namespaces: number
}

/** What the exporter reads on a schedule of its own, with the key of the schedule in the configuration. */
export const KINDS = [
  'poll',
  'forecast',
  'discovery',
  'providers',
  'performance',
  'resources.system',
  'resources.replication',
  'resources.namespaces',
  'resources.quotas',
  'resources.inventory',
  'resources.buckets',
] as const
export type Kind = (typeof KINDS)[number]

/** Requests an hour. */
export type HourlyRequests = Readonly<Record<Kind | 'history', number>>

const OFTEN = '* * * * * *'
const BUCKETS_SCHEDULE = '0 50 * * * *'
const HOUR_MS = 3_600_000
/** Requests of a run follow each other faster, also on a loaded machine. */
const QUIET_MS = 2000
const MAX_RUNS = 6

/** Measures how many requests one run of each kind sends, and multiplies them by the runs of the default schedules. */
export async function measureRequests(system: LoadedSystem): Promise<HourlyRequests> {
  const kinds = [...KINDS, 'history'] as const
  const counts = await Promise.all(
    kinds.map(async (kind) => {
      const emulator = createEmulator({ ...system, listenAddress: '127.0.0.1:0' })
      await emulator.start()
      try {
        const requests = kind === 'history' ? requestsOfHistory(emulator) : requestsOfRun(emulator, kind)
        return [kind, (await requests) * runsPerHour(kind)] as const
      } finally {
        await emulator.stop()
      }
    }),
  )
  return Object.fromEntries(counts) as Record<Kind | 'history', number>
}

/** Runs an hour by the default schedules; of buckets, which have none, those of every hour. */
function runsPerHour(kind: Kind | 'history'): number {
  const text = 'systems: [{name: a, base_url: "https://a:4443", auth: {token: t}}]'
  const { systems, history } = parseConfig(text, { file: 'default.yml', environment: {} })
  const [{ poll, forecast, discovery, providers, performance, resources }] = systems as [(typeof systems)[0]]
  if (kind === 'history') return HOUR_MS / history.intervalMs
  if (kind === 'resources.buckets') return timesIn(BUCKETS_SCHEDULE)
  const sections = { poll, forecast, discovery, providers, performance }
  if (kind in sections) return timesIn(sections[kind as keyof typeof sections].schedule)
  return timesIn(resources.schedules[kind.slice('resources.'.length) as keyof typeof resources.schedules])
}

function timesIn(schedule: string): number {
  const most = HOUR_MS / 1000
  const [first = 0, ...others] = nextTimes(schedule, most)
  return 1 + others.filter((time) => time < first + HOUR_MS).length
}

/** Requests of one run: those of a probe for which only this kind is due. Polls belong to every probe. */
async function requestsOfRun(emulator: Emulator, kind: Kind): Promise<number> {
  await using setup = await startExporter(configOf(emulator, kind))
  let last: number | undefined
  await requestsOfProbe(emulator, setup.exporter.url)
  for (let run = 0; run < MAX_RUNS; run += 1) {
    const sent = await requestsOfProbe(emulator, setup.exporter.url)
    const own = kind === 'poll' ? sent.polls : sent.all - sent.polls
    // A loaded machine may run what is due later than the probe: two runs must agree.
    if (own === last) return own
    last = own
  }
  throw new Error(`the requests of ${kind} differ from run to run`)
}

/** Requests of one reading of the last samples: those that an exporter with them sends in addition. */
async function requestsOfHistory(emulator: Emulator): Promise<number> {
  emulator.log.clear()
  await using setup = await startExporter(`${configOf(emulator)}history: {enabled: true}\n`)
  await requestsOfProbe(emulator, setup.exporter.url)
  const read = emulator.log.count('history')
  if (read === 0) throw new Error('the last samples were not read')
  return read
}

function configOf(emulator: Emulator, kind?: Kind): string {
  const never = neverSchedule()
  const schedule = (one: Kind) => `{schedule: "${one === kind ? OFTEN : never}"}`
  const resources = KINDS.filter((one) => one.startsWith('resources.'))
  return `systems: [{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]
poll: {schedule: "", max_random_delay: 0s}
forecast: ${schedule('forecast')}
discovery: ${schedule('discovery')}
providers: ${schedule('providers')}
performance: ${schedule('performance')}
limits: {requests_per_second: 1000, concurrency: 50}
resources: {${resources.map((one) => `${one.slice('resources.'.length)}: ${schedule(one)}`).join(', ')}}
`
}

/** Probes the system, when what is due every second is due, and waits until no further request comes. */
async function requestsOfProbe(emulator: Emulator, url: string): Promise<{ all: number; polls: number }> {
  await sleep(1100)
  emulator.log.clear()
  const response = await fetch(`${url}/probe?system=a`, {
    headers: { 'X-Prometheus-Scrape-Timeout-Seconds': '110' },
  })
  await response.text()
  if (!response.ok) throw new Error(`/probe answered ${response.status}`)
  let count = -1
  while (emulator.log.count() !== count) {
    count = emulator.log.count()
    await sleep(QUIET_MS)
  }
  return { all: count, polls: emulator.log.count('nodes') }
}
