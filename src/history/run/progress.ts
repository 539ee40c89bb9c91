import type { Period } from '../../api/history/series.ts'
import type { BackfillPart } from '../periods.ts'
import type { HistorySeries } from '../series.ts'
import { type HistorySource, periodsWithin } from '../sources/source.ts'
import type { RunState } from './journal.ts'

/** Progress of one system in requests, resumed parts included. */
export interface SystemProgress {
  done: number
  total: number
}

export type ProgressCounter = ReturnType<typeof createProgressCounter>

interface ProgressOptions {
  readonly parts: readonly BackfillPart[]
  readonly sources: readonly HistorySource[]
  readonly onProgress: (progress: readonly Readonly<SystemProgress>[], samples: number) => void
}

export function createProgressCounter({ parts, sources, onProgress }: ProgressOptions, state: RunState) {
  const systems = new Map(sources.map(({ system }) => [system, { done: 0, total: 0 }]))
  const counters = new Map(sources.map((source) => [source, source.counter()]))

  function read(source: HistorySource, period: Period): void {
    const ofSystem = systems.get(source.system)
    if (ofSystem !== undefined) ofSystem.done += counters.get(source)?.(period) ?? 0
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
    const ofSystem = systems.get(source.system)
    const count = source.counter()
    for (const { period, until } of partsUntil(source)) {
      if (ofSystem !== undefined) ofSystem.total += count(period)
      if (period.start < until) read(source, { ...period, end: Math.min(period.end, until) })
    }
  }
  let samples = 0
  const report = () => onProgress([...systems.values()], samples)
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
