import { type AttributeName, HEALTH_STATES } from '../../catalogue.ts'
import { baseValue, uniqueNames } from '../../metrics/samples.ts'
import { hardwareFinder, nodesIn } from '../../state/resources.ts'
import type { PoolState, SystemState } from '../../state/state.ts'
import {
  allocatedRatio,
  DISK_FIGURES,
  type DiskFigures,
  diskFigures,
  failedRatio,
  newestSampleTime,
} from '../../status/node_status.ts'
import { poolForecasts } from '../../status/pool_detail.ts'

/** Descriptions of the members that say which node a row is about, for --help. */
const IDENTITY = {
  system: 'name in the configuration, and label of the metrics',
  pool: 'name of the pool, or its id if the name is not unique',
  pool_id: 'id of the pool',
  node: 'name of the node, or its id if the name is not unique',
  node_id: 'id of the node',
} as const
type Identity = Readonly<Record<keyof typeof IDENTITY, string>>

const HARDWARE = {
  rack: 'rack of the node',
  address: 'IP address for management of the node',
  software_version: 'version of the software on the node',
} as const

const VALUES = {
  disk_space_total_bytes: 'total disk space',
  disk_space_allocated_bytes: 'allocated disk space',
  disk_space_free_bytes: 'free disk space without the reserve',
  disk_space_allocated_ratio: '0 to 1: allocated / total, otherwise the percentage of the system',
  pool_forecast_seconds:
    'until the pool reaches the forecast target of the alerts, by the median forecast of its nodes; 0: reached',
  transaction_errors_ratio: '0 to 1: failed transactions',
  transaction_read_latency_seconds: 'mean latency of reads; null where only the Flux API has latencies',
  transaction_write_latency_seconds: 'mean latency of writes',
  newest_sample_timestamp_seconds: 'time of the newest sample since the epoch, clock of the system',
  newest_sample_age_seconds: 'age of the newest sample, corrected by the clock skew',
} as const

/** One node, with the members of `--json`. Values that the node does not report are null. */
export type NodeRow = Identity &
  DiskFigures &
  Readonly<Record<keyof typeof VALUES, number | null>> &
  Readonly<Record<'health_status' | keyof typeof HARDWARE, string | null>>

/** Descriptions of the members, for --help. */
export const MEMBERS: Readonly<Record<keyof NodeRow, string>> = {
  ...IDENTITY,
  health_status: 'Good, Maintenance, Suspect, Bad, NotAccessible, or another status of the system',
  ...DISK_FIGURES,
  ...VALUES,
  ...HARDWARE,
}

/**
 * @param target of the forecast, in percent
 * @param now seconds since the epoch, by the clock of the system
 */
export function nodeRows(system: SystemState, target: number, now: number): NodeRow[] {
  return [...system.pools.values()].flatMap((pool) => poolRows(system, pool, target, now))
}

function poolRows({ name, resources }: SystemState, pool: PoolState, target: number, now: number): NodeRow[] {
  const nodes = pool.merged?.nodes ?? []
  const names = uniqueNames(nodes)
  const hardwareOf = hardwareFinder(nodesIn(resources))
  const ids = nodes.map(({ id }) => id)
  const forecast = poolForecasts(ids, pool.forecasts).get(String(target)) ?? null
  return nodes.map((node, index) => {
    const value = (attribute: AttributeName) => baseValue(node, attribute) ?? null
    const newest = newestSampleTime(node)
    const { rack, address, version } = hardwareOf(node) ?? {}
    return {
      system: name,
      pool: pool.label,
      pool_id: pool.ref.id,
      node: names[index] ?? node.id,
      node_id: node.id,
      health_status: node.health ?? null,
      ...diskFigures(node),
      disk_space_total_bytes: value('diskSpaceTotal'),
      disk_space_allocated_bytes: value('diskSpaceAllocated'),
      disk_space_free_bytes: value('diskSpaceFree'),
      disk_space_allocated_ratio: allocatedRatio(node),
      pool_forecast_seconds: forecast,
      transaction_errors_ratio: failedRatio(node),
      transaction_read_latency_seconds: value('transactionReadLatency'),
      transaction_write_latency_seconds: value('transactionWriteLatency'),
      newest_sample_timestamp_seconds: newest,
      newest_sample_age_seconds: newest === null ? null : Math.round(now - newest),
      rack: rack ?? null,
      address: address ?? null,
      software_version: version ?? null,
    }
  })
}

/** Compares numbers in names by value: node-2 before node-10. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

const SORT_KEYS = ['system', 'pool', 'node', 'node_id'] as const

export function sortRows<Row extends Identity>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => {
    const key = SORT_KEYS.find((name) => COLLATOR.compare(a[name], b[name]) !== 0)
    return key === undefined ? 0 : COLLATOR.compare(a[key], b[key])
  })
}

/** An unknown or missing status is worse than Suspect, which the system has judged. */
const UNKNOWN = 3
const SEVERITIES: readonly string[] = [
  ...HEALTH_STATES.slice(0, UNKNOWN),
  '',
  ...HEALTH_STATES.slice(UNKNOWN),
]

/** How bad a health status is, from 0 (Good) to 5 (NotAccessible). */
export function severityOf(status: string | null): number {
  const severity = SEVERITIES.indexOf(status ?? '')
  return severity === -1 ? UNKNOWN : severity
}

/** The worst first: by health, then by bad disks. Rows that are equally bad keep their order. */
export function sortBySeverity(rows: readonly NodeRow[]): NodeRow[] {
  return rows.toSorted(
    (a, b) =>
      severityOf(b.health_status) - severityOf(a.health_status) || (b.disks_bad ?? 0) - (a.disks_bad ?? 0),
  )
}
