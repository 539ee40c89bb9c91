import { createReadStream } from 'node:fs'
import { appendFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { OPENMETRICS_END } from '../metrics/exposition.ts'
import { createFolder } from './create_folder.ts'
import { FAMILY_HEADERS, metricLines } from './openmetrics.ts'
import type { HistorySeries } from './series.ts'

/** Name and labels of a series, or of a histogram, with the bytes of its lines that are in its file. */
export type SpooledSeries = readonly [family: string, labels: string, bytes: number]

/**
 * Collects samples in the order of time and returns them in the order of OpenMetrics: families in one block each, and
 * within them the lines of each series together. Lines are kept in memory up to a limit, then in one file for each
 * series: memory depends on the number of series, not on the length of the history.
 */
export interface Spool {
  add(series: Iterable<HistorySeries>): void
  /** Whether it has no samples at all. */
  readonly isEmpty: boolean
  /** Whether so much is in memory that {@link save} should be called. */
  readonly isFull: boolean
  /** Moves everything from memory into files. The result describes them for {@link openSpool}. */
  save(): Promise<readonly SpooledSeries[]>
  /** The whole OpenMetrics text, in pieces. */
  text(): AsyncGenerator<Buffer | string>
  /** Removes the files. */
  remove(): Promise<void>
}

interface Lines {
  readonly family: string
  readonly labels: string
  /** Index of the file in the folder. */
  readonly index: number
  /** Bytes in the file. */
  bytes: number
  /** Not yet in the file. */
  chunks: Buffer[]
}

/** Half of the memory that a run may take, besides the program and the response in work. */
const MAX_MEMORY_BYTES = 32 * 1024 ** 2
/** Files are written in parallel, but not all at once. */
const PARALLEL_FILES = 16

/**
 * @param saved the series that an earlier run has saved in the folder; later lines of a file, of an interrupted save,
 *   are removed
 */
export async function openSpool(folder: string, saved: readonly SpooledSeries[] = []): Promise<Spool> {
  const all = new Map<string, Lines>()
  const add = (family: string, labels: string, bytes: number): Lines => {
    const lines = { family, labels, index: all.size, bytes, chunks: [] }
    all.set(`${family}{${labels}`, lines)
    return lines
  }
  const fileOf = ({ index }: Lines) => join(folder, `${index}.om`)
  // Without a saved series, whatever is in the folder is the rest of an earlier part.
  if (saved.length === 0) await rm(folder, { recursive: true, force: true })
  for (const [family, labels, bytes] of saved) await truncate(fileOf(add(family, labels, bytes)), bytes)
  return createSpool({ folder, all, add, fileOf })
}

interface SpoolParts {
  readonly folder: string
  readonly all: ReadonlyMap<string, Lines>
  readonly add: (family: string, labels: string, bytes: number) => Lines
  readonly fileOf: (lines: Lines) => string
}

function createSpool({ folder, all, add, fileOf }: SpoolParts): Spool {
  let memoryBytes = 0

  async function saveOne(lines: Lines): Promise<void> {
    const data = Buffer.concat(lines.chunks)
    lines.chunks = []
    // A file without known bytes can only be the rest of an interrupted save.
    if (lines.bytes === 0) await rm(fileOf(lines), { force: true })
    await appendFile(fileOf(lines), data)
    lines.bytes += data.length
  }

  return {
    add(series) {
      for (const { family, labels, text } of metricLines(series)) {
        const lines = all.get(`${family}{${labels}`) ?? add(family, labels, 0)
        const chunk = Buffer.from(text)
        lines.chunks.push(chunk)
        memoryBytes += chunk.length
      }
    },
    get isEmpty() {
      return all.size === 0
    },
    get isFull() {
      return memoryBytes > MAX_MEMORY_BYTES
    },
    async save() {
      createFolder(folder)
      const changed = [...all.values()].filter(({ chunks }) => chunks.length > 0)
      for (let start = 0; start < changed.length; start += PARALLEL_FILES) {
        await Promise.all(changed.slice(start, start + PARALLEL_FILES).map(saveOne))
      }
      memoryBytes = 0
      return [...all.values()].map(({ family, labels, bytes }) => [family, labels, bytes] as const)
    },
    async *text() {
      for (const [family, header] of FAMILY_HEADERS.openmetrics) {
        const ofFamily = [...all.values()].filter((lines) => lines.family === family)
        if (ofFamily.length > 0) yield header
        for (const lines of ofFamily) {
          if (lines.bytes > 0) yield* createReadStream(fileOf(lines), { end: lines.bytes - 1 })
          yield* lines.chunks
        }
      }
      yield OPENMETRICS_END
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
