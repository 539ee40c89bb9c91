import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS, type Reason } from '../api/errors/reasons.ts'
import type { HistoryReading } from '../api/history/history.ts'
import type { Period } from '../api/history/series.ts'
import { pause } from '../api/http/deadline.ts'

export interface PoolReaderOptions {
  readonly client: Pick<SystemClient, 'history'>
  readonly poolId: string
  /** Start and end are multiples of the interval. */
  readonly period: Period
  /** Maximum number of points of one series in one request, at the beginning. */
  readonly points: number
  /** Called for each kind of deviation of the system, once. */
  readonly notice: (text: string) => void
  readonly signal: AbortSignal
  /** Milliseconds before the first repetition of a failed request; doubles with each one. */
  readonly firstPauseMs?: number
  /**
   * How often a failed request is repeated; by default for about two minutes. 0: never, not even in a shorter window if
   * it takes too long.
   */
  readonly maxRepetitions?: number
}

/** A part of the period with all of its points. Windows follow one another without gap and overlap. */
export interface HistoryWindow {
  readonly period: Period
  readonly reading: HistoryReading
}

/** About two minutes in total: longer outages end the run, which can be resumed. */
const FIRST_PAUSE_MS = 2000
const MAX_REPETITIONS = 6
/** Failures that a shorter window may avoid. */
const TOO_LARGE: readonly Reason[] = ['too_large']
const TOO_LONG: readonly Reason[] = [...TOO_LARGE, 'timeout']

/**
 * Reads a period of a pool in windows of time, so that memory does not depend on its length. One request is sent ahead
 * while a window is in use. A window whose response is too large, or takes too long, is halved.
 * @throws {ApiError} of a window that cannot be read
 */
export async function* readPool(options: PoolReaderOptions): AsyncGenerator<HistoryWindow> {
  const { period, signal } = options
  const windows = createWindowReader(options)
  let next: Promise<HistoryWindow> | undefined = windows(period.start)
  while (next !== undefined) {
    const window: HistoryWindow = await next
    const { end } = window.period
    next = end < period.end && !signal.aborted ? windows(end) : undefined
    // Its failure is thrown when it is awaited, which does not happen if the consumer stops before.
    next?.catch(() => undefined)
    yield window
    signal.throwIfAborted()
  }
}

/** Reads the window that begins at a time; its length depends on the responses before. */
function createWindowReader(options: PoolReaderOptions): (start: number) => Promise<HistoryWindow> {
  const { client, poolId, period, signal, maxRepetitions = MAX_REPETITIONS } = options
  const { interval } = period
  const told = createNotices(options.notice)
  const tooLong = maxRepetitions === 0 ? TOO_LARGE : TOO_LONG
  let points = Math.max(1, options.points)

  async function read(start: number): Promise<HistoryWindow> {
    const window = { start, end: Math.min(start + points * interval, period.end), interval }
    const reading = await client.history(poolId, window, signal, withMargin(window))
    told.step(reading, interval)
    if (!ignoresPeriod(reading)) return { period: window, reading }
    told.ownPeriod()
    const rest = { ...period, start }
    return { period: rest, reading: await client.history(poolId, rest, signal, withMargin(rest)) }
  }

  /** Prepares another attempt. @throws the failure, if there is none */
  async function recover(failure: unknown, repetitions: number): Promise<number> {
    if (!(failure instanceof ApiError) || signal.aborted) throw failure
    if (points > 1 && tooLong.includes(failure.reason)) {
      points = Math.ceil(points / 2)
      return repetitions
    }
    if (REASONS[failure.reason].origin === 'request' || repetitions === maxRepetitions) throw failure
    const growingMs = (options.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** repetitions
    await pause(Math.max(growingMs, failure.retryAfterMs ?? 0), signal)
    return repetitions + 1
  }

  return async (start) => {
    for (let repetitions = 0; ; ) {
      try {
        return await read(start)
      } catch (failure) {
        repetitions = await recover(failure, repetitions)
      }
    }
  }
}

/** It is not documented whether the point at `startTime` is served, so the request begins one interval earlier. */
function withMargin(period: Period): Period {
  return { ...period, start: Math.max(0, period.start - period.interval) }
}

/** Whether most points are so far from the requested period that the system did not regard it. */
function ignoresPeriod({ served }: HistoryReading): boolean {
  return served.farPoints > served.points / 2
}

function createNotices(notice: (text: string) => void) {
  const told = new Set<string>()
  const once = (kind: string, text: string) => {
    if (!told.has(kind)) notice(text)
    told.add(kind)
  }
  return {
    step({ served: { step } }: HistoryReading, interval: number) {
      if (!Number.isFinite(step) || step === interval) return
      once('step', `the system serves points every ${step} s instead of every ${interval} s`)
    },
    ownPeriod() {
      once(
        'period',
        'the system does not regard startTime and endTime: what it sent is used, and it is not asked again',
      )
    },
  }
}
