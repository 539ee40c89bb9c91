import { ApiError } from '../../api/errors/errors.ts'
import type { HistoryReading } from '../../api/history/history.ts'
import type { Points } from '../../api/history/series.ts'
import { labelText } from '../../metrics/lines.ts'
import { historySeries } from '../series.ts'

/** Samples of one series, in base units. Series with the same times share the list. */
export interface RecentSeries extends Points {
  /** In exposition format. */
  readonly labels: string
}

/** The last samples of one pool, by name of the family. */
export interface PoolSamples {
  readonly families: ReadonlyMap<string, readonly RecentSeries[]>
  /** Upper bound of the memory that they take. */
  readonly bytes: number
}

/** A time and a value of 8 bytes each. */
const BYTES_PER_SAMPLE = 16
/** The objects of a series, besides its samples and its labels. */
const BYTES_PER_SERIES = 150

/**
 * @param maxBytes limit of {@link PoolSamples.bytes}
 * @param interval seconds; of the samples of a series in one interval, the first one is kept
 */
export function createCollection(
  labels: { readonly system: string; readonly pool: string },
  maxBytes: number,
  interval: number,
) {
  const families = new Map<string, Map<string, RecentSeries>>()
  const share = createSharing()
  let bytes = 0

  function addSeries(family: string, text: string, times: readonly number[], values: readonly number[]) {
    const series = families.get(family) ?? new Map<string, RecentSeries>()
    families.set(family, series)
    const before = series.get(text)
    bytes += times.length * BYTES_PER_SAMPLE + (before === undefined ? text.length + BYTES_PER_SERIES : 0)
    const all = before === undefined ? times : [...before.times, ...times]
    const allValues = before === undefined ? values : [...before.values, ...values]
    series.set(text, { labels: text, times: share(all), values: allValues })
  }

  return {
    /**
     * Adds the window that follows the one before.
     * @throws {ApiError} `too_large` when the samples take more memory than allowed
     */
    add(reading: Pick<HistoryReading, 'nodes'>): void {
      for (const { family, labels: own, ...all } of historySeries(reading, labels)) {
        const { times, values } = thinned(all, interval)
        addSeries(family, labelText(own), times, values)
        if (bytes > maxBytes) throw tooManySamples(maxBytes)
      }
    },
    samples: (): PoolSamples => ({
      families: new Map([...families].map(([family, series]) => [family, [...series.values()]])),
      bytes,
    }),
  }
}

/** The first point of each interval: a system may serve more than was requested. */
function thinned(points: Points, interval: number): Points {
  const { times } = points
  const isFirst = (index: number) =>
    Math.floor((times[index] ?? 0) / interval) !== Math.floor((times[index - 1] ?? -interval) / interval)
  if (times.every((_, index) => isFirst(index))) return points
  const ofFirst = (list: readonly number[]) => list.filter((_, index) => isFirst(index))
  return { times: ofFirst(times), values: ofFirst(points.values) }
}

function tooManySamples(maxBytes: number): ApiError {
  return new ApiError(
    'too_large',
    `the samples of the history take more than the ${maxBytes} bytes that limits.max_response_bytes leaves for them: ` +
      'shorten history.window, or increase it',
  )
}

/** Lists that are compared with a new one. Nearly all series of a response have the same times. */
const COMPARED = 8

/** Replaces a list by an earlier one with the same elements. */
function createSharing(): (times: readonly number[]) => readonly number[] {
  const known: (readonly number[])[] = []
  return (times) => {
    const same = known.find((one) => isSame(one, times))
    if (same !== undefined) return same
    if (known.length === COMPARED) known.shift()
    known.push(times)
    return times
  }
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length || one[0] !== other[0]) return false
  return one.every((time, index) => time === other[index])
}
