import type { NodeReading } from '../../api/feed/node_reading.ts'
import type { AttributeName } from '../../catalogue.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import {
  allocatedRatio,
  baseValue,
  DISK_FIGURES,
  type DiskFigures,
  diskFigures,
  newestSampleTime,
} from '../../status/node_figures.ts'
import type { PoolFeed } from './reading.ts'

/** One node, with the members of `--json`. Values that the node does not report are null. */
export interface NodeRow extends DiskFigures {
  readonly system: string
  readonly pool: string
  readonly pool_id: string
  readonly node: string
  readonly node_id: string
  readonly health_status: string | null
  readonly disk_space_total_bytes: number | null
  readonly disk_space_allocated_bytes: number | null
  readonly disk_space_free_bytes: number | null
  readonly disk_space_allocated_ratio: number | null
  readonly newest_sample_timestamp_seconds: number | null
  readonly newest_sample_age_seconds: number | null
}

/** Descriptions of the members, for --help. */
export const MEMBERS: Readonly<Record<keyof NodeRow, string>> = {
  system: 'name in the configuration, and label of the metrics',
  pool: 'name of the pool, or its id if the name is not unique',
  pool_id: 'id of the pool',
  node: 'name of the node, or its id if the name is not unique',
  node_id: 'id of the node',
  health_status: 'Good, Maintenance, Suspect, Bad, NotAccessible, or another status of the system',
  ...DISK_FIGURES,
  disk_space_total_bytes: 'total disk space',
  disk_space_allocated_bytes: 'allocated disk space',
  disk_space_free_bytes: 'free disk space without the reserve',
  disk_space_allocated_ratio: '0 to 1: allocated / total, otherwise the percentage of the system',
  newest_sample_timestamp_seconds: 'time of the newest sample since the epoch, clock of the system',
  newest_sample_age_seconds: 'age of the newest sample, corrected by the clock skew',
}

/** @param pools all pools of one system, because duplicate names are replaced by ids */
export function nodeRows(system: string, pools: readonly PoolFeed[]): NodeRow[] {
  const labels = uniqueNames(pools.map(({ id, name }) => ({ id, name })))
  return pools.flatMap(({ id, reading, readAt, skewSeconds }, index) => {
    const pool = { system, pool: labels[index] ?? id, pool_id: id }
    const names = uniqueNames(reading.nodes)
    return reading.nodes.map((node, place) => ({
      ...pool,
      node: names[place] ?? node.id,
      node_id: node.id,
      health_status: node.health ?? null,
      ...diskFigures(node),
      ...spaceMembers(node),
      ...ageMembers(node, readAt + skewSeconds),
    }))
  })
}

function spaceMembers(node: NodeReading) {
  const value = (name: AttributeName) => baseValue(node, name) ?? null
  return {
    disk_space_total_bytes: value('diskSpaceTotal'),
    disk_space_allocated_bytes: value('diskSpaceAllocated'),
    disk_space_free_bytes: value('diskSpaceFree'),
    disk_space_allocated_ratio: allocatedRatio(node),
  }
}

/** @param now seconds since the epoch, clock of the system */
function ageMembers(node: NodeReading, now: number) {
  const newest = newestSampleTime(node)
  return {
    newest_sample_timestamp_seconds: newest,
    newest_sample_age_seconds: newest === null ? null : Math.round(now - newest),
  }
}

/** Compares numbers in names by value: node-2 before node-10. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

type SortKey = 'system' | 'pool' | 'node' | 'node_id'

/** By system, pool and node. */
export function sortRows<Row extends Readonly<Record<SortKey, string>>>(rows: readonly Row[]): Row[] {
  const keys: readonly SortKey[] = ['system', 'pool', 'node', 'node_id']
  return rows.toSorted((a, b) => {
    const key = keys.find((name) => COLLATOR.compare(a[name], b[name]) !== 0)
    return key === undefined ? 0 : COLLATOR.compare(a[key], b[key])
  })
}
