import { type FieldSeries, isReadable, type QueryAnswer } from '../answers/answer.ts'
import { newestTime } from '../answers/rates.ts'
import type { Range } from '../requests/queries.ts'

/** Two for a rate, and one for the rate at the time of a series that is one point behind. */
const POINTS_OF_SERIES = 3

/**
 * The newest points of all series of a system. An answer may lack queries, nodes or series, may have the newest point of
 * each series only, and may be older than the one before.
 * @param addsLacking whether series are added that the answers lack
 * @param maxSeries series that the answers lack are forgotten where there are more
 */
export function createRememberedPoints(addsLacking: boolean, maxSeries: number) {
  let remembered: ReadonlyMap<string, FieldSeries> = new Map()
  return {
    /**
     * The answers with remembered points, and the series that they lack as another answer.
     * @param range time of the answers, in seconds by the clock of the system, and of the oldest points that are current
     */
    add(answers: readonly QueryAnswer[], { start, stop }: Range): readonly QueryAnswer[] {
      const next = new Map<string, FieldSeries>()
      const added: QueryAnswer[] = []
      for (const answer of answers) {
        const series = new Map<string, FieldSeries>()
        for (const [key, one] of answer.series) {
          const joined = withRemembered(one, remembered.get(key), stop)
          series.set(key, joined)
          next.set(key, joined)
        }
        added.push({ ...answer, series })
      }
      const current = [...remembered].filter(([key, { points }]) => {
        const { t } = points.findLast(isReadable) ?? { t: Number.NaN }
        return !next.has(key) && t >= start && t <= stop
      })
      const lacking = current.slice(0, Math.max(maxSeries - next.size, 0))
      for (const [key, one] of lacking) next.set(key, one)
      remembered = next
      if (!addsLacking) return added
      const series = new Map(lacking.map(([key, one]) => [key, { ...one, isLacking: true }]))
      return [...added, { series, stop, outside: 0, rejected: [] }]
    },
  }
}

/**
 * The points of an answer, after those before them if they are few, and before those that are newer. Points after the
 * time of the answer are from before the clock of the system was set back.
 */
function withRemembered(series: FieldSeries, remembered: FieldSeries | undefined, stop: number): FieldSeries {
  const [oldest, newest] = [series.points[0], series.points.at(-1)]
  if (remembered === undefined || oldest === undefined || newest === undefined) return series
  const readable = remembered.points.filter(isReadable)
  const before = series.points.length < POINTS_OF_SERIES ? readable.filter(({ t }) => t < oldest.t) : []
  const after = readable.filter(({ t }) => t > newest.t && t <= stop)
  if (before.length + after.length === 0) return series
  return { ...series, points: [...before, ...series.points, ...after].slice(-POINTS_OF_SERIES) }
}

/**
 * Series from which one figure is calculated, at a time at which all of them are known: if the last answers lack one,
 * without the points that are newer than its last one. It has newer points, because a series that has ended stays in
 * answers for longer than it is remembered.
 */
export function atCommonTime(series: readonly FieldSeries[]): readonly FieldSeries[] {
  if (!series.some((one) => one.isLacking)) return series
  const times = series.flatMap((one) => (one.isLacking ? (newestTime(one) ?? []) : []))
  return times.length === 0 ? series : upTo(series, Math.min(...times))
}

/** The series without points that are newer than this time. */
export function upTo(series: readonly FieldSeries[], t: number): readonly FieldSeries[] {
  return series.map((one) =>
    (newestTime(one) ?? t) <= t ? one : { ...one, points: one.points.filter((point) => point.t <= t) },
  )
}
