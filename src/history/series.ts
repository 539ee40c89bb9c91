import type { HistoryReading, NodeHistory, Points } from '../api/history/history.ts'
import { ATTRIBUTES, HISTORY_FAMILIES, type Labels } from '../catalogue.ts'
import { feedFamily, sampleName } from '../metrics/families.ts'
import { type Format, familyHeader, labelText } from '../metrics/lines.ts'
import { type PoolLabels, uniqueNames } from '../metrics/samples.ts'

/** Points of one series in base units. */
export interface HistorySeries extends Points {
  /** Name of the samples. */
  readonly family: string
  readonly labels: Labels
}

/**
 * The series of a pool from its dashboard API, with the names and labels of `/metrics`. Where history and current value
 * differ in meaning, the name is another one.
 * @param more labels to add, such as `job`
 */
export function* historySeries(
  { nodes }: Pick<HistoryReading, 'nodes'>,
  { system, pool }: Pick<PoolLabels, 'system' | 'pool'>,
  more: Readonly<Record<string, string>> = {},
): Generator<HistorySeries> {
  const names = uniqueNames(nodes)
  for (const [index, node] of nodes.entries()) {
    yield* seriesOf(node, { system, pool, node: names[index] ?? node.id, ...more })
  }
}

function* seriesOf(node: NodeHistory, base: Labels): Generator<HistorySeries> {
  for (const { name, historyFamily: family, labels } of ATTRIBUTES) {
    const history = node.attributes.get(name)
    if (history !== undefined) yield { family, labels: { ...base, ...labels }, ...history.series }
  }
  const { all, types } = node.errors
  if (all !== undefined) yield { family: 'sds_node_transaction_errors_ratio', labels: base, ...all }
  for (const { category, errorType, rate } of types) {
    const labels = { ...base, category, error_type: errorType }
    yield { family: 'sds_node_transaction_errors_by_type_ratio', labels, ...rate }
  }
}

/** Headers of the families of a history by the name of their samples, in the order of the output. */
export function familyHeaders(format: Format): ReadonlyMap<string, string> {
  return new Map(
    HISTORY_FAMILIES.map((family) => [sampleName(family), familyHeader(feedFamily(family), format)]),
  )
}

/** The lines of one metric, with its labels in exposition format, those of a histogram without `le`. */
type MetricLines = Readonly<Record<'family' | 'labels' | 'text', string>>

/** The lines of series. OpenMetrics wants all buckets of a histogram of one time together. */
export function* metricLines(all: Iterable<HistorySeries>): Generator<MetricLines> {
  let [key, buckets] = ['', [] as HistorySeries[]]
  for (const series of all) {
    const { le, ...labels } = series.labels
    const text = labelText(le === undefined ? series.labels : labels)
    if (buckets.length > 0 && (le === undefined || text !== key)) {
      yield histogramLines(key, buckets)
      buckets = []
    }
    if (le !== undefined) {
      key = text
      buckets.push(series)
      continue
    }
    const { family, times, values } = series
    yield { family, labels: text, text: pointLines(family, text, times, values) }
  }
  if (buckets.length > 0) yield histogramLines(key, buckets)
}

function histogramLines(labels: string, buckets: readonly HistorySeries[]): MetricLines {
  const all = buckets.map(({ family, labels: own, times, values }) => {
    return { begin: `${family}{${labelText(own)}} `, times, values, next: 0 }
  })
  const timeOf = ({ times, next }: (typeof all)[number]) => times[next] ?? Number.POSITIVE_INFINITY
  let text = ''
  for (let t = Math.min(...all.map(timeOf)); Number.isFinite(t); t = Math.min(...all.map(timeOf)))
    for (const one of all)
      for (; timeOf(one) === t; one.next += 1) text += `${one.begin}${one.values[one.next]} ${t}\n`
  return { family: buckets[0]?.family ?? '', labels, text }
}

/** The sample lines of one series. @param times in the unit of the format: seconds in OpenMetrics, else milliseconds */
export function pointLines(
  family: string,
  labels: string,
  times: readonly number[],
  values: readonly number[],
): string {
  const series = `${family}{${labels}} `
  let lines = ''
  for (const [index, time] of times.entries()) lines += `${series}${values[index]} ${time}\n`
  return lines
}
