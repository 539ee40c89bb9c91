import { smallest } from '../../../values/largest.ts'
import { type FieldSeries, isReadable, type Point, type QueryAnswer } from './answer.ts'

/**
 * Points come every five minutes; on large systems the interval is longer. A point becomes visible up to seven minutes
 * after its time. So windows and limits follow the interval that is observed.
 */
export const USUAL_INTERVAL_SECONDS = 300
const SHORTEST_INTERVAL_SECONDS = 60
export const LONGEST_INTERVAL_SECONDS = 900
const LATEST_SECONDS = 420
/** Values of shorter intervals are not dropped before the next poll. */
const LEAST_AGE_SECONDS = 900

/**
 * Seconds between the last four points of a series, the median: one gap does not change it. Undefined with fewer than two
 * points. It allocates nothing, because a history needs it for every series at every time.
 * @param count only so many of the points
 */
export function intervalOf(points: readonly Point[], count = points.length): number | undefined {
  const before = (index: number) => (points[index]?.t ?? 0) - (points[index - 1]?.t ?? 0)
  if (count < 2) return undefined
  const last = before(count - 1)
  if (count === 2) return within(last)
  const second = before(count - 2)
  const least = Math.min(last, second)
  if (count === 3) return within(least)
  return within(Math.max(least, Math.min(Math.max(last, second), before(count - 3))))
}

/** The longest interval of several answers, in whole minutes; undefined if no series has two points. */
export function longestInterval(answers: Iterable<Pick<QueryAnswer, 'series'>>): number | undefined {
  let longest: number | undefined
  for (const { series } of answers) {
    const counts = new Map<number, number>()
    for (const { points } of series.values()) {
      const seconds = intervalOf(points)
      if (seconds === undefined) continue
      const rounded = within(Math.round(seconds / 60) * 60)
      counts.set(rounded, (counts.get(rounded) ?? 0) + 1)
    }
    const [most] = [...counts].sort(([, a], [, b]) => b - a)
    if (most !== undefined) longest = Math.max(longest ?? 0, most[0])
  }
  return longest
}

function within(seconds: number): number {
  return Math.min(Math.max(seconds, SHORTEST_INTERVAL_SECONDS), LONGEST_INTERVAL_SECONDS)
}

/** Three intervals and the latest visibility: how far back queries reach, in seconds. */
export function windowSeconds(intervalSeconds: number): number {
  return 3 * intervalSeconds + LATEST_SECONDS
}

/** The age of a value, by the clock of the system, from which it is dropped, in seconds. */
export function maxAgeSeconds(ofWindow: number): number {
  return Math.max(ofWindow, LEAST_AGE_SECONDS)
}

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
