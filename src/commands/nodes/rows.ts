import type { FeedReading } from '../../api/feed/feed.ts'
import { type AttributeName, HEALTH_STATES } from '../../catalogue.ts'
import {
  allocatedRatio,
  baseValue,
  DISK_FIGURES,
  type DiskFigures,
  diskFigures,
  newestSampleTime,
} from '../../status/figures/node_figures.ts'
import type { NodesReading } from './forecasts.ts'
import { IDENTITY, type Identity, identified, type SystemRead } from './reading.ts'

const HARDWARE = {
  rack: 'rack of the node',
  address: 'IP address for management of the node',
  software_version: 'version of the software on the node',
} as const

const FIGURES = {
  disk_space_total_bytes: 'total disk space',
  disk_space_allocated_bytes: 'allocated disk space',
  disk_space_free_bytes: 'free disk space without the reserve',
  disk_space_allocated_ratio: '0 to 1: allocated / total, otherwise the percentage of the system',
  pool_forecast_seconds:
    'until the pool reaches the forecast target of the alerts, by the median forecast of its nodes; 0: reached',
  newest_sample_timestamp_seconds: 'time of the newest sample since the epoch, clock of the system',
  newest_sample_age_seconds: 'age of the newest sample, corrected by the clock skew',
} as const

/** One node, with the members of `--json`. Values that the node does not report are null. */
export type NodeRow = Identity &
  DiskFigures &
  Readonly<Record<keyof typeof FIGURES, number | null>> &
  Readonly<Record<'health_status' | keyof typeof HARDWARE, string | null>>

/** Descriptions of the members, for --help. */
export const MEMBERS: Readonly<Record<keyof NodeRow, string>> = {
  ...IDENTITY,
  health_status: 'Good, Maintenance, Suspect, Bad, NotAccessible, or another status of the system',
  ...DISK_FIGURES,
  ...FIGURES,
  ...HARDWARE,
}

export function nodeRows(read: Omit<SystemRead<NodesReading>, 'failures'>): NodeRow[] {
  return identified(read, (node: FeedReading['nodes'][number], { readAt, reading }) => {
    const value = (name: AttributeName) => baseValue(node, name) ?? null
    const newest = newestSampleTime(node)
    const { rack, address, version } = read.hardwareOf(node) ?? {}
    return [
      {
        health_status: node.health ?? null,
        ...diskFigures(node),
        disk_space_total_bytes: value('diskSpaceTotal'),
        disk_space_allocated_bytes: value('diskSpaceAllocated'),
        disk_space_free_bytes: value('diskSpaceFree'),
        disk_space_allocated_ratio: allocatedRatio(node),
        pool_forecast_seconds: reading.forecastSeconds,
        newest_sample_timestamp_seconds: newest,
        newest_sample_age_seconds: newest === null ? null : Math.round(readAt - newest),
        rack: rack ?? null,
        address: address ?? null,
        software_version: version ?? null,
      },
    ]
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
