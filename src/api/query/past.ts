import { type FieldSeries, isReadable, type QueryAnswer } from './answers/answer.ts'
import { createGrowingPast, type QueriedPast } from './growing_past.ts'
import type { Windows } from './requests/plan.ts'
import { type Subject, subjectOf } from './requests/subjects.ts'
import { boundsOf, groupByNode, type NodeOptions, nodePerformance, tagOf } from './values/performance.ts'

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
