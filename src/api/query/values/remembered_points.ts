import { type FieldSeries, isReadable, type Point, type QueryAnswer } from '../answers/answer.ts'
import type { Windows } from '../requests/plan.ts'
import { subjectOf, type TimeRange } from '../requests/queries.ts'

interface Remembered {
  readonly series: FieldSeries
  /** Time of the last answer that had it, in seconds by the clock of the system. */
  readonly seen: number
}

/**
 * The newest points of all series of a system. An answer may lack queries, nodes or series, may have the newest point of
 * each series only, and may be older than the one before.
 * @param suppliesLacking whether series that the answers lack have their remembered points; otherwise they have an
 *   unreadable one, so that what is calculated from several series is absent without one of them
 * @param maxSeries series that the answers lack are forgotten where there are more
 */
export function createRememberedPoints(suppliesLacking: boolean, maxSeries: number) {
  let remembered: ReadonlyMap<string, Remembered> = new Map()
  return {
    /**
     * The answers with remembered points, and the series that they lack as another answer.
     * @param stop time of the answers, in seconds by the clock of the system
     */
    add(answers: readonly QueryAnswer[], stop: number, windowOf: Windows): readonly QueryAnswer[] {
      const rangeOf = (one: FieldSeries) => ({ start: stop - windowOf(subjectOf(one)), stop })
      const next = new Map<string, Remembered>()
      const added = answers.map((answer) => {
        const series = new Map<string, FieldSeries>()
        for (const [key, one] of answer.series) {
          const joined = withRemembered(one, remembered.get(key)?.series, rangeOf(one))
          series.set(key, joined)
          next.set(key, { series: joined, seen: stop })
        }
        return { ...answer, series }
      })
      const lacking = [...remembered].filter(
        ([key, one]) => !next.has(key) && isLacking(one, rangeOf(one.series)),
      )
      const series = new Map<string, FieldSeries>()
      for (const [key, { series: one, seen }] of lacking.slice(0, Math.max(maxSeries - next.size, 0))) {
        next.set(key, { series: { ...one, isLacking: true }, seen })
        const isSupplied = suppliesLacking && isCurrent(one, rangeOf(one))
        const points = isSupplied ? one.points : [{ t: stop, value: Number.NaN }]
        series.set(key, { ...one, points, isLacking: true })
      }
      remembered = next
      return [...added, { series, stop, outside: 0, rejected: [] }]
    },
  }
}

/**
 * A series that has ended stays in answers until its points are older than their range. One that is missing before may
 * come back: it is lacking for as long as a range after the last answer that had it.
 */
function isLacking({ series, seen }: Remembered, range: TimeRange): boolean {
  const { start, stop } = range
  return Math.abs(stop - seen) <= stop - start && (series.isLacking === true || isCurrent(series, range))
}

/**
 * Points after the time of the answer are those of an address whose clock is ahead, unless they are so far ahead that the
 * clock of the system was set back.
 */
function latestOf({ start, stop }: TimeRange): number {
  return stop + (stop - start)
}

function isCurrent({ points }: FieldSeries, range: TimeRange): boolean {
  const { t } = points.findLast(isReadable) ?? { t: Number.NaN }
  return t >= range.start && t <= latestOf(range)
}

/** The points of an answer between those that are older, one of them from before the range for a rate, and those that are newer. */
function withRemembered(
  series: FieldSeries,
  remembered: FieldSeries | undefined,
  range: TimeRange,
): FieldSeries {
  const [oldest, newest] = [series.points[0], series.points.at(-1)]
  if (remembered === undefined || oldest === undefined || newest === undefined) return series
  const before: Point[] = []
  const after: Point[] = []
  for (const [index, point] of remembered.points.entries()) {
    if (!isReadable(point)) continue
    const nextTime = remembered.points[index + 1]?.t ?? oldest.t
    if (point.t < oldest.t && nextTime >= range.start) before.push(point)
    else if (point.t > newest.t && point.t <= latestOf(range)) after.push(point)
  }
  return before.length + after.length === 0
    ? series
    : { ...series, points: [...before, ...series.points, ...after] }
}
