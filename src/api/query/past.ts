import type { AttributeName, SourceUnit } from '../../catalogue.ts'
import type { LatencyOperation, Subject } from '../../query_catalogue.ts'
import type { ErrorType } from '../feed/snapshots.ts'
import type { NodeHistory } from '../history/history.ts'
import type { Points } from '../history/series.ts'
import { type FieldSeries, isReadable, type QueryAnswer } from './answers/answer.ts'
import type { Windows } from './requests/plan.ts'
import { subjectOf } from './requests/queries.ts'
import {
  boundsOf,
  groupByNode,
  type NodeOptions,
  type NodePerformance,
  nodePerformance,
  tagOf,
} from './values/performance.ts'

/** The past of one node in a window of time. Absent values are missing. */
export interface NodePast extends QueriedPast {
  /** At least one of the two is known. */
  readonly nodeId: string | undefined
  readonly host: string | undefined
  /** Number of points in the window. */
  readonly rows: number
}

export interface PastOptions extends NodeOptions {
  /** Seconds since the epoch: the first one belongs to the window, the second one does not. */
  readonly start: number
  readonly end: number
  /** How far back the poller would have read at each time. */
  readonly windowOf: Windows
  /** By default every subject is calculated. */
  readonly isCalculated?: (subject: Subject) => boolean
}

/** Two for a rate, and two more for the interval of the series. */
const POINTS = 4

/**
 * The values of all nodes at the times of all points in the window. Each is what the poller would have exported when
 * this point was the newest one, so it has the same rates, sums and rules for resets and gaps.
 * @param series with the points that the poller reads before the window
 */
export function calculatePast(series: readonly FieldSeries[], options: PastOptions): readonly NodePast[] {
  const byNode = groupByNode(series)
  const bounds = boundsOf(byNode.values())
  const nodes: NodePast[] = []
  for (const ofNode of byNode.values()) {
    const past = createGrowingPast()
    for (const [subject, ofSubject] of Map.groupBy(ofNode, subjectOf)) {
      if (options.isCalculated?.(subject) === false) continue
      const moments = createMoments(ofSubject, options.windowOf(subject))
      for (const t of timesOf(ofSubject, options)) past.add(t, nodePerformance(moments(t), bounds, options))
    }
    const [nodeId, host] = [tagOf(ofNode, 'node_id'), tagOf(ofNode, 'host')]
    const rows = ofNode.reduce(
      (sum, { points }) => sum + points.filter(({ t }) => t >= options.start).length,
      0,
    )
    nodes.push({ ...past.result(), nodeId, host, rows })
  }
  return nodes
}

function timesOf(series: readonly FieldSeries[], { start, end }: PastOptions): readonly number[] {
  const times = new Set<number>()
  for (const { points } of series) for (const { t } of points) if (t >= start && t < end) times.add(t)
  return [...times].sort((a, b) => a - b)
}

/**
 * The series as a query at this time would have found them: their last points, without those that are older than its range.
 * To be called with ascending times.
 */
function createMoments(
  series: readonly FieldSeries[],
  windowSeconds: number,
): (t: number) => readonly FieldSeries[] {
  const cursors = series.map((one) => ({ one, first: 0, next: 0 }))
  return (t) => {
    const found: FieldSeries[] = []
    for (const cursor of cursors) {
      const { points } = cursor.one
      while ((points[cursor.next]?.t ?? Number.POSITIVE_INFINITY) <= t) cursor.next += 1
      cursor.first = Math.max(cursor.first, cursor.next - POINTS)
      while (cursor.first < cursor.next && t - (points[cursor.first]?.t ?? t) > windowSeconds)
        cursor.first += 1
      if (cursor.first === cursor.next) continue
      const { measurement, field, tags } = cursor.one
      found.push({ measurement, field, tags, points: points.slice(cursor.first, cursor.next) })
    }
    return found
  }
}

/** The series of several answers; those of the same key have the points of all of them, in the order of the answers. */
export function joinedSeries(
  answers: readonly Pick<QueryAnswer, 'series'>[],
): ReadonlyMap<string, FieldSeries> {
  const joined = new Map<string, FieldSeries>()
  for (const { series } of answers) {
    for (const [key, one] of series) {
      const before = joined.get(key)?.points.filter(isReadable)
      joined.set(key, before === undefined ? one : { ...one, points: [...before, ...one.points] })
    }
  }
  return joined
}

/** What the Flux API has of the past of one node. */
type QueriedPast = Pick<NodeHistory, 'attributes' | 'errors' | 'latencies' | 'interfaces'>

interface GrowingPoints extends Points {
  readonly times: number[]
  readonly values: number[]
}

function createGrowingPast() {
  const attributes = new Map<AttributeName, { series: GrowingPoints; unit: SourceUnit }>()
  const [all, succeeded, failed] = [empty(), empty(), empty()]
  const types = new Map<string, Pick<ErrorType, 'category' | 'errorType'> & Growing<'rate' | 'count'>>()
  const latencies = new Map<LatencyOperation, Map<number, GrowingPoints>>()
  const interfaces = new Map<string, { name: string } & Growing<'received' | 'transmitted'>>()

  function addErrors(t: number, { transactions, errorTypes }: NodePerformance): void {
    if (transactions?.t === t) {
      push(all, t, transactions.all?.value)
      push(succeeded, t, transactions.succeeded)
      push(failed, t, transactions.failed)
    }
    if (errorTypes?.t !== t) return
    for (const { category, errorType, rate, count } of errorTypes.types) {
      const create = () => ({ category, errorType, rate: empty(), count: empty() })
      const type = entry(types, `${category}\n${errorType}`, create)
      push(type.rate, t, rate?.value)
      push(type.count, t, count)
    }
  }

  function addLatencies(t: number, performance: NodePerformance): void {
    for (const [operation, histogram] of performance.latencies) {
      if (histogram.t !== t) continue
      const counts = entry(latencies, operation, () => new Map<number, GrowingPoints>())
      for (const { seconds, count } of histogram.buckets) push(entry(counts, seconds, empty), t, count)
    }
  }

  return {
    /** Adds the values that are of this time. Times of the same value are to be ascending. */
    add(t: number, performance: NodePerformance): void {
      for (const [name, { t: newest, value, unit }] of performance.values)
        if (newest === t) push(entry(attributes, name, () => ({ series: empty(), unit })).series, t, value)
      addErrors(t, performance)
      addLatencies(t, performance)
      for (const traffic of performance.interfaces.filter((one) => one.t === t)) {
        const { name } = traffic
        const one = entry(interfaces, name, () => ({ name, received: empty(), transmitted: empty() }))
        push(one.received, t, traffic.receivedBytesPerSecond)
        push(one.transmitted, t, traffic.transmittedBytesPerSecond)
      }
    },
    result: (): QueriedPast => ({
      attributes,
      errors: { all, succeeded, failed, types: [...types.values()] },
      latencies: [...latencies].flatMap(([operation, buckets]) =>
        [...buckets]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([seconds, counts]) => ({ operation, seconds, counts })),
      ),
      interfaces: [...interfaces.values()],
    }),
  }
}

type Growing<Key extends string> = Record<Key, GrowingPoints>

function empty(): GrowingPoints {
  return { times: [], values: [] }
}

function push({ times, values }: GrowingPoints, t: number, value: number | undefined): void {
  if (value === undefined) return
  times.push(t)
  values.push(value)
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
