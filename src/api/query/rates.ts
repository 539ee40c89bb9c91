import { isReadable, type Point, type Series } from './answer.ts'

/** Points of a counter that are closer were repeated; points that are farther apart have a gap between them. */
const LEAST_SECONDS = 60
export const MOST_SECONDS = 1200
/** The time between two points of all known systems, used for a series with a single point. */
const CADENCE_SECONDS = 300

/** The growth of a counter, or of several together. */
export interface Increase {
  /** Time of the newest point. */
  readonly t: number
  readonly amount: number
  /** Of the counters' own intervals, added up. */
  readonly perSecond: number
}

/** Time of the newest point, also if its value could not be read. */
export function newestTime({ points }: Series): number | undefined {
  return points.at(-1)?.t
}

/** Undefined if the newest value could not be read. */
export function newestPoint({ points }: Series): Point | undefined {
  const newest = points.at(-1)
  return newest !== undefined && isReadable(newest) ? newest : undefined
}

/** The newest point of several series of one field, such as those before and after a change of a tag. */
export function newestPointOf(series: readonly Series[]): Point | undefined {
  let newest: Point | undefined
  for (const one of series) {
    const point = newestPoint(one)
    if (point !== undefined && (newest === undefined || point.t > newest.t)) newest = point
  }
  return newest
}

/**
 * The growth between the last two points by their own times; undefined without a second point, after a reset, across a
 * gap, and if the newest value could not be read.
 */
export function increaseOf({ points }: Series): Increase | undefined {
  const [before, last] = points.slice(-2)
  if (before === undefined || last === undefined) return undefined
  const seconds = last.t - before.t
  const amount = last.value - before.value
  if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS || !(amount >= 0)) return undefined
  return { t: last.t, amount, perSecond: amount / seconds }
}

/**
 * The growth of all counters together, such as those of several services of a node. Undefined without counters, and if
 * one of them has no growth: the sum of the others would be too small. A counter that is behind the newest one by its
 * own interval belongs to a process that has ended, and is left out.
 */
export function sumOfIncreases(series: readonly Series[]): Increase | undefined {
  const newest = Math.max(...series.map((one) => newestTime(one) ?? Number.NEGATIVE_INFINITY))
  const current = series.filter((one) => isCurrent(one, newest))
  const increases = current.map(increaseOf)
  if (increases.length === 0) return undefined
  let sum: Increase = { t: newest, amount: 0, perSecond: 0 }
  for (const one of increases) {
    if (one === undefined) return undefined
    sum = { t: newest, amount: sum.amount + one.amount, perSecond: sum.perSecond + one.perSecond }
  }
  return sum
}

function isCurrent({ points }: Series, newest: number): boolean {
  const [before, last] = points.slice(-2)
  if (before === undefined) return false
  const intervalSeconds = last === undefined ? CADENCE_SECONDS : last.t - before.t
  return (last ?? before).t + intervalSeconds > newest
}
