import { createReadStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OPENMETRICS_END } from '../../metrics/lines.ts'
import { FAMILY_HEADERS, metricLines } from '../openmetrics.ts'
import type { HistorySeries } from '../series.ts'
import { createFolder } from './create_folder.ts'

/** Name and labels of a series, or of a histogram, with the bytes of its lines in its file. */
export type SpooledSeries = readonly [family: string, labels: string, bytes: number]

/**
 * Collects samples in the order of time and returns them in the order of OpenMetrics: families in one block each, and
 * within them the lines of each series together. Lines are kept in memory up to a limit, then in one file for each
 * series: memory depends on the number of series, not on the length of the history.
 */
export type Spool = Awaited<ReturnType<typeof openSpool>>

interface Lines {
  readonly family: string
  readonly labels: string
  readonly file: string
  /** Bytes in the file. Later ones are the rest of an interrupted save, or of an earlier part. */
  bytes: number
  /** Not yet in the file. */
  chunks: Buffer[]
}

/** Half of the memory that a run may take, besides the program and the response in work. */
const MAX_MEMORY_BYTES = 32 * 1024 ** 2
/** Files are written in parallel, but not all at once. */
const PARALLEL_FILES = 16

/**
 * @param saved the series that an earlier run has saved in the folder
 * @throws {Error} if a saved file is missing or shorter than it was
 */
export async function openSpool(folder: string, saved: readonly SpooledSeries[] = []) {
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
    add(series: Iterable<HistorySeries>): void {
      for (const { family, labels, text } of metricLines(series)) {
        const lines = all.get(`${family}{${labels}`) ?? add(family, labels, 0)
        const chunk = Buffer.from(text)
        lines.chunks.push(chunk)
        memoryBytes += chunk.length
      }
    },
    get isEmpty(): boolean {
      return all.size === 0
    },
    get isFull(): boolean {
      return memoryBytes > MAX_MEMORY_BYTES
    },
    /**
     * Moves everything from memory into files. The result describes them for {@link openSpool}. After a failure, what is not
     * in a file is still in memory, for the next call.
     */
    async save(): Promise<readonly SpooledSeries[]> {
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
    /**
     * The whole OpenMetrics text, in pieces.
     * @param isOrdered whether the lines of each series were added in the order of their times; else they are sorted
     */
    async *text(isOrdered = true): AsyncGenerator<Buffer | string> {
      const byFamily = Map.groupBy(all.values(), ({ family }) => family)
      for (const [family, header] of FAMILY_HEADERS.openmetrics) {
        const ofFamily = byFamily.get(family) ?? []
        if (ofFamily.length > 0) yield header
        for (const lines of ofFamily) {
          if (isOrdered) yield* linesOf(lines)
          else yield sortedByTime(await text(linesOf(lines)))
        }
      }
      yield OPENMETRICS_END
    },
    remove: (): Promise<void> => rm(folder, { recursive: true, force: true }),
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

async function* linesOf({ file, bytes, chunks }: Lines): AsyncGenerator<Buffer> {
  if (bytes > 0) yield* createReadStream(file, { end: bytes - 1 })
  yield* chunks
}

/** The lines of one series, or of one histogram: the sort is stable, so the buckets of a time keep their order. */
function sortedByTime(text: string): string {
  const lines = text.split('\n').slice(0, -1)
  const times = new Map(lines.map((line) => [line, Number(line.slice(line.lastIndexOf(' ') + 1))]))
  const sorted = lines.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0))
  return sorted.map((line) => `${line}\n`).join('')
}
