import { HISTORY_FAMILIES } from '../catalogue.ts'
import { feedFamily } from '../metrics/families.ts'
import { type Format, familyHeader, labelText } from '../metrics/lines.ts'
import { MS_PER_SECOND } from '../time_units.ts'
import type { HistorySeries } from './series.ts'

const headersIn = (format: Format): ReadonlyMap<string, string> =>
  new Map(
    HISTORY_FAMILIES.map((family) => [
      family.type === 'histogram' ? `${family.name}_bucket` : family.name,
      familyHeader(feedFamily(family), format),
    ]),
  )

/** Headers of the families of a history by the name of their samples, in the order of the output. */
export const FAMILY_HEADERS: Readonly<Record<Format, ReadonlyMap<string, string>>> = {
  text: headersIn('text'),
  openmetrics: headersIn('openmetrics'),
}

/** The lines of one metric, with its labels in exposition format, those of a histogram without `le`. */
type MetricLines = Readonly<Record<'family' | 'labels' | 'text', string>>

/**
 * The lines of series. Buckets of a histogram, which follow each other, become one metric: OpenMetrics wants all buckets
 * of a time together.
 */
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

/**
 * The sample lines of one series, from the sample at index `from` on.
 * Timestamps are in seconds in OpenMetrics, and in milliseconds in the text format.
 * @param times seconds since the epoch
 */
export function pointLines(
  family: string,
  labels: string,
  times: readonly number[],
  values: readonly number[],
  { format = 'openmetrics', from = 0 }: { format?: Format; from?: number } = {},
): string {
  const series = `${family}{${labels}} `
  let lines = ''
  for (let index = from; index < times.length; index += 1) {
    const seconds = times[index] ?? 0
    const time = format === 'text' ? Math.round(seconds * MS_PER_SECOND) : seconds
    lines += `${series}${values[index]} ${time}\n`
  }
  return lines
}
