import { createWriteStream } from 'node:fs'
import { rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../../values/errors.ts'
import type { BackfillPart } from '../periods.ts'
import type { HistorySeries } from '../series.ts'
import { openSpool, type Spool, type SpooledSeries } from './spool.ts'

/** Where samples go. */
export interface Destination {
  /** @param saved what an earlier run has saved of this part */
  begin(part: BackfillPart, saved: readonly SpooledSeries[]): Promise<void>
  /** Takes the series of one window, whole or not at all. */
  write(series: Iterable<HistorySeries>, signal: AbortSignal): Promise<void>
  /** Whether {@link save} is due. */
  readonly isFull: boolean
  /** After it, what was written survives the end of the process. */
  save(): Promise<readonly SpooledSeries[]>
  /**
   * Makes the result of the part. What was saved stays until {@link discard}.
   * @param isOrdered whether the samples of each series were written in the order of their times
   */
  finish(part: BackfillPart, isOrdered: boolean): Promise<void>
  /** Removes what was saved of a part that is complete and recorded as such. */
  discard(): Promise<void>
}

interface FileDestinationOptions {
  /** The OpenMetrics file of a part, or a stream that stays open. */
  readonly target: (part: BackfillPart) => string | Writable
  /** The folder for samples that are not yet in order, with one folder for each part that is not complete. */
  readonly spoolFolder: string
  /** Whether a part without samples has no file. */
  readonly skipEmpty: boolean
}

/** Writes each part as an OpenMetrics text, which appears as a whole or not at all. */
export function createFileDestination({
  target,
  spoolFolder,
  skipEmpty,
}: FileDestinationOptions): Destination {
  let spool: Spool | undefined
  const opened = (): Spool => {
    if (spool === undefined) throw new Error('no part has begun')
    return spool
  }
  return {
    async begin({ name }, saved) {
      spool = await openSpool(join(spoolFolder, name), saved)
    },
    async write(series) {
      opened().add(series)
    },
    get isFull() {
      return opened().isFull
    },
    save: () => opened().save(),
    async finish(part, isOrdered) {
      if (!(skipEmpty && opened().isEmpty)) await writeTo(target(part), opened().text(isOrdered))
    },
    async discard() {
      await spool?.remove()
      spool = undefined
      await rmdir(spoolFolder).catch(() => undefined)
    },
  }
}

/** The highest number of bytes that are collected before they are written. */
const WRITE_BYTES = 256 * 1024

async function writeTo(target: string | Writable, text: AsyncIterable<Buffer | string>): Promise<void> {
  const source = Readable.from(joined(text), { objectMode: false, highWaterMark: WRITE_BYTES })
  if (typeof target !== 'string') return await toStream(source, target)
  const unfinished = `${target}.unfinished`
  await pipeline(source, createWriteStream(unfinished))
  await rename(unfinished, target)
}

async function toStream(source: Readable, target: Writable): Promise<void> {
  try {
    await pipeline(source, target, { end: false })
  } catch (failure) {
    // The reader has read enough, as in `sds-exporter backfill … | head`.
    if (errorCode(failure) !== 'EPIPE') throw failure
  }
}

/** Joins small pieces, because each of them costs a turn of the event loop. */
async function* joined(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < WRITE_BYTES) continue
    yield Buffer.concat(chunks, bytes)
    chunks = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(chunks, bytes)
}
