import { nodeId } from '../../feed/node.ts'
import type { StorageModel } from '../../model/model.ts'
import { isDown, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import type { Node } from '../../model/topology.ts'
import type { Profile } from '../../protocol/profiles.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { Counters } from './counters.ts'
import { type Clock, MAX_DELAY_SECONDS } from './grid.ts'

export interface Point {
  /** Epoch seconds. */
  readonly time: number
  /** As served: every cell is text. */
  readonly value: string
}

export type ValueType = 'long' | 'double'

/** One series: its `_field`, `_measurement` and tags, and its points. */
export interface FieldSeries {
  readonly columns: Readonly<Record<string, string>>
  readonly type: ValueType
  /** The points with times from `first` to `last`, ascending. Epoch seconds. */
  readonly points: (first: number, last: number) => Point[]
}

/** The storage system, as the buckets use it. */
export interface Source {
  readonly settings: Settings
  readonly model: StorageModel
  readonly profile: Profile
  readonly counters: Counters
}

export interface Bucket {
  /** Older points are deleted. */
  readonly retentionSeconds: number
  /** Points are visible so long after their time. */
  readonly delaySeconds: number
  /** The fields of each node. */
  readonly fields?: (source: Source) => readonly NodeField[]
  /** Series of the whole system. */
  readonly series?: (source: Source) => Iterable<FieldSeries>
}

export interface NodeField {
  readonly measurement: string
  readonly field: string
  /** Besides `host` and `node_id`. */
  readonly tags: Readonly<Record<string, string>>
  readonly type: ValueType
  readonly clock: Clock
  /** The value of point `k`; undefined: the node does not have the series at that time. */
  readonly value: (source: Source, state: NodeState, k: number) => number | undefined
}

/** The series of all nodes and of the system. */
export function* seriesOf(bucket: Bucket, source: Source): Iterable<FieldSeries> {
  const fields = bucket.fields?.(source) ?? []
  for (const node of source.model.pools.flatMap((pool) => pool.nodes)) {
    const id = nodeId(source.profile, node)
    for (const field of fields) yield nodeSeries(source, node, id, field)
  }
  yield* bucket.series?.(source) ?? []
}

/** The series of a field of one node. A node that is down has no points. */
function nodeSeries(source: Source, node: Node, nodeId: string, row: NodeField): FieldSeries {
  const { measurement, field, tags, type, clock } = row
  const intervalSeconds = intervalOf(source.settings)
  const ofStatistics = (k: number) => {
    const state = source.model.stateOf(node, k * STATISTICS_INTERVAL_SECONDS)
    return isDown(state) ? undefined : row.value(source, state, k)
  }
  return {
    columns: { _field: field, _measurement: measurement, host: node.name, node_id: nodeId, ...tags },
    type,
    points: pointsBetween(
      (k) => k * intervalSeconds + ((clock(node, k) - k * STATISTICS_INTERVAL_SECONDS) % intervalSeconds),
      (k) => interpolated(ofStatistics, (k * intervalSeconds) / STATISTICS_INTERVAL_SECONDS),
      type,
      intervalSeconds,
    ),
  }
}

/** The time between two points. */
export function intervalOf(settings: Settings): number {
  return Math.max(1, Math.floor(Number(settings['point-interval'] ?? STATISTICS_INTERVAL_SECONDS)))
}

/** Between two points of the statistics, as if the value changed evenly; not across a restart. */
function interpolated(valueAt: (k: number) => number | undefined, k: number): number | undefined {
  const before = valueAt(Math.floor(k))
  if (Number.isInteger(k) || before === undefined) return before
  const after = valueAt(Math.ceil(k)) ?? before
  return after < before ? before : before + (after - before) * (k % 1)
}

/** The function `points` of a series, from the time and the value of point `k`. */
export function pointsBetween(
  timeOf: (k: number) => number,
  valueAt: (k: number) => number | undefined,
  type: ValueType,
  intervalSeconds = STATISTICS_INTERVAL_SECONDS,
): FieldSeries['points'] {
  return (first, last) => {
    const points: Point[] = []
    const from = Math.floor((first - MAX_DELAY_SECONDS) / intervalSeconds)
    for (let k = from; k * intervalSeconds <= last; k++) {
      const time = timeOf(k)
      const value = time >= first && time <= last ? valueAt(k) : undefined
      if (value !== undefined) points.push({ time, value: valueText(value, type) })
    }
    return points
  }
}

const SMALLEST_PLAIN = 1e-6
const DIGITS = 20

/** Never with an exponent. */
export function valueText(value: number, type: ValueType): string {
  if (type === 'long') return String(Math.floor(value))
  const isTiny = value !== 0 && Math.abs(value) < SMALLEST_PLAIN
  return isTiny ? value.toFixed(DIGITS).replace(/0+$/, '') : String(value)
}
