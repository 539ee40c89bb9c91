import type { Period } from '../../api/history/series.ts'
import { KEPT_SECONDS, MAX_RANGE_SECONDS, type PastReader } from '../../api/query/past_reader.ts'
import { ATTRIBUTES } from '../../catalogue.ts'
import { metricLines } from '../../history/openmetrics.ts'
import { QUERY_STEP_SECONDS } from '../../history/query_source.ts'
import type { HistorySeries } from '../../history/series.ts'
import { MEASUREMENTS, QUERY_ATTRIBUTES } from '../../query_catalogue.ts'
import type { Estimate } from './estimate.ts'

/** What one point of time of the query interface has, by bucket. */
export interface Sizes {
  readonly series: number
  readonly byBucket: readonly {
    readonly keptSeconds: number
    readonly series: number
    readonly bytes: number
  }[]
}

/** Families of figures that are kept for a few days only. */
const SHORT: ReadonlySet<string> = new Set([
  'sds_node_nic_interface_received_bytes_per_second',
  'sds_node_nic_interface_transmitted_bytes_per_second',
  ...QUERY_ATTRIBUTES.flatMap(({ name, source }) => {
    const isShort =
      source.kind === 'network' ||
      (source.measurement !== undefined && MEASUREMENTS[source.measurement].bucket === 'monitoring_op')
    return isShort
      ? ATTRIBUTES.filter((one) => one.name === name).map(({ historyFamily }) => historyFamily)
      : []
  }),
])

/** Sizes of series that were read. */
export function sizesOf(current: readonly HistorySeries[]): Sizes {
  const last = current.map((one) => ({ ...one, times: one.times.slice(-1), values: one.values.slice(-1) }))
  const byBucket = (['monitoring_op', 'monitoring_main'] as const).map((bucket) => {
    const own = last.filter(({ family }) => SHORT.has(family) === (bucket === 'monitoring_op'))
    const bytes = [...metricLines(own)].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    return { keptSeconds: KEPT_SECONDS[bucket] ?? 0, series: own.length, bytes }
  })
  return { series: current.length, byBucket }
}

/** Estimates periods in the order in which they are read. */
export function estimateQueries(
  reader: Pick<PastReader, 'requestsFor'>,
  { byBucket }: Sizes,
  nowSeconds: number,
): (period: Period) => Estimate {
  let readUntil: number | undefined
  return ({ start, end }) => {
    let [requests, samples, bytes] = [0, 0, 0]
    for (let from = start; from < end; from += MAX_RANGE_SECONDS) {
      const stop = Math.min(from + MAX_RANGE_SECONDS, end)
      requests += reader.requestsFor({ start: from, stop }, readUntil === from)
      readUntil = stop
    }
    for (const bucket of byBucket) {
      const seconds = Math.max(0, end - Math.max(start, nowSeconds - bucket.keptSeconds))
      const points = seconds / QUERY_STEP_SECONDS
      samples += points * bucket.series
      bytes += points * bucket.bytes
    }
    return { requests, samples: Math.ceil(samples), bytes: Math.ceil(bytes) }
  }
}
