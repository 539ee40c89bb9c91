import type { Point, Series } from './answer.ts'

/**
 * Points come every five minutes; on large systems the interval is longer. A point becomes visible up to seven minutes
 * after its time. So windows and limits follow the interval that is observed.
 */
export const USUAL_INTERVAL_SECONDS = 300
const SHORTEST_INTERVAL_SECONDS = 60
export const LONGEST_INTERVAL_SECONDS = 900
const LATEST_SECONDS = 420
/** Values of shorter intervals are not withdrawn before the next poll. */
const LEAST_AGE_SECONDS = 900

/** Points of which the interval of a series is the median: one gap does not change it. */
const POINTS = 4

/** Seconds between the last points of a series; undefined with fewer than two. */
export function intervalOf(points: readonly Point[]): number | undefined {
  const last = points.slice(-POINTS)
  const differences = last.slice(1).map(({ t }, index) => t - (last[index]?.t ?? t))
  const median = differences.sort((a, b) => a - b)[Math.floor((differences.length - 1) / 2)]
  return median === undefined ? undefined : within(median)
}

/** The median of the intervals of several series, in whole minutes; undefined if no series has two points. */
export function commonInterval(series: Iterable<Series>): number | undefined {
  const intervals: number[] = []
  for (const { points } of series) {
    const interval = intervalOf(points)
    if (interval !== undefined) intervals.push(interval)
  }
  const median = intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)]
  return median === undefined ? undefined : within(Math.round(median / 60) * 60)
}

function within(seconds: number): number {
  return Math.min(Math.max(seconds, SHORTEST_INTERVAL_SECONDS), LONGEST_INTERVAL_SECONDS)
}

/** Three intervals and the latest visibility: how far back queries ask, in seconds. */
export function windowSeconds(intervalSeconds: number): number {
  return 3 * intervalSeconds + LATEST_SECONDS
}

/** The age of a point, by the clock of the system, up to which it is current, in seconds. */
export function maxAgeSeconds(intervalSeconds: number): number {
  return Math.max(windowSeconds(intervalSeconds), LEAST_AGE_SECONDS)
}
