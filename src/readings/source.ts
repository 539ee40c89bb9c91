import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { SystemConfig } from '../config/config.ts'
import type { StateStore } from '../state/store.ts'
import { pollPeriodMs } from '../values/schedule.ts'
import { MAX_TIMER_MS } from '../values/timers.ts'
import type { ReadingLog } from './reading_log.ts'

/** How a reading ended; `none`: the source is forgotten. */
export type Outcome = 'ok' | 'none' | ApiError

interface SourceRow<T> {
  /** For messages about internal errors. */
  readonly name: string
  readonly read: (signal: AbortSignal) => Promise<T>
  /**
   * Replaces the value.
   * @param beganMs on the clock of `performance.now()`
   * @throws {ApiError} when it cannot be kept, which is a failure of the reading
   */
  readonly keep: (value: T, beganMs: number) => void
  /** Notes the failure. The value stays until it reaches its age limit. */
  readonly fail: (failure: ApiError, beganMs: number) => void
  /** Drops the value, or those parts of it that have reached their age limit. */
  readonly drop: () => void
  /** The time until the value, or the next part of it, reaches its age limit; infinite without a value. */
  readonly leftMs: () => number
  /** Pause before it is read again after a failure; undefined: until the schedule makes it due. */
  readonly retryMs?: (failure: ApiError) => number | undefined
  /** Whether it is due before its schedule says so; true by default. */
  readonly isDue?: boolean
  /**
   * Without a schedule of polls, sources are read after probes, which may be rarer than the age limit: a value that has
   * reached it is dropped when its next reading fails.
   */
  readonly isOnlyProbed?: boolean
}

/** Pause after a failure that may be over by then; the schedule may come earlier. */
export const RETRY_MS = 600_000

/** Values are kept for so many intervals of their schedule. */
const INTERVALS_KEPT = 3

/** Age limit of what is read on a schedule: three intervals, or `poll.stale_after` if that is longer. */
export function maxAgeMsOf({ poll }: Pick<SystemConfig, 'poll'>, schedule: string): number {
  if (schedule === '') return poll.staleAfterMs
  return Math.max(INTERVALS_KEPT * pollPeriodMs(schedule), poll.staleAfterMs)
}

/**
 * The time until a value is as old as it may be. If the clock was set meanwhile it would be wrong, so it is limited.
 * @param lastSuccess when it was read, in seconds since the epoch; undefined without a value
 */
export function leftMsOf(lastSuccess: number | undefined, maxAgeMs: number): number {
  if (lastSuccess === undefined) return Number.POSITIVE_INFINITY
  return Math.min(lastSuccess * 1000 + maxAgeMs - Date.now(), maxAgeMs)
}

/** What the sources of one system share. */
export interface ReadingContext {
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly store: StateStore
  readonly log: ReadingLog
  /** Aborts when the system is no longer polled. */
  readonly signal: AbortSignal
}

type SourceContext = Pick<ReadingContext, 'signal' | 'log'>

export type Source = ReturnType<typeof createSource>

/**
 * Reads one source: never twice at a time, when it is due, again after a failure, and drops its value at the age limit. A
 * schedule and a probe differ only in what makes it due, and in what waits for it.
 */
export function createSource<T>(row: SourceRow<T>, context: SourceContext) {
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, leaving.signal])
  const age = createAgeLimit(row, context)
  let dueMs = (row.isDue ?? true) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  let running: Promise<Outcome> | undefined

  async function request(): Promise<Outcome> {
    const beganMs = performance.now()
    dueMs = Number.POSITIVE_INFINITY
    try {
      const value = await row.read(signal)
      signal.throwIfAborted()
      row.keep(value, beganMs)
      age.restart()
      return 'ok'
    } catch (cause) {
      if (signal.aborted) return 'none'
      const failure = cause instanceof ApiError ? cause : internalError(cause)
      dueMs = performance.now() + (row.retryMs?.(failure) ?? Number.POSITIVE_INFINITY)
      row.fail(failure, beganMs)
      age.failed()
      return failure
    }
  }

  async function read(): Promise<Outcome> {
    if (signal.aborted) return 'none'
    running ??= request().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    isRunning: (): boolean => running !== undefined,
    makeDue(): void {
      dueMs = Number.NEGATIVE_INFINITY
    },
    isDue: (): boolean => performance.now() >= dueMs,
    /** Reads it now, or awaits the reading that is under way. */
    read,
    /** Reads it if it is due; does not wait for a reading that is under way. */
    async readIfDue(): Promise<void> {
      if (running === undefined && performance.now() >= dueMs) await read()
    },
    /** From now on nothing is read, changed or dropped. */
    forget(): void {
      leaving.abort(new Error(`${row.name}: no longer read`))
      age.end()
    },
  }
}

function internalError(cause: unknown): ApiError {
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const detail = `internal error while the response was turned into metrics, please report it: ${what}`
  return new ApiError('local', detail, { cause })
}

/** Drops a value that no reading has replaced in time, independently of the schedule. */
function createAgeLimit<T>(row: SourceRow<T>, { log }: SourceContext) {
  const { name, leftMs, drop, isOnlyProbed = false } = row
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  let isTooOld = false

  function dropAfter(ms: number): void {
    clearTimeout(timer)
    if (hasEnded || ms === Number.POSITIVE_INFINITY) return
    const restMs = ms - MAX_TIMER_MS
    const run = () => (restMs > 0 ? dropAfter(restMs) : reached())
    timer = setTimeout(run, Math.max(0, Math.min(ms, MAX_TIMER_MS))).unref()
  }

  function reached(): void {
    isTooOld = true
    if (!isOnlyProbed) dropNow()
  }

  function dropNow(): void {
    try {
      drop()
      dropAfter(leftMs())
    } catch (failure) {
      log.internalError(`dropping old values of ${name}`, failure)
    }
  }

  // The value may have been read before a reload.
  dropAfter(leftMs())
  return {
    restart(): void {
      isTooOld = false
      dropAfter(leftMs())
    },
    failed(): void {
      if (isTooOld) dropNow()
    },
    end(): void {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}
