import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ApiError } from '../api/errors/errors.ts'
import type { HistoryReading, Points } from '../api/history/history.ts'
import { labelText } from '../metrics/lines.ts'
import { MS_PER_SECOND } from '../time_units.ts'
import { familyHeaders, historySeries, pointLines } from './series.ts'

/** Samples of one series, in base units. */
interface RecentSeries extends Points {
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
  let bytes = 0

  function addSeries(family: string, text: string, times: readonly number[], values: readonly number[]) {
    const series = families.get(family) ?? new Map<string, RecentSeries>()
    families.set(family, series)
    const before = series.get(text)
    bytes += times.length * BYTES_PER_SAMPLE + (before === undefined ? text.length + BYTES_PER_SERIES : 0)
    const all = before === undefined ? times : [...before.times, ...times]
    const allValues = before === undefined ? values : [...before.values, ...values]
    series.set(text, { labels: text, times: all, values: allValues })
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

/**
 * The last samples of a system in the text format. Immutable; each reading creates a new one. The text is kept compressed
 * only, because it repeats the labels with each sample: uncompressed it takes twenty times as much.
 */
export type HistoryDocument = ReturnType<typeof createHistoryDocument>

/** @param start seconds since the epoch; earlier samples are left out */
export function createHistoryDocument(pools: readonly PoolSamples[], start: number) {
  let text: ReturnType<typeof pack> | undefined
  const make = () => {
    const made = pack(piecesOf(pools, start))
    // The next call tries again.
    made.catch(() => {
      text = undefined
    })
    return made
  }
  return {
    /** Made by the first call, in slices. */
    packed() {
      text ??= make()
      return text
    },
  }
}

/** Rendered at a time: about half a millisecond. */
const PIECE_CHARACTERS = 32_768
const FAMILY_HEADERS = familyHeaders('text')

/** Families in one block each, and within them the samples of each series together, in ascending order of time. */
function* piecesOf(pools: readonly PoolSamples[], start: number): Generator<string> {
  let text = ''
  for (const [family, header] of FAMILY_HEADERS) {
    let isBegun = false
    for (const { labels, times, values } of pools.flatMap(({ families }) => families.get(family) ?? [])) {
      const from = times.findIndex((time) => time >= start)
      if (from === -1) continue
      if (!isBegun) text += header
      isBegun = true
      const ms = times.slice(from).map((time) => Math.round(time * MS_PER_SECOND))
      text += pointLines(family, labels, ms, values.slice(from))
      if (text.length < PIECE_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield text
}

/**
 * Compresses one piece after the other outside the event loop, which serves other requests meanwhile.
 * @returns one gzip member, and the length of the text that it contains
 */
async function pack(pieces: Iterable<string>) {
  let bytes = 0
  function* buffers(): Generator<Buffer> {
    for (const piece of pieces) {
      const text = Buffer.from(piece)
      bytes += text.length
      yield text
    }
  }
  const gzip = createGzip()
  // One piece at a time: with more, they would be rendered one after the other without a pause.
  const source = Readable.from(buffers(), { highWaterMark: 1 })
  const [packed] = await Promise.all([buffer(gzip), pipeline(source, gzip)])
  return { gzip: packed, bytes }
}
