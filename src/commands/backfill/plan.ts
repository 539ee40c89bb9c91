import type { NodeReading } from '../../api/feed/feed.ts'
import type { AttributeHistory, NodeHistory } from '../../api/history/history.ts'
import type { Period } from '../../api/history/series.ts'
import { ATTRIBUTES, type AttributeName } from '../../catalogue.ts'
import type { PerformanceSource } from '../../config/sections.ts'
import { metricLines } from '../../history/openmetrics.ts'
import type { BackfillPart } from '../../history/periods.ts'
import type { RunSettings } from '../../history/run/journal.ts'
import type { HistorySeries } from '../../history/series.ts'
import { type HistorySource, periodsWithin } from '../../history/sources/source.ts'

export interface PlanOptions {
  /** Source of the history: `auto` is the dashboard API, and the Flux API for what it lacks. */
  readonly source: PerformanceSource
  readonly period: Period
  readonly labels: Readonly<Record<string, string>>
  readonly nowSeconds: number
  /** The settings of the run that is continued. */
  readonly earlier: RunSettings | undefined
  readonly signal: AbortSignal
}

/** Plan of some sources. */
export interface Plan {
  readonly sources: readonly PlannedSource[]
  /** One line for each limit: what has no past, and why. */
  readonly report: readonly string[]
  /** Names of data that is not written, although the systems may have it. */
  readonly without: readonly string[]
}

/** A source of history with what it will take to read it. */
export interface PlannedSource {
  readonly source: HistorySource
  /** Size of one point of time, by its current values. */
  readonly size: PointSize
  /** Description of what is read. */
  readonly text: string
  /** Names of queries that the system refuses, although it answers others. */
  readonly refused: readonly string[]
}

interface PointSize extends ReturnType<typeof sizeOf> {
  /** Between two points; undefined: the interval of the run. */
  readonly stepSeconds?: number
}

/** The size of the last point of each of these series, in bytes of the OpenMetrics lines. */
export function sizeOf(series: readonly HistorySeries[]) {
  const last = series.map((one) => ({ ...one, times: one.times.slice(-1), values: one.values.slice(-1) }))
  const bytes = [...metricLines(last)].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return { series: series.length, bytes }
}

/** Upper bounds of a run: the system may keep less. */
export function estimateRun(sources: readonly PlannedSource[], parts: readonly BackfillPart[]) {
  let [requests, samples, bytes] = [0, 0, 0]
  for (const { source, size } of sources) {
    const count = source.counter()
    for (const period of parts.flatMap((part) => periodsWithin(source, part.period))) {
      requests += Math.ceil(count(period))
      const points = (period.end - period.start) / (size.stepSeconds ?? period.interval)
      samples += points * size.series
      bytes += points * size.bytes
    }
  }
  return { requests, samples: Math.ceil(samples), bytes: Math.ceil(bytes) }
}

/** The current values of a node, as a history with one point of each attribute. */
export function asHistory({ id, name, poolName, values, errors }: NodeReading): NodeHistory {
  const attributes = new Map<AttributeName, AttributeHistory>()
  for (const { name: attribute, unit, currentOnly } of ATTRIBUTES) {
    const snapshot = values.get(attribute)
    if (snapshot === undefined || currentOnly) continue
    attributes.set(attribute, { series: pointOf(snapshot), unit: snapshot.unit ?? unit })
  }
  const types = (errors?.types ?? []).map(({ category, errorType, rate = { t: 0, value: 0 } }) => ({
    category,
    errorType,
    rate: pointOf(rate),
  }))
  const all = errors?.all && pointOf(errors.all)
  return { id, name, poolName, attributes, errors: { all, types } }
}

function pointOf({ t, value }: { readonly t: number; readonly value: number }) {
  return { times: [t], values: [value] }
}
