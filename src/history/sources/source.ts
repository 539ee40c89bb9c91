import { ApiError, isOfSystem } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import type { Period } from '../../api/history/history.ts'
import { pause } from '../../api/http/waiting.ts'
import type { RejectedValue } from '../../api/parse/json.ts'
import { backoffMs } from '../../values/timers.ts'
import type { HistorySeries } from '../series.ts'

/** Where the history of a pool or of a system is read. */
export interface HistorySource {
  /** Unique among all sources of all systems. */
  readonly key: string
  readonly system: string
  /** In messages, such as `pool hot`. */
  readonly label: string
  /** Seconds since the epoch: earlier values are deleted by now; undefined: the whole period of the run is read. */
  readonly from?: number
  /** Number of requests for a period, about: the weight of the source in the progress. */
  requests(period: Period): number
  /** Reads a period in windows that follow one another. @throws {ApiError} of a window of which nothing can be read */
  read(period: Period, options: ReadOptions): AsyncGenerator<SourceWindow>
}

/** The time from which on a source is read in a run. */
export function startOf({ from = 0 }: Pick<HistorySource, 'from'>, { start }: Period): number {
  return Math.max(from, start)
}

interface ReadOptions {
  /** Labels that are added to each series. */
  readonly labels: Readonly<Record<string, string>>
  /** Called for each deviation of the system, with every window that has it. */
  readonly notice: (text: string) => void
  readonly signal: AbortSignal
}

export interface SourceWindow {
  readonly period: Period
  readonly series: readonly HistorySeries[]
  readonly rejected: readonly RejectedValue[]
  /** Subjects that were not answered, whose values are not in the series, with the reason. */
  readonly failed: ReadonlyMap<string, ApiError>
}

/** A part of a period with all of its points. Windows follow one another without gap and overlap. */
export interface Window<Reading> {
  readonly period: Period
  readonly reading: Reading
}

export interface WindowOptions<Reading> {
  readonly period: Period
  /** Maximum number of intervals in one window, at the beginning. */
  readonly points: number
  /** Reads a window; the result may have a longer one with the same start. */
  readonly read: (window: Period) => Promise<Window<Reading>>
  readonly signal: AbortSignal
  /** Milliseconds before the first repetition of a failed request; doubles with each one. */
  readonly firstPauseMs?: number
  /** Repetitions of a failed request; default: for about two minutes. 0: none, but too large responses are halved. */
  readonly maxRepetitions?: number
  /** Failures after which a request is repeated; by default those of the system and of its nodes. */
  readonly isRepeated?: (failure: ApiError) => boolean
}

/** About two minutes in total: longer outages end the run, which can be resumed. */
const FIRST_PAUSE_MS = 2000
const MAX_REPETITIONS = 6

/**
 * Reads a period in windows of time, one after the other, so that memory does not depend on its length. A window whose
 * response is too large, or takes too long, is halved, and so are those after it.
 * @throws {ApiError} of a window that cannot be read
 */
export async function* readWindows<Reading>(
  options: WindowOptions<Reading>,
): AsyncGenerator<Window<Reading>> {
  const { period, signal, read, maxRepetitions = MAX_REPETITIONS, isRepeated = isOfSystem } = options
  const { interval } = period
  let points = Math.max(1, options.points)

  /** Prepares another attempt. @returns repetitions @throws the failure, if there is none */
  async function recover(failure: unknown, repetitions: number): Promise<number> {
    if (!(failure instanceof ApiError) || signal.aborted) throw failure
    const { rangeDependent, response } = REASONS[failure.reason]
    if (points > 1 && rangeDependent && (response === 'received' || maxRepetitions > 0)) {
      points = Math.ceil(points / 2)
      return repetitions
    }
    if (!isRepeated(failure) || repetitions === maxRepetitions) throw failure
    const growingMs = backoffMs(repetitions + 1, options.firstPauseMs ?? FIRST_PAUSE_MS)
    await pause(Math.max(growingMs, failure.retryAfterMs ?? 0), signal)
    return repetitions + 1
  }

  async function readFrom(start: number): Promise<Window<Reading>> {
    for (let repetitions = 0; ; ) {
      try {
        return await read({ start, end: Math.min(start + points * interval, period.end), interval })
      } catch (failure) {
        repetitions = await recover(failure, repetitions)
      }
    }
  }

  for (let { start } = period; start < period.end; ) {
    const window = await readFrom(start)
    yield window
    signal.throwIfAborted()
    start = window.period.end
  }
}
