import { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import type { Period } from '../../api/history/series.ts'
import { createSemaphore } from '../../api/http/waiting.ts'
import type { RejectedValue } from '../../api/parse/json.ts'
import type { Destination } from '../output/destination.ts'
import type { HistorySeries } from '../series.ts'
import { type HistorySource, type SourceWindow, startOf } from '../sources/source.ts'
import type { Journal, RunSettings, RunState } from './journal.ts'
import { periodsOfUnreadGaps, withoutPeriod, withUnreadGap } from './unread_gaps.ts'

export interface BackfillOptions {
  readonly settings: RunSettings
  readonly sources: readonly HistorySource[]
  readonly destination: Destination
  /** Undefined: the run cannot be resumed. */
  readonly journal: Journal | undefined
  /** State in the journal, for a resumed run. */
  readonly state: RunState | undefined
  readonly onProgress: (progress: RunProgress) => void
  readonly notice: (text: string) => void
  readonly onRejected: (source: HistorySource, values: readonly RejectedValue[]) => void
  readonly signal: AbortSignal
}

/**
 * Reads the history of all sources and writes it: all systems at the same time, and of each system one source and one
 * window after the other. On a failure or an abort, everything that was read is saved first. A system that fails does not
 * stop the others.
 * @returns the state at the end, with the gaps that remain
 * @throws {AggregateError} the failures of systems
 */
export async function runBackfill(options: BackfillOptions): Promise<RunState> {
  const { destination, settings, journal } = options
  const fresh = { done: {}, unreadGaps: [], series: [], isOrdered: true, samples: 0, isFinished: false }
  const state: Changing<RunState> = options.state ?? { settings, ...fresh }
  const before = state.samples
  const progress = createProgressCounter(options, state)
  await journal?.save(state)
  const checkpoint = async () => {
    state.series = await destination.save()
    state.samples = before + progress.samples()
    await journal?.save(state)
  }
  try {
    await readSystems({ ...options, state, checkpoint, progress })
    await destination.finish(state.isOrdered)
  } catch (failure) {
    await checkpoint()
    throw failure
  }
  state.samples = before + progress.samples()
  state.isFinished = state.unreadGaps.length === 0
  if (!state.isFinished && journal !== undefined) await checkpoint()
  else {
    await journal?.save(state)
    await destination.discard()
  }
  return state
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] }

interface RunInProgress extends Omit<BackfillOptions, 'state'> {
  /** Updated after each window. */
  readonly state: Changing<RunState>
  readonly checkpoint: () => Promise<void>
  readonly progress: ProgressCounter
}

interface SourceRun extends RunInProgress {
  readonly source: HistorySource
  /** Runs one task at a time, of all systems. */
  readonly alone: (task: () => Promise<void>) => Promise<void>
}

/** @throws {AggregateError} the failures of systems, after the others have been read */
async function readSystems(run: RunInProgress): Promise<void> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([run.signal, stopped.signal])
  const writes = createSemaphore(1)
  const alone: SourceRun['alone'] = (task) => writes.run(task, { signal })
  const systems = Map.groupBy(run.sources, ({ system }) => system)
  const reads = [...systems].map(async ([system, sources]) => {
    try {
      for (const source of sources) await readSource({ ...run, source, alone, signal })
    } catch (failure) {
      // Such as a full disk: it concerns all systems.
      if (!(failure instanceof ApiError)) stopped.abort(failure)
      else if (systems.size > 1 && !signal.aborted)
        run.notice(`system ${system} failed, the others are read: ${failure.message}`)
      throw failure
    }
  })
  const failures = (await Promise.allSettled(reads)).flatMap((read) =>
    read.status === 'rejected' ? [read.reason as unknown] : [],
  )
  run.signal.throwIfAborted()
  if (stopped.signal.aborted) throw stopped.signal.reason
  if (failures.length > 0) throw new AggregateError(failures)
}

async function readSource(run: SourceRun): Promise<void> {
  const { source, state, settings } = run
  const { period } = settings
  const start = Math.max(startOf(source, period), state.done[source.key] ?? 0)
  if (start < period.end)
    await readPeriod(run, { ...period, start }, undefined, (window) => {
      state.done = { ...state.done, [source.key]: window.period.end }
      run.progress.read(source, window.period)
    })
  await readUnreadGaps(run)
}

/** Failures of an endpoint in a row, such as timeouts, after which the other gaps are not tried. */
const MOST_FAILURES = 2

/** Reads once more what was not answered before: most failures pass. */
async function readUnreadGaps(run: SourceRun): Promise<void> {
  const { source, settings, state } = run
  let inRow = 0
  for (const { start, end, subjects } of periodsOfUnreadGaps(state.unreadGaps, source.key)) {
    try {
      await readPeriod(run, { ...settings.period, start, end }, subjects, ({ period }) => {
        state.unreadGaps = withoutPeriod(state.unreadGaps, { source: source.key, subjects }, period)
        state.isOrdered = false
      })
      inRow = 0
    } catch (failure) {
      if (!(failure instanceof ApiError) || run.signal.aborted) throw failure
      inRow = REASONS[failure.reason].origin === 'endpoint' ? inRow + 1 : 0
      if (inRow >= MOST_FAILURES || REASONS[failure.reason].allQueries) return
    }
  }
}

/** @param wrote called after each window was written, before its own gaps are noted */
async function readPeriod(
  run: SourceRun,
  period: Period,
  subjects: ReadonlySet<string> | undefined,
  wrote: (window: SourceWindow) => void,
): Promise<void> {
  const { source, destination, settings, signal, state, alone } = run
  const options = {
    labels: settings.labels,
    notice: (text: string) => run.notice(`system ${source.system}, ${source.label}: ${text}`),
    signal,
    ...(subjects !== undefined && { subjects }),
  }
  for await (const window of source.read(period, options)) {
    await alone(async () => {
      await destination.write(window.series, signal)
      wrote(window)
      const { start, end } = window.period
      for (const subject of window.failed.keys())
        state.unreadGaps = withUnreadGap(state.unreadGaps, { source: source.key, subject, start, end })
      if (window.rejected.length > 0) run.onRejected(source, window.rejected)
      run.progress.wrote(window.series)
      if (destination.isFull) await run.checkpoint()
    })
  }
}

/** Progress of a run. */
export interface RunProgress {
  /** Requests, about, those of earlier processes included. */
  readonly done: number
  readonly total: number
  /** Written by this process. */
  readonly samples: number
}

type ProgressCounter = ReturnType<typeof createProgressCounter>

function createProgressCounter({ settings, sources, onProgress }: BackfillOptions, state: RunState) {
  const { period } = settings
  let [done, total, samples] = [0, 0, 0]

  function read(source: HistorySource, of: Period): void {
    done += source.requests(of)
  }

  for (const source of sources) {
    const start = startOf(source, period)
    const until = Math.min(state.done[source.key] ?? 0, period.end)
    if (start < period.end) total += source.requests({ ...period, start })
    if (start < until) read(source, { ...period, start, end: until })
  }
  const report = () => onProgress({ done, total, samples })
  report()
  return {
    /** Written by this process. */
    samples: (): number => samples,
    read,
    wrote(series: readonly HistorySeries[]): void {
      samples += series.reduce((sum, { times }) => sum + times.length, 0)
      report()
    },
  }
}
