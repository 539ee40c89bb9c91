import type { Period } from '../../api/history/series.ts'
import type { BackfillPart } from '../periods.ts'
import type { HistorySeries } from '../series.ts'
import { type HistorySource, periodsWithin } from '../sources/source.ts'
import type { RunState } from './journal.ts'

/** Progress of a run. */
export interface RunProgress {
  /** Requests, those of earlier processes included. */
  readonly done: number
  readonly total: number
  /** Written by this process. */
  readonly samples: number
}

export type ProgressCounter = ReturnType<typeof createProgressCounter>

interface ProgressOptions {
  readonly parts: readonly BackfillPart[]
  readonly sources: readonly HistorySource[]
  readonly onProgress: (progress: RunProgress) => void
}

export function createProgressCounter({ parts, sources, onProgress }: ProgressOptions, state: RunState) {
  const counters = new Map(sources.map((source) => [source, source.counter()]))
  let [done, total, samples] = [0, 0, 0]

  function read(source: HistorySource, period: Period): void {
    done += counters.get(source)?.(period) ?? 0
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
    const count = source.counter()
    for (const { period, until } of partsUntil(source)) {
      total += count(period)
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
