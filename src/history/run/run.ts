import { ApiError } from '../../api/errors/errors.ts'
import { createSemaphore } from '../../api/http/waiting.ts'
import type { RejectedValue } from '../../api/parse/json.ts'
import type { Destination } from '../output/destination.ts'
import { type HistorySource, type SourceWindow, startOf } from '../sources/source.ts'
import type { Journal, RunSettings, RunState, UnreadGap } from './journal.ts'

export interface BackfillOptions {
  readonly settings: RunSettings
  readonly sources: readonly HistorySource[]
  readonly destination: Destination
  /** Undefined: the run cannot be resumed. */
  readonly journal: Journal | undefined
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
  const fresh = { done: {}, unreadGaps: [], series: [], samples: 0, isFinished: false }
  const state: Changing<RunState> = options.state ?? { settings, ...fresh }
  const progress = createProgressCounter(options, state)
  await journal?.save(state)
  const checkpoint = async () => {
    state.series = await destination.save()
    await journal?.save(state)
  }
  try {
    await readSystems({ ...options, state, checkpoint, progress })
    await destination.finish()
  } catch (failure) {
    await checkpoint()
    throw failure
  }
  state.isFinished = true
  await journal?.save(state)
  await destination.discard()
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
  const { source, destination, settings, signal, state, alone } = run
  const { period, labels } = settings
  const start = Math.max(startOf(source, period), state.done[source.key] ?? 0)
  if (start >= period.end) return
  const where = `system ${source.system}, ${source.label}`
  const noticed = new Set<string>()
  const notice = (text: string) => {
    if (!noticed.has(text)) run.notice(`${where}: ${text}`)
    noticed.add(text)
  }
  for await (const window of source.read({ ...period, start }, { labels, notice, signal })) {
    await alone(async () => {
      await destination.write(window.series, signal)
      state.done = { ...state.done, [source.key]: window.period.end }
      for (const subject of window.failed.keys())
        state.unreadGaps = withGap(state.unreadGaps, { source: where, subject, ...window.period })
      if (window.rejected.length > 0) run.onRejected(source, window.rejected)
      run.progress.wrote(source, window)
      if (destination.isFull) await run.checkpoint()
    })
  }
}

/** The gaps with that of the newest window, which continues one that ends at its start. */
function withGap(
  gaps: readonly UnreadGap[],
  { source, subject, start, end }: UnreadGap,
): readonly UnreadGap[] {
  const isBefore = (one: UnreadGap) => one.source === source && one.subject === subject && one.end === start
  const first = gaps.find(isBefore)?.start ?? start
  return [...gaps.filter((one) => !isBefore(one)), { source, subject, start: first, end }]
}

export interface RunProgress {
  /** Requests, about, those of earlier processes included. */
  readonly done: number
  readonly total: number
  /** Written by this process. */
  readonly samples: number
}

type ProgressCounter = ReturnType<typeof createProgressCounter>

function createProgressCounter(
  { settings, sources, onProgress }: BackfillOptions,
  state: Changing<RunState>,
) {
  const { period } = settings
  const before = state.samples
  let [done, total] = [0, 0]
  for (const source of sources) {
    const start = startOf(source, period)
    const until = Math.min(state.done[source.key] ?? 0, period.end)
    if (start < period.end) total += source.requests({ ...period, start })
    if (start < until) done += source.requests({ ...period, start, end: until })
  }
  const report = () => onProgress({ done, total, samples: state.samples - before })
  report()
  return {
    wrote(source: HistorySource, window: SourceWindow): void {
      done += source.requests(window.period)
      state.samples += window.series.reduce((sum, { times }) => sum + times.length, 0)
      report()
    },
  }
}
