import type { RejectedValue } from '../api/feed/rejected_values.ts'
import type { Period } from '../api/history/series.ts'
import type { Journal, RunSettings, RunState } from './journal.ts'
import type { Part } from './periods.ts'
import type { HistorySeries } from './series.ts'
import type { HistorySource } from './source.ts'
import type { SpooledSeries } from './spool.ts'

/** Where samples go. */
export interface Destination {
  /** @param saved what an earlier run has saved of this part */
  begin(part: Part, saved: readonly SpooledSeries[]): Promise<void>
  /** Takes the series of one window, whole or not at all. */
  write(series: Iterable<HistorySeries>, signal: AbortSignal): Promise<void>
  /** Whether {@link save} is due. */
  readonly isFull: boolean
  /** After it, what was written survives the end of the process. */
  save(): Promise<readonly SpooledSeries[]>
  /** Completes the part. What was saved stays until {@link discard}. */
  finish(part: Part): Promise<void>
  /** Removes what was saved of a part that is complete and recorded as such. */
  discard(): Promise<void>
}

/** Progress of a run, resumed parts included. */
export interface BackfillProgress {
  /** Seconds of history that were read, over all sources. */
  readonly doneSeconds: number
  readonly totalSeconds: number
  /** Written by this process. */
  readonly samples: number
}

export interface BackfillOptions {
  readonly settings: RunSettings
  readonly parts: readonly Part[]
  readonly sources: readonly HistorySource[]
  readonly destination: Destination
  /** Undefined: the run cannot be resumed. */
  readonly journal: Journal | undefined
  /** That of the journal, for a resumed run. */
  readonly state: RunState | undefined
  readonly onProgress: (progress: BackfillProgress) => void
  readonly notice: (text: string) => void
  readonly onRejected: (source: HistorySource, values: readonly RejectedValue[]) => void
  readonly signal: AbortSignal
}

/**
 * Reads the past of all sources, one source and one window at a time, and writes it part by part. On a failure or an abort,
 * everything that was read is saved first.
 * @returns number of samples of the whole run
 */
export async function runBackfill(options: BackfillOptions): Promise<number> {
  const { parts, destination, settings } = options
  let state: RunState = options.state ?? {
    settings,
    part: 0,
    done: {},
    series: [],
    samples: 0,
    isFinished: false,
  }
  const before = state.samples
  const save = async (change: Partial<RunState>) => {
    state = { ...state, ...change }
    await options.journal?.save(state)
  }
  const progress = createProgressCounter(options, state)
  await save({})
  progress.added(0, 0)
  for (const [index, part] of parts.entries()) {
    if (index < state.part) continue
    await destination.begin(part, state.series)
    const done = { ...state.done }
    const checkpoint = async () =>
      save({ series: await destination.save(), done: { ...done }, samples: before + progress.samples() })
    try {
      for (const source of options.sources) {
        await writeSource({ ...options, source, part, done, checkpoint, added: progress.added })
      }
      await destination.finish(part)
    } catch (failure) {
      await checkpoint()
      throw failure
    }
    const samples = before + progress.samples()
    await save({ part: index + 1, done: {}, series: [], samples, isFinished: index + 1 === parts.length })
    await destination.discard()
  }
  return state.samples
}

interface SourceRun extends BackfillOptions {
  readonly source: HistorySource
  readonly part: Part
  /** Updated after each window. */
  readonly done: Record<string, number>
  readonly checkpoint: () => Promise<void>
  readonly added: (seconds: number, samples: number) => void
}

async function writeSource(run: SourceRun): Promise<void> {
  const { source, part, done } = run
  for (const gap of source.gaps ?? [part.period]) {
    const start = Math.max(part.period.start, gap.start, done[source.key] ?? 0)
    const end = Math.min(part.period.end, gap.end)
    if (start < end) await writePeriod(run, { ...part.period, start, end })
  }
}

async function writePeriod(run: SourceRun, period: Period): Promise<void> {
  const { source, done, destination, settings, signal } = run
  const notice = (text: string) => run.notice(`system ${source.system}, ${source.label}: ${text}`)
  for await (const window of source.read(period, { labels: settings.labels, notice, signal })) {
    const { series, rejected } = window
    await destination.write(series, signal)
    done[source.key] = window.period.end
    if (rejected.length > 0) run.onRejected(source, rejected)
    run.added(window.period.end - window.period.start, countSamples(series))
    if (destination.isFull) await run.checkpoint()
  }
}

function countSamples(series: readonly HistorySeries[]): number {
  return series.reduce((sum, { times }) => sum + times.length, 0)
}

function createProgressCounter({ parts, sources, onProgress }: BackfillOptions, state: RunState) {
  const secondsOf = ({ period }: Part) =>
    sources.reduce((sum, { gaps = [period] }) => sum + secondsIn(gaps, period), 0)
  const totalSeconds = parts.reduce((sum, part) => sum + secondsOf(part), 0)
  let doneSeconds = parts.slice(0, state.part).reduce((sum, part) => sum + secondsOf(part), 0)
  const current = parts[state.part]?.period
  for (const { key, gaps } of sources) {
    const end = state.done[key]
    if (current !== undefined && end !== undefined)
      doneSeconds += secondsIn(gaps ?? [current], { ...current, end })
  }
  let samples = 0
  return {
    samples: () => samples,
    added(seconds: number, more: number) {
      doneSeconds += seconds
      samples += more
      onProgress({ doneSeconds, totalSeconds, samples })
    },
  }
}

/** Seconds of the periods that are within another one. */
function secondsIn(periods: readonly Period[], { start, end }: Period): number {
  return periods.reduce(
    (sum, period) => sum + Math.max(0, Math.min(period.end, end) - Math.max(period.start, start)),
    0,
  )
}
