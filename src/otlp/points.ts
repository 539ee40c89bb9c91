import { unitOf } from '../catalogue.ts'
import type { FamilySeries, Series } from '../metrics/exposition.ts'
import type { Family } from '../metrics/families.ts'
import { MS_PER_SECOND } from '../time_units.ts'

/** From the series of an exposition, which have no times, to points of OTLP, so that what is pushed is what a scrape has. */

/** Seconds and nanoseconds since the epoch. */
type Time = [number, number]

type Attributes = Readonly<Record<string, string>>

/** A point in the form of the OpenTelemetry packages. */
interface Point<Value> {
  readonly attributes: Attributes
  readonly startTime: Time
  readonly endTime: Time
  readonly value: Value
}

interface Histogram {
  readonly count: number
  /** Undefined: the family has no sum. */
  readonly sum?: number
  readonly buckets: { readonly boundaries: number[]; readonly counts: number[] }
}

interface Described {
  readonly name: string
  readonly help: string
  /** In UCUM; empty: none. */
  readonly unit: string
}

export type MetricPoints =
  | (Described & { readonly type: 'gauge' | 'counter'; readonly points: Point<number>[] })
  | (Described & { readonly type: 'histogram'; readonly points: Point<Histogram>[] })

/** Series with the time of their samples, in milliseconds since the epoch. */
interface TimedSeries extends FamilySeries {
  readonly timeMs: number
}

/**
 * Units that receivers for Prometheus have in the name already, so that they leave it as it is. To one per second they would
 * append another `_per_second`.
 */
const UCUM: Readonly<Record<Family['unit'], string>> = {
  bytes: 'By',
  bytes_per_second: '',
  ratio: '1',
  seconds: 's',
  '': '',
}

export function* timed(families: Iterable<FamilySeries>, timeMs: number): Generator<TimedSeries> {
  for (const one of families) yield { ...one, timeMs }
}

/**
 * Points in batches of at most so many series, or one histogram.
 * @param startMs since when counters count
 */
export function* pointBatches(
  sources: Iterable<TimedSeries>,
  { startMs, seriesOfBatch }: { readonly startMs: number; readonly seriesOfBatch: number },
): Generator<readonly MetricPoints[]> {
  const startTime = timeOf(startMs)
  let batch: MetricPoints[] = []
  let size = 0
  for (const { family, series, timeMs } of sources) {
    const times = { startTime, endTime: timeOf(timeMs) }
    const found = family.type === 'histogram' ? histograms(series, times) : numbers(series, times)
    for (const point of found) {
      pointsIn(batch, family).push(point)
      size += typeof point.value === 'number' ? 1 : point.value.buckets.counts.length
      if (size < seriesOfBatch) continue
      yield batch
      batch = []
      size = 0
    }
  }
  if (batch.length > 0) yield batch
}

/** The points of several parts are in one metric. */
function pointsIn(batch: MetricPoints[], { name, help, type }: TimedSeries['family']): unknown[] {
  const last = batch.at(-1)
  if (last?.name === name) return last.points
  const points: never[] = []
  batch.push({ name, help, type, unit: UCUM[unitOf(name)], points })
  return points
}

type Times = Pick<Point<number>, 'startTime' | 'endTime'>

function* numbers(series: Iterable<Series>, times: Times): Generator<Point<number>> {
  // The times first: V8 would otherwise allocate points in the old generation, and keep their texts until a full collection.
  for (const { labels, value } of series) yield { ...times, attributes: labels, value }
}

/** A histogram has its series one after another: the buckets, upwards, and the sum and the count if it has them. */
function* histograms(series: Iterable<Series>, times: Times): Generator<Point<Histogram>> {
  let last: { attributes: Attributes; count: number; sum?: number; buckets: Histogram['buckets'] } | undefined
  for (const { name, labels, value } of series) {
    const { le, ...attributes } = labels
    if (last === undefined || !isOf(attributes, last.attributes)) {
      if (last !== undefined) yield histogramPoint(last, times)
      last = { attributes, count: 0, buckets: { boundaries: [], counts: [] } }
    }
    if (le !== undefined) {
      if (le !== '+Inf') last.buckets.boundaries.push(Number(le))
      last.buckets.counts.push(value - last.count)
      last.count = value
      // The count that follows is that of the last bucket.
    } else if (name.endsWith('_sum')) last.sum = value
  }
  if (last !== undefined) yield histogramPoint(last, times)
}

function histogramPoint({ attributes, ...value }: Histogram & { attributes: Attributes }, times: Times) {
  return { ...times, attributes, value }
}

function isOf(labels: Attributes, expected: Attributes): boolean {
  const entries = Object.entries(labels)
  return (
    entries.length === Object.keys(expected).length &&
    entries.every(([name, value]) => expected[name] === value)
  )
}

const NANOSECONDS_PER_MS = 1e6

function timeOf(ms: number): Time {
  const seconds = Math.floor(ms / MS_PER_SECOND)
  return [seconds, Math.round((ms - seconds * MS_PER_SECOND) * NANOSECONDS_PER_MS)]
}
