import { type FieldSeries, isReadable, type Point } from './answer.ts'
import { intervalOf, USUAL_INTERVAL_SECONDS } from './intervals.ts'

/** Times of points vary: relative to the interval, for points that were repeated, and for gaps of several intervals. */
const LEAST_INTERVALS = 0.5
const MOST_INTERVALS = 3.5
/** A counter that is behind the newest one by more has ended; by one interval, its next point is late. */
const CURRENT_INTERVALS = 1.5

/** The growth of a counter, or of several together. */
export interface Increase {
  /** Time of the newest point. */
  readonly t: number
  readonly amount: number
  /** Of the counters' own intervals, added up. */
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

/** The newest point of several series of one field, such as those before and after a change of a tag. */
export function newestPointOf(series: readonly FieldSeries[]): Point | undefined {
  let newest: Point | undefined
  for (const one of series) {
    const point = newestPoint(one)
    if (point !== undefined && (newest === undefined || point.t > newest.t)) newest = point
  }
  return newest
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
  return isNear && amount >= 0 ? { t: last.t, amount, perSecond: amount / seconds } : undefined
}

/** Those of several counters that have not ended. */
export function currentOf(series: readonly FieldSeries[]): readonly FieldSeries[] {
  let newest = Number.NEGATIVE_INFINITY
  let longest = 0
  for (const one of series) {
    newest = Math.max(newest, newestTime(one) ?? newest)
    longest = Math.max(longest, intervalOf(one.points) ?? 0)
  }
  const oldest = newest - CURRENT_INTERVALS * (longest || USUAL_INTERVAL_SECONDS)
  return series.filter((one) => (newestTime(one) ?? oldest) > oldest)
}

/**
 * The growth of all counters together, such as those of several services of a node. Undefined without counters, and if
 * one of them has no growth: the sum of the others would be too small. A counter that has ended is left out.
 */
export function sumOfIncreases(series: readonly FieldSeries[]): Increase | undefined {
  const sum = { t: Number.NEGATIVE_INFINITY, amount: 0, perSecond: 0 }
  for (const one of currentOf(series)) {
    const increase = increaseOf(one)
    if (increase === undefined) return undefined
    sum.t = Math.max(sum.t, increase.t)
    sum.amount += increase.amount
    sum.perSecond += increase.perSecond
  }
  return series.length === 0 ? undefined : sum
}
