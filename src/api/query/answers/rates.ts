import { smallest } from '../../../values/largest.ts'
import { type FieldSeries, isReadable, type Point } from './answer.ts'
import { intervalOf, USUAL_INTERVAL_SECONDS } from './intervals.ts'

/** Times of points vary: relative to the interval, for points that were repeated, and for gaps of several intervals. */
const LEAST_INTERVALS = 0.5
const MOST_INTERVALS = 3.5

/** The growth of a counter, or of several together. */
export interface Increase {
  /** Time of the point before. */
  readonly from: number
  /** Time of the newest point. */
  readonly t: number
  readonly amount: number
  /** Sum of the rates in the counters' own intervals. */
  readonly perSecond: number
}

/** Time of the newest point, also if its value could not be read. */
export function newestTime({ points }: FieldSeries): number | undefined {
  return points.at(-1)?.t
}

/** Undefined if the newest value could not be read. */
export function newestPoint({ points }: FieldSeries): Point | undefined {
  const newest = points.at(-1)
  return newest !== undefined && isReadable(newest) ? newest : undefined
}

/**
 * The growth between the last two points by their own times; undefined without a second point, after a reset, across a
 * gap of more than three intervals, and if the newest value could not be read.
 */
export function increaseOf({ points }: FieldSeries): Increase | undefined {
  const [before, last] = [points.at(-2), points.at(-1)]
  if (before === undefined || last === undefined) return undefined
  const interval = intervalOf(points) ?? USUAL_INTERVAL_SECONDS
  const seconds = last.t - before.t
  const amount = last.value - before.value
  const isNear = seconds >= LEAST_INTERVALS * interval && seconds <= MOST_INTERVALS * interval
  return isNear && amount >= 0
    ? { from: before.t, t: last.t, amount, perSecond: amount / seconds }
    : undefined
}

/** The series without points that are newer than the newest point of the series that is furthest behind. */
export function atCommonTime(series: readonly FieldSeries[]): readonly FieldSeries[] {
  return upTo(series, smallest(series.map(newestTime)))
}

/** The series without points that are newer than this time. */
export function upTo(series: readonly FieldSeries[], t = Number.POSITIVE_INFINITY): readonly FieldSeries[] {
  const isUpTo = (one: FieldSeries) => (newestTime(one) ?? t) <= t
  if (series.every(isUpTo)) return series
  return series.map((one) =>
    isUpTo(one) ? one : { ...one, points: one.points.filter((point) => point.t <= t) },
  )
}

/**
 * The growth of all counters together, such as those of several services of a node, which have points at times of their
 * own: each between its last points before the next one of the counter that is furthest behind. Undefined without counters,
 * and if one of them has no growth: the sum of the others would be too small.
 */
export function sumOfIncreases(series: readonly FieldSeries[]): Increase | undefined {
  const sum = { from: Number.POSITIVE_INFINITY, t: Number.NEGATIVE_INFINITY, amount: 0, perSecond: 0 }
  for (const one of upTo(series, timeOfSum(series))) {
    const increase = increaseOf(one)
    if (increase === undefined) return undefined
    sum.from = Math.min(sum.from, increase.from)
    sum.t = Math.max(sum.t, increase.t)
    sum.amount += increase.amount
    sum.perSecond += increase.perSecond
  }
  return series.length === 0 ? undefined : sum
}

/** Before the next point of the series that is furthest behind. */
function timeOfSum(series: readonly FieldSeries[]): number | undefined {
  const next = smallest(
    series.map((one) => (newestTime(one) ?? 0) + (intervalOf(one.points) ?? USUAL_INTERVAL_SECONDS)),
  )
  return next && next - 1
}
