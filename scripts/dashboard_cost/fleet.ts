import { parseConfig } from '../../src/config/load.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { createExporter } from '../../src/exporter/exporter.ts'
import { silentLog } from '../../src/log.ts'
import { parseExposition, type Sample } from '../../test/metrics/exposition_text.ts'
import { waitFor } from '../../test/support/wait.ts'
import { type EncodedLabels, encodeLabels } from './remote_write.ts'

export const POOLS = 10
export const NODES_PER_POOL = 64

/** A series of the fleet and its values over time. */
export interface FleetSeries {
  readonly name: string
  readonly labels: EncodedLabels
  /** By milliseconds since the epoch. */
  readonly valueAt: (milliseconds: number) => number
}

/** Half of the systems have all figures in the feed, the others have a query interface. */
const PROFILES = ['classic', 'modern'] as const
type FleetProfile = (typeof PROFILES)[number]

const JOB = 'sds-exporter'
const START_TIMEOUT_MS = 300_000
/** Sample of the node that is read last; when it is there, the page is complete. */
const COMPLETE: Readonly<Record<FleetProfile, RegExp>> = {
  classic: /^sds_node_capacity_forecast_available\{/m,
  modern: /^sds_node_transaction_latency_seconds_bucket\{/m,
}

const emulatorOf = (profile: FleetProfile): Emulator => {
  const startedAt = Date.now()
  return createEmulator({
    listenAddress: '127.0.0.1:0',
    profile,
    scenario: 'disk-failures',
    pools: POOLS,
    nodes: NODES_PER_POOL,
    // Sixty times as fast: counters of the query interface need two points, which are five minutes apart.
    clock: () => startedAt + 60 * (Date.now() - startedAt),
  })
}

/** What an exporter of one emulated system exports. */
async function pageOf(profile: FleetProfile): Promise<Sample[]> {
  const emulator = emulatorOf(profile)
  await emulator.start()
  const text = `
systems: [{name: emulated, base_url: "${emulator.url}", auth: {token: emulator-monitor}}]
poll: {schedule: "*/10 * * * * *", max_random_delay: 0s}
forecast: {schedule: "*/30 * * * * *"}
performance: {schedule: "*/10 * * * * *"}
limits: {requests_per_second: 100}
`
  const exporter = createExporter({
    load: () => parseConfig(text, { file: 'cost.yml', environment: {} }),
    version: 'cost',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    log: silentLog,
  })
  await exporter.start()
  try {
    const page = await waitFor(
      async () => {
        const body = await (await fetch(`${exporter.url}/metrics`)).text()
        const pools = body.match(/^sds_pool_nodes\{/gm)?.length ?? 0
        return pools === POOLS && COMPLETE[profile].test(body) ? body : undefined
      },
      { what: `the page of the ${profile} system`, timeout: START_TIMEOUT_MS, interval: 1000 },
    )
    return parseExposition(page)
  } finally {
    await exporter.stop()
    await emulator.stop()
  }
}

const DAY_MS = 86_400_000
/** Values that are states or facts. */
const CONSTANT = /(_info|_up|_status|_available|_disks|_nodes|_providers|_successful|_series)$/
const COUNTER = /(_total|_bucket|_count|_sum)$/

/** Values that follow the time of day by a tenth, timestamps and counters that grow with the time. */
const valuesOf = ({ name, value }: Sample, pageTime: number): FleetSeries['valueAt'] => {
  if (CONSTANT.test(name)) return () => value
  if (name.endsWith('_timestamp_seconds')) return (time) => value + (time - pageTime) / 1000
  if (COUNTER.test(name)) return (time) => value + Math.max(0, time - pageTime + 40 * DAY_MS) * 1e-4 * value
  return (time) => value * (1 + 0.1 * Math.sin((2 * Math.PI * time) / DAY_MS))
}

const ofSystem = (
  page: readonly Sample[],
  system: string,
  instance: string,
  pageTime: number,
): FleetSeries[] =>
  page.map((series) => ({
    name: series.name,
    labels: encodeLabels({
      ...series.labels,
      ...('system' in series.labels && { system }),
      __name__: series.name,
      job: JOB,
      instance,
    }),
    valueAt: valuesOf(series, pageTime),
  }))

const systemName = (index: number): string => `system-${String(index + 1).padStart(2, '0')}`

/** One exporter for each system. */
export async function fleetSeries(systems: number): Promise<FleetSeries[]> {
  const pages = new Map<FleetProfile, Sample[]>()
  for (const profile of PROFILES) pages.set(profile, await pageOf(profile))
  const pageTime = Date.now()
  return Array.from({ length: systems }, (_, index) => {
    const instance = `exporter-${index}:9438`
    const page = pages.get(PROFILES[index % PROFILES.length] ?? 'classic') ?? []
    const up: Sample = { name: 'up', labels: {}, value: 1 }
    return ofSystem([...page, up], systemName(index), instance, pageTime)
  }).flat()
}
