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
  count: number
  /** Undefined: the family has no sum. */
  sum?: number
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
interface TimedSeries {
  readonly families: Iterable<FamilySeries>
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

/**
 * Points in batches of at most so many series, or one histogram.
 * @param startMs since when counters count
 */
export function* pointBatches(
  sources: readonly TimedSeries[],
  { startMs, seriesOfBatch }: { readonly startMs: number; readonly seriesOfBatch: number },
): Generator<readonly MetricPoints[]> {
  const startTime = timeOf(startMs)
  let batch = new Map<string, MetricPoints>()
  let size = 0
  for (const { family, series, timeMs } of timedFamilies(sources)) {
    const times = { startTime, endTime: timeOf(timeMs) }
    const found = family.type === 'histogram' ? histograms(series, times) : numbers(series, times)
    for (const point of found) {
      pointsIn(batch, family).push(point)
      size += typeof point.value === 'number' ? 1 : point.value.buckets.counts.length
      if (size < seriesOfBatch) continue
      yield [...batch.values()]
      batch = new Map()
      size = 0
    }
  }
  if (size > 0) yield [...batch.values()]
}

function* timedFamilies(sources: readonly TimedSeries[]) {
  for (const { families, timeMs } of sources) for (const one of families) yield { ...one, timeMs }
}

/** The points of several parts are in one metric. */
function pointsIn(batch: Map<string, MetricPoints>, { name, help, type }: FamilySeries['family']): unknown[] {
  const known = batch.get(name)
  if (known !== undefined) return known.points
  const points: never[] = []
  batch.set(name, { name, help, type, unit: UCUM[unitOf(name)], points })
  return points
}

type Times = Pick<Point<number>, 'startTime' | 'endTime'>

function numbers(series: readonly Series[], times: Times): Point<number>[] {
  // V8 would allocate object literals without a spread in the old generation, and keep them until a full collection.
  return series.map(({ labels, value }) => ({ ...times, attributes: labels, value }))
}

/** A histogram has its series one after another: the buckets, upwards, and the sum and the count if it has them. */
function histograms(series: readonly Series[], times: Times): Point<Histogram>[] {
  const points: Point<Histogram>[] = []
  for (const { name, labels, value } of series) {
    const { le, ...attributes } = labels
    let last = points.at(-1)
    if (last === undefined || !isOf(attributes, last.attributes)) {
      last = { ...times, attributes, value: { count: 0, buckets: { boundaries: [], counts: [] } } }
      points.push(last)
    }
    const { value: histogram } = last
    if (le !== undefined) {
      if (le !== '+Inf') histogram.buckets.boundaries.push(Number(le))
      histogram.buckets.counts.push(value - histogram.count)
      histogram.count = value
      // The count that follows is that of the last bucket.
    } else if (name.endsWith('_sum')) histogram.sum = value
  }
  return points
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
