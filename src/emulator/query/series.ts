import { nodeId } from '../feed/node.ts'
import { isDown, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../model/model.ts'
import { keyOf, mix } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import type { Settings } from '../protocol/settings.ts'
import type { ResourceRequest } from '../resources/request.ts'

// Points have numbers: point `k` belongs to the interval of statistics that ends at `k` times its length.

export interface SeriesPoint {
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
  readonly points: (first: number, last: number) => SeriesPoint[]
}

export interface Bucket {
  /** Older points are deleted. */
  readonly retentionSeconds: number
  /** Points are visible so long after their time. */
  readonly delaySeconds: number
  /** The times of the points of each node; default: each measurement has its own. */
  readonly clock?: Clock
  readonly fields?: (request: ResourceRequest) => readonly NodeField[]
  /** Series of the whole system. */
  readonly series?: (request: ResourceRequest) => Iterable<FieldSeries>
}

/** The time of point `k` of a node, in epoch seconds. */
export type Clock = (node: Node, k: number) => number

export interface NodeField {
  readonly measurement: string
  readonly field: string
  /** Besides `host` and `node_id`. */
  readonly tags: Readonly<Record<string, string>>
  /** From the state, or from the counters; undefined: the node does not have the series at that time. */
  readonly value:
    | { readonly gauge: (state: NodeState) => number }
    | { readonly counter: (totals: Float64Array) => number | undefined }
}

/** Fields of nodes that are percentages. */
const DOUBLES = /^usage_|_percent$|^utilization$/
const PHASE = 71
const JITTER = keyOf('jitter')
const MAX_JITTER_SECONDS = 10
/** No point of any kind is later than this after the end of its interval. */
const MAX_DELAY_SECONDS = STATISTICS_INTERVAL_SECONDS

/** `monitoring_main`: each node has a phase of its own. */
export const mainClock: Clock = (node, k) =>
  k * STATISTICS_INTERVAL_SECONDS + (mix(node.key, PHASE) % STATISTICS_INTERVAL_SECONDS)

/** `monitoring_op`: 1 to 10 s after the end of the interval, different for every node, measurement and point. */
export function opClock(measurement: string): Clock {
  const salt = keyOf(measurement) ^ JITTER
  return (node, k) => k * STATISTICS_INTERVAL_SECONDS + 1 + (mix(mix(node.key, salt), k) % MAX_JITTER_SECONDS)
}

export function* seriesOf(bucket: Bucket, request: ResourceRequest): Iterable<FieldSeries> {
  const fields = bucket.fields?.(request) ?? []
  for (const node of request.model.pools.flatMap((pool) => pool.nodes))
    for (const field of fields)
      yield nodeSeries(request, node, field, bucket.clock ?? opClock(field.measurement))
  yield* bucket.series?.(request) ?? []
}

/** The series of a field of one node. A node that is down has no points. */
function nodeSeries(
  { model, profile, settings, counters }: ResourceRequest,
  node: Node,
  row: NodeField,
  clock: Clock,
): FieldSeries {
  const { measurement, field, tags, value } = row
  const type = DOUBLES.test(field) ? 'double' : 'long'
  const intervalSeconds = intervalOf(settings)
  const ofStatistics = (k: number) => {
    const state = model.stateOf(node, k * STATISTICS_INTERVAL_SECONDS)
    if (isDown(state)) return undefined
    return 'gauge' in value ? value.gauge(state) : value.counter(counters(node, k))
  }
  return {
    columns: {
      _field: field,
      _measurement: measurement,
      host: node.name,
      node_id: nodeId(profile, node),
      ...tags,
    },
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

/** A series of the whole system. @param valueAt from the end of an interval @param delaySeconds of its point after that end */
export function systemSeries(
  columns: FieldSeries['columns'],
  valueAt: (end: number) => number,
  { delaySeconds = 0, type = 'long' }: { readonly delaySeconds?: number; readonly type?: ValueType } = {},
): FieldSeries {
  const endOf = (k: number) => k * STATISTICS_INTERVAL_SECONDS
  const points = pointsBetween(
    (k) => endOf(k) + delaySeconds,
    (k) => valueAt(endOf(k)),
    type,
  )
  return { columns, type, points }
}

/** The function `points` of a series, from the time and the value of point `k`. */
function pointsBetween(
  timeOf: (k: number) => number,
  valueAt: (k: number) => number | undefined,
  type: ValueType,
  intervalSeconds = STATISTICS_INTERVAL_SECONDS,
): FieldSeries['points'] {
  return (first, last) => {
    const points: SeriesPoint[] = []
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
