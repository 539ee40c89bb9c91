import { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import type { Period } from '../../api/history/series.ts'
import { createSemaphore } from '../../api/http/waiting.ts'
import type { RejectedValue } from '../../api/parse/json.ts'
import type { Destination } from '../output/destination.ts'
import type { BackfillPart } from '../periods.ts'
import type { HistorySeries } from '../series.ts'
import { type HistorySource, periodsWithin, type SourceWindow } from '../sources/source.ts'
import type { Journal, PartState, RunSettings, RunState } from './journal.ts'
import { periodsOfUnreadGaps, withoutPeriod, withUnreadGap } from './unread_gaps.ts'

export interface BackfillOptions {
  readonly settings: RunSettings
  readonly parts: readonly BackfillPart[]
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
 * Reads the history of all sources and writes it part by part: all systems at the same time, and of each system one source
 * and one window after the other. On a failure or an abort, everything that was read is saved first. A system that fails
 * does not stop the others within the part.
 * @returns the state at the end, with the gaps that remain
 * @throws {AggregateError} the failures of systems
 */
export async function runBackfill(options: BackfillOptions): Promise<RunState> {
  const { parts, destination, settings } = options
  let state: RunState = options.state ?? { settings, begun: 0, parts: [], samples: 0, isFinished: false }
  const before = state.samples
  const progress = createProgressCounter(options, state)
  const save = async (change: Partial<RunState>) => {
    state = { ...state, ...change, samples: before + progress.samples() }
    await options.journal?.save(state)
  }
  await save({})
  for (const [index, part] of parts.entries()) {
    const fresh: PartState = { index, done: {}, unreadGaps: [], series: [], isOrdered: true }
    const earlier = state.parts.find((one) => one.index === index) ?? fresh
    if (index < state.begun && !state.parts.includes(earlier)) continue
    await destination.begin(part, earlier.series)
    const others = state.parts.filter((one) => one !== earlier)
    const current = structuredClone(earlier) as Changing<PartState>
    const begun = Math.max(state.begun, index + 1)
    const checkpoint = async () => {
      const series = await destination.save()
      await save({ begun, parts: [...others, { ...current, series }] })
    }
    try {
      await readSystems({ ...options, part, current, checkpoint, progress })
      await destination.finish(part, current.isOrdered)
    } catch (failure) {
      await checkpoint()
      throw failure
    }
    if (current.unreadGaps.length > 0) await checkpoint()
    else {
      await save({ begun, parts: others, isFinished: begun === parts.length && others.length === 0 })
      await destination.discard()
    }
  }
  // Without a journal, no other run reads what was saved of a part with gaps.
  if (options.journal === undefined && !state.isFinished) await destination.discard()
  return state
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] }

interface PartRun extends BackfillOptions {
  readonly part: BackfillPart
  /** Updated after each window. */
  readonly current: Changing<PartState>
  readonly checkpoint: () => Promise<void>
  readonly progress: ProgressCounter
}

interface SourceRun extends PartRun {
  readonly source: HistorySource
  /** Runs one task at a time, of all systems. */
  readonly alone: (task: () => Promise<void>) => Promise<void>
}

/** @throws {AggregateError} the failures of systems, after the others have been read */
async function readSystems(run: PartRun): Promise<void> {
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
  const { source, part, current } = run
  for (const period of periodsWithin(source, part.period)) {
    const start = Math.max(period.start, current.done[source.key] ?? 0)
    if (start >= period.end) continue
    await readPeriod(run, { ...period, start }, undefined, (window) => {
      current.done = { ...current.done, [source.key]: window.period.end }
      run.progress.read(source, window.period)
    })
  }
  await readUnreadGaps(run)
}

/** Failures of an endpoint in a row, such as timeouts, after which the other gaps are not tried. */
const MOST_FAILURES = 2

/** Reads once more what was not answered before: most failures pass. */
async function readUnreadGaps(run: SourceRun): Promise<void> {
  const { source, part, current } = run
  let inRow = 0
  for (const { start, end, subjects } of periodsOfUnreadGaps(current.unreadGaps, source.key)) {
    try {
      await readPeriod(run, { ...part.period, start, end }, subjects, ({ period }) => {
        current.unreadGaps = withoutPeriod(current.unreadGaps, { source: source.key, subjects }, period)
        current.isOrdered = false
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
  const { source, destination, settings, signal, current, alone } = run
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
        current.unreadGaps = withUnreadGap(current.unreadGaps, { source: source.key, subject, start, end })
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

function createProgressCounter({ parts, sources, onProgress }: BackfillOptions, state: RunState) {
  let [done, total, samples] = [0, 0, 0]

  function read(source: HistorySource, period: Period): void {
    done += source.requests(period)
  }

  /** What is read of a source, and until when an earlier process has read it. */
  function partsUntil(source: HistorySource) {
    return parts.flatMap((part, index) => {
      const begun = state.parts.find((one) => one.index === index)
      const isComplete = begun === undefined && index < state.begun
      const until = isComplete ? part.period.end : (begun?.done[source.key] ?? 0)
      return periodsWithin(source, part.period).map((period) => ({ period, until }))
    })
  }

  for (const source of sources) {
    for (const { period, until } of partsUntil(source)) {
      total += source.requests(period)
      if (period.start < until) read(source, { ...period, end: Math.min(period.end, until) })
    }
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
