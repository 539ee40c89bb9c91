import type { Period } from '../api/history/series.ts'
import type { RunState } from './journal.ts'
import type { Part } from './periods.ts'
import type { HistorySeries } from './series.ts'
import type { HistorySource } from './source.ts'

/** Progress of one system in requests, resumed parts included. */
export interface SystemProgress {
  readonly done: number
  readonly total: number
}

export interface ProgressCounter {
  read(source: HistorySource, period: Period): void
  wrote(series: readonly HistorySeries[]): void
  /** Written by this process. */
  samples(): number
}

interface ProgressOptions {
  readonly parts: readonly Part[]
  readonly sources: readonly HistorySource[]
  readonly onProgress: (progress: readonly SystemProgress[], samples: number) => void
}

export function createProgressCounter(
  { parts, sources, onProgress }: ProgressOptions,
  state: RunState,
): ProgressCounter {
  const systems = new Map(sources.map(({ system }) => [system, { done: 0, total: 0 }]))
  for (const source of sources) {
    const ofSystem = systems.get(source.system)
    if (ofSystem === undefined) continue
    for (const [index, { period }] of parts.entries()) {
      const requests = requestsWithin(source, period)
      ofSystem.total += requests
      const unfinished = state.parts.find((one) => one.index === index)
      if (unfinished !== undefined)
        ofSystem.done += requestsWithin(source, {
          ...period,
          end: unfinished.done[source.key] ?? period.start,
        })
      else if (index < state.begun) ofSystem.done += requests
    }
  }
  let samples = 0
  const report = () => onProgress([...systems.values()], samples)
  report()
  return {
    samples: () => samples,
    read(source, period) {
      const ofSystem = systems.get(source.system)
      if (ofSystem !== undefined) ofSystem.done += source.requestsFor(period)
    },
    wrote(series) {
      samples += series.reduce((sum, { times }) => sum + times.length, 0)
      report()
    },
  }
}

function requestsWithin(source: HistorySource, period: Period): number {
  return (source.gaps ?? [period]).reduce((sum, gap) => {
    const [start, end] = [Math.max(gap.start, period.start), Math.min(gap.end, period.end)]
    return start < end ? sum + source.requestsFor({ ...period, start, end }) : sum
  }, 0)
}
