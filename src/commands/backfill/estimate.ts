import type { FeedReading } from '../../api/feed/feed.ts'
import type { NodeReading } from '../../api/feed/node_reading.ts'
import type { AttributeHistory, NodeHistory } from '../../api/history/node_history.ts'
import { ATTRIBUTES, type AttributeName } from '../../catalogue.ts'
import type { BackfillPool } from '../../history/backfill.ts'
import { pointLines } from '../../history/openmetrics.ts'
import type { Part } from '../../history/periods.ts'
import { historySeries } from '../../history/series.ts'
import { labelText } from '../../metrics/exposition.ts'

/** What one point of time of a pool has, by its current values. */
export interface SeriesEstimate {
  readonly series: number
  /** Bytes of the OpenMetrics lines. */
  readonly lineBytes: number
}

/** What a run will take at most: the system may remember less. */
export interface Estimate {
  readonly requests: number
  readonly samples: number
  readonly bytes: number
}

/** Counts the series that the history of a pool will have if it has all attributes that are served now. */
export function expectedSeries(
  reading: FeedReading,
  labels: { readonly system: string; readonly pool: string },
  more: Readonly<Record<string, string>>,
): SeriesEstimate {
  const series = [...historySeries({ nodes: reading.nodes.map(asHistory) }, labels, more)]
  const lengths = series.map(({ family, labels: own, times, values }) =>
    Buffer.byteLength(pointLines(family, labelText(own), times, values)),
  )
  return { series: series.length, lineBytes: lengths.reduce((sum, length) => sum + length, 0) }
}

export function estimateRun(
  pools: readonly (BackfillPool & { readonly estimate: SeriesEstimate })[],
  parts: readonly Part[],
): Estimate {
  let [requests, samples, bytes] = [0, 0, 0]
  for (const { period } of parts) {
    for (const pool of pools) {
      for (const gap of pool.gaps ?? [period]) {
        const seconds = Math.min(gap.end, period.end) - Math.max(gap.start, period.start)
        const points = Math.max(0, seconds) / period.interval
        requests += Math.ceil(points / pool.points)
        samples += points * pool.estimate.series
        bytes += points * pool.estimate.lineBytes
      }
    }
  }
  return { requests, samples, bytes }
}

/** The current values of a node, as a history with one point of each attribute. */
function asHistory({ id, name, poolName, values, errors }: NodeReading): NodeHistory {
  const attributes = new Map<AttributeName, AttributeHistory>()
  for (const { name: attribute, unit, currentOnly } of ATTRIBUTES) {
    const snapshot = values.get(attribute)
    if (snapshot === undefined || currentOnly) continue
    const series = { times: [snapshot.t], values: [snapshot.value] }
    attributes.set(attribute, { series, unit: snapshot.unit ?? unit })
  }
  const one = (t: number, value: number) => ({ times: [t], values: [value] })
  const all = errors?.all && one(errors.all.t, errors.all.value)
  const types = (errors?.types ?? []).map(({ category, errorType, rate }) => ({
    category,
    errorType,
    rate: one(rate?.t ?? 0, rate?.value ?? 0),
  }))
  return { id, name, poolName, attributes, summaries: new Map(), errors: { all, types } }
}
