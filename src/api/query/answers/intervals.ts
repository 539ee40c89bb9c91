import type { Point, QueryAnswer } from './answer.ts'

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

/**
 * The longest of the intervals of several answers, each that of most of its series, in whole minutes; undefined if no
 * series has two points.
 */
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
