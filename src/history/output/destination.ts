import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { END } from '../../metrics/lines.ts'
import { familyHeaders, type HistorySeries, metricLines } from '../series.ts'
import { createFolder } from './create_folder.ts'

/** Name and labels of a series, or of a histogram, with the bytes of its lines in its file. */
export type SpooledSeries = readonly [family: string, labels: string, bytes: number]

/** Where samples go. */
export interface Destination {
  /** Takes the series of one window, whole or not at all. */
  write(series: Iterable<HistorySeries>, signal: AbortSignal): Promise<void>
  /** Whether {@link save} is due. */
  readonly isFull: boolean
  /** After it, what was written survives the end of the process. The result describes it for a later process. */
  save(): Promise<readonly SpooledSeries[]>
  /** Makes the result. What was saved stays until {@link discard}. */
  finish(): Promise<void>
  /** Removes what was saved. */
  discard(): Promise<void>
}

interface Lines {
  readonly family: string
  readonly labels: string
  readonly file: string
  /** Bytes in the file. Later ones are the rest of an interrupted save, or of an earlier run. */
  bytes: number
  /** Not yet in the file. */
  chunks: Buffer[]
}

/** Half of the memory that a run may take, besides the program and the response in work. */
const MAX_MEMORY_BYTES = 32 * 1024 ** 2
/** Files are written in parallel, but not all at once. */
const PARALLEL_FILES = 16

/**
 * Collects samples in the order of time and writes them as an OpenMetrics text: families in one block each, and within
 * them the lines of each series together. Lines are kept in memory up to a limit, then in one file for each series: memory
 * depends on the number of series, not on the length of the history.
 * @param target the OpenMetrics file, which appears as a whole or not at all
 * @param folder for the files of the series
 * @param saved the series that an earlier process has saved in the folder
 * @throws {Error} if a saved file is missing or shorter than it was
 */
export async function openFileDestination(
  target: string,
  folder: string,
  saved: readonly SpooledSeries[],
): Promise<Destination> {
  const all = new Map<string, Lines>()
  let memoryBytes = 0

  function add(family: string, labels: string, bytes: number): Lines {
    const lines = { family, labels, file: join(folder, `${all.size}.om`), bytes, chunks: [] }
    all.set(`${family}{${labels}`, lines)
    return lines
  }

  for (const [family, labels, bytes] of saved) {
    const { file } = add(family, labels, bytes)
    if (bytes > 0 && (await stat(file)).size < bytes)
      throw new Error(`${file} is damaged: it has not what was saved in it; begin anew with --force`)
  }
  return {
    async write(series) {
      for (const { family, labels, text } of metricLines(series)) {
        const lines = all.get(`${family}{${labels}`) ?? add(family, labels, 0)
        const chunk = Buffer.from(text)
        lines.chunks.push(chunk)
        memoryBytes += chunk.length
      }
    },
    get isFull() {
      return memoryBytes > MAX_MEMORY_BYTES
    },
    /** After a failure, what is not in a file is still in memory, for the next call. */
    async save() {
      createFolder(folder)
      const changed = [...all.values()].filter(({ chunks }) => chunks.length > 0)
      for (let start = 0; start < changed.length; start += PARALLEL_FILES) {
        const saves = changed.slice(start, start + PARALLEL_FILES).map(async (lines) => {
          const bytes = await saveOne(lines)
          memoryBytes -= bytes
        })
        // All have ended before a failure is thrown, so that the next call does not write the same files at the same time.
        await Promise.allSettled(saves)
        await Promise.all(saves)
      }
      return [...all.values()].map(({ family, labels, bytes }) => [family, labels, bytes] as const)
    },
    finish: () => writeTo(target, textOf([...all.values()])),
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Moves lines from memory into their file. @returns bytes */
async function saveOne(lines: Lines): Promise<number> {
  const data = Buffer.concat(lines.chunks)
  await using file = await open(lines.file, 'a')
  await file.truncate(lines.bytes)
  await file.appendFile(data)
  lines.bytes += data.length
  lines.chunks = []
  return data.length
}

const FAMILY_HEADERS = familyHeaders('openmetrics')

/** The whole OpenMetrics text, in pieces. */
async function* textOf(all: readonly Lines[]): AsyncGenerator<Buffer | string> {
  const byFamily = Map.groupBy(all, ({ family }) => family)
  for (const [family, header] of FAMILY_HEADERS) {
    const ofFamily = byFamily.get(family) ?? []
    if (ofFamily.length > 0) yield header
    for (const lines of ofFamily) yield* linesOf(lines)
  }
  yield END.openmetrics
}

async function* linesOf({ file, bytes, chunks }: Lines): AsyncGenerator<Buffer> {
  if (bytes > 0) yield* createReadStream(file, { end: bytes - 1 })
  yield* chunks
}

/** The highest number of bytes that are collected before they are written. */
const WRITE_BYTES = 256 * 1024

async function writeTo(file: string, text: AsyncIterable<Buffer | string>): Promise<void> {
  const unfinished = `${file}.unfinished`
  await pipeline(joined(text), createWriteStream(unfinished))
  await rename(unfinished, file)
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
