import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { FAMILY_SEPARATOR } from '../../metrics/exposition.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import { FAMILY_HEADERS, pointLines } from '../openmetrics.ts'
import type { PoolSamples } from './collection.ts'

/**
 * The exposition of the last samples of a system. Immutable; each reading creates a new one. The texts are kept
 * compressed only, because they repeat the labels with each sample: uncompressed they take twenty times as much.
 */
export type HistoryDocument = ReturnType<typeof createHistoryDocument>

/** @param start seconds since the epoch; earlier samples are left out */
export function createHistoryDocument(pools: readonly PoolSamples[], start: number) {
  const texts = new Map<Format, ReturnType<typeof pack>>()
  const make = (format: Format) => {
    const text = pack(piecesOf(pools, start, format))
    // The next call tries again.
    text.catch(() => texts.delete(format))
    texts.set(format, text)
    return text
  }
  return {
    /** Made by the first call for a format, in slices. */
    packed: (format: Format) => texts.get(format) ?? make(format),
    /** The formats requested so far. */
    get requestedFormats(): ReadonlySet<Format> {
      return new Set(texts.keys())
    },
  }
}

/** Rendered at a time: about half a millisecond. */
const PIECE_CHARACTERS = 32_768

/** Families in one block each, and within them the samples of each series together, in ascending order of time. */
function* piecesOf(pools: readonly PoolSamples[], start: number, format: Format): Generator<string> {
  let text = ''
  let separator = ''
  for (const [family, header] of FAMILY_HEADERS[format]) {
    let isBegun = false
    for (const { labels, times, values } of pools.flatMap(({ families }) => families.get(family) ?? [])) {
      const from = times.findIndex((time) => time >= start)
      if (from === -1) continue
      if (!isBegun) text += `${separator}${header}`
      isBegun = true
      separator = FAMILY_SEPARATOR[format]
      text += pointLines(family, labels, times, values, { format, from })
      if (text.length < PIECE_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield format === 'openmetrics' ? `${text}${OPENMETRICS_END}` : text
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
