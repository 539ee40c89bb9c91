import type { FeedReading } from '../../api/feed/feed.ts'
import type { NodeReading } from '../../api/feed/node_reading.ts'
import type { AttributeHistory, NodeHistory } from '../../api/history/node_history.ts'
import type { Period } from '../../api/history/series.ts'
import { ATTRIBUTES, type AttributeName } from '../../catalogue.ts'
import { pointLines } from '../../history/openmetrics.ts'
import type { Part } from '../../history/periods.ts'
import { historySeries } from '../../history/series.ts'
import type { HistorySource } from '../../history/source.ts'
import { labelText } from '../../metrics/lines.ts'

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

/** A source of history with what it will take to read it. */
export interface PlannedSource {
  readonly source: HistorySource
  /** Of a period within the gaps of the source; called in the order of the run. */
  readonly estimate: (period: Period) => Estimate
  /** What is read, in words. */
  readonly text: string
}

export function estimateRun(sources: readonly PlannedSource[], parts: readonly Part[]): Estimate {
  let [requests, samples, bytes] = [0, 0, 0]
  for (const { period } of parts) {
    for (const { source, estimate } of sources) {
      for (const gap of source.gaps ?? [period]) {
        const [start, end] = [Math.max(gap.start, period.start), Math.min(gap.end, period.end)]
        if (start >= end) continue
        const more = estimate({ ...period, start, end })
        requests += more.requests
        samples += more.samples
        bytes += more.bytes
      }
    }
  }
  return { requests, samples, bytes }
}

/** What a period of a pool takes if it has all attributes that are served now. */
export function estimatePool(
  { points: perRequest, estimate }: { readonly points: number; readonly estimate: SeriesEstimate },
  { start, end, interval }: Period,
): Estimate {
  const points = (end - start) / interval
  return {
    requests: Math.ceil(points / perRequest),
    samples: points * estimate.series,
    bytes: points * estimate.lineBytes,
  }
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
