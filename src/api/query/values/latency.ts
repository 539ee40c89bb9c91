import { LATENCY_TOTAL } from '../../../query_catalogue.ts'
import { MS_PER_SECOND } from '../../../time_units.ts'
import type { FieldSeries } from '../answers/answer.ts'
import { newestPoint } from '../answers/rates.ts'

/** Latencies of the requests of one node since the start of the process. The sum is not served. */
export interface LatencyHistogram {
  readonly t: number
  readonly buckets: readonly Readonly<ReturnType<typeof bucketOf>>[]
}

/** The bounds that at least half of the histograms have: a histogram without one of them is unusable. */
export function commonBounds(histograms: readonly (readonly FieldSeries[])[]): ReadonlySet<string> {
  const uses = new Map<string, number>()
  for (const series of histograms) for (const { field } of series) uses.set(field, (uses.get(field) ?? 0) + 1)
  const isCommon = ([bound, count]: [string, number]) =>
    bound === LATENCY_TOTAL || count >= histograms.length / 2
  return new Set([LATENCY_TOTAL, ...[...uses].filter(isCommon).map(([bound]) => bound)])
}

/**
 * The histogram of one node and operation, from one series for each bound; undefined if a bound is missing, if the
 * points are of different times, or if counts decrease with growing bounds.
 */
export function latencyHistogram(
  series: readonly FieldSeries[],
  common: ReadonlySet<string>,
): LatencyHistogram | undefined {
  const fields = new Set(series.map(({ field }) => field))
  // Two series for a bound are of two processes, whose points are of different times.
  if (fields.size !== series.length || [...common].some((bound) => !fields.has(bound))) return undefined
  const t = newestPoint(series.find(({ field }) => field === LATENCY_TOTAL) ?? NO_SERIES)?.t
  const buckets = series.map((one) => bucketOf(one, t)).toSorted((a, b) => (a.seconds < b.seconds ? -1 : 1))
  const isGrowing = buckets.every(({ count }, index) => count >= (buckets[index - 1]?.count ?? 0))
  return t === undefined || !isGrowing ? undefined : { t, buckets }
}

const NO_SERIES: FieldSeries = { measurement: '', field: '', tags: new Map(), points: [] }

/** A count that is not of this time, or a bound that is no number, makes the histogram invalid. */
function bucketOf(series: FieldSeries, t: number | undefined) {
  const point = newestPoint(series)
  /** Upper bound; infinite for the last bucket. */
  const seconds =
    series.field === LATENCY_TOTAL ? Number.POSITIVE_INFINITY : Number(series.field) / MS_PER_SECOND
  const isUsable = point !== undefined && point.t === t && seconds >= 0
  return { seconds, /** Requests up to the bound. */ count: isUsable ? point.value : Number.NaN }
}
