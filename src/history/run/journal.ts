import { open, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Period } from '../../api/history/history.ts'
import { parseObject } from '../../api/parse/json.ts'
import { errorCode } from '../../values/errors.ts'
import { readIfExists } from '../../values/files.ts'
import type { SpooledSeries } from '../output/destination.ts'

/** What a run writes; a resumed run must write the same. */
export interface RunSettings {
  readonly period: Period
  /** The keys of what is read: system and id of each pool, and of Flux APIs. */
  readonly sources: readonly string[]
  /** Where and in which form. */
  readonly destination: string
  /** Labels that are added to each series. */
  readonly labels: Readonly<Record<string, string>>
}

/** Values of a period that a source did not answer. */
export interface UnreadGap extends Pick<Period, 'start' | 'end'> {
  /** System and source, for messages. */
  readonly source: string
  /** What the values are about, as the source names it. */
  readonly subject: string
}

/** How far a run is. */
export interface RunState {
  readonly settings: RunSettings
  /** By source: the end of what was read, in seconds since the epoch. */
  readonly done: Readonly<Record<string, number>>
  /** What is missing before that. Gaps of one source and subject that touch are one. */
  readonly unreadGaps: readonly UnreadGap[]
  readonly series: readonly SpooledSeries[]
  /** Number of samples of the whole run, without those that are not saved. */
  readonly samples: number
  /** Everything was read. */
  readonly isFinished: boolean
}

const VERSION = 8

/** Keeps the state of a run in a file, so that a later run can continue. */
export type Journal = ReturnType<typeof createJournal>

export function createJournal(file: string) {
  let isSaved = false
  return {
    /** Whether the file has a state of this run. */
    get isSaved(): boolean {
      return isSaved
    },
    async save(state: RunState): Promise<void> {
      const fresh = `${file}.new`
      await writeFile(fresh, `${JSON.stringify({ version: VERSION, ...state })}\n`)
      // Readers see the state before or after, also when the process ends in between.
      await rename(fresh, file)
      isSaved = true
    },
  }
}

/** The saved state; undefined without the file. @throws {Error} with the file, if it is not a journal */
export async function loadState(file: string): Promise<RunState | undefined> {
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  const state = parseObject(text) as (RunState & { readonly version: unknown }) | undefined
  if (state?.version === VERSION) return state
  throw new Error(`${file} is not a journal of this version: begin anew with --force`)
}

/** The settings in which two runs differ, apart from the period, in words; undefined if there are none. */
export function difference(before: RunSettings, now: RunSettings): string | undefined {
  if (before.destination !== now.destination) return 'another destination'
  if (before.sources.join('\n') !== now.sources.join('\n')) return 'other pools, or another --source'
  if (JSON.stringify(before.labels) !== JSON.stringify(now.labels)) return 'other labels'
  return undefined
}

/** The lock is held by another process, or it cannot be known whether that still runs. */
export class LockedError extends Error {}

/**
 * Holds a lock file with the id of this process, until it is disposed of. The lock of a process of this machine that has
 * ended is replaced; two processes that replace it at the same moment may both hold it.
 * @throws {LockedError} while another process holds it
 * @throws {Error} the failed system call
 */
export async function holdLock(file: string): Promise<AsyncDisposable> {
  while (!(await created(file))) {
    const found = await readIfExists(file)
    // Without a file, its holder has ended meanwhile.
    if (found === undefined) continue
    checkEnded(file, parseObject(found) ?? {})
    await rm(file, { force: true })
  }
  return { [Symbol.asyncDispose]: () => unlink(file) }
}

async function created(file: string): Promise<boolean> {
  try {
    await using lock = await open(file, 'wx')
    await lock.writeFile(JSON.stringify({ host: hostname(), pid: process.pid }))
    return true
  } catch (failure) {
    if (errorCode(failure) === 'EEXIST') return false
    throw failure
  }
}

/** @throws {LockedError} unless the holder was a process of this machine that has ended */
function checkEnded(file: string, { host, pid }: { readonly host?: unknown; readonly pid?: unknown }): void {
  if (host === hostname() && typeof pid === 'number' && !isRunning(pid)) return
  // It is empty while another process creates it.
  const holder = pid === undefined ? 'an unknown process' : `process ${pid} on ${host}`
  throw new LockedError(`${holder} holds ${file}: if no backfill writes this output, remove it`)
}

/** An earlier process may have had the id of this one, as in a container. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (failure) {
    return errorCode(failure) === 'EPERM'
  }
}
