import type { ApiError } from '../../api/errors/errors.ts'
import type { RejectedValue } from '../../api/feed/rejected_values.ts'
import type { Period } from '../../api/history/series.ts'
import type { HistorySeries } from '../series.ts'

/** Where the past of a pool or of a system is read. */
export interface HistorySource {
  /** Unique among all sources of all systems. */
  readonly key: string
  readonly system: string
  /** In messages, such as `pool hot`. */
  readonly label: string
  /** The periods to read, in ascending order; undefined: the whole period of the run. */
  readonly gaps?: readonly Period[] | undefined
  /** Counts the requests for periods, in the order in which they are to be read. A part of a request is a fraction. */
  counter(): (period: Period) => number
  /** Reads a period in windows that follow one another. @throws {ApiError} of a window of which nothing can be read */
  read(period: Period, options: ReadOptions): AsyncGenerator<SourceWindow>
}

export function periodsWithin({ gaps }: Pick<HistorySource, 'gaps'>, period: Period): readonly Period[] {
  return (gaps ?? [period]).flatMap((gap) => {
    const [start, end] = [Math.max(gap.start, period.start), Math.min(gap.end, period.end)]
    return start < end ? [{ ...period, start, end }] : []
  })
}

interface ReadOptions {
  /** Labels that are added to each series. */
  readonly labels: Readonly<Record<string, string>>
  readonly notice: (text: string) => void
  /** Only these figures, which are those of a hole, and each request once; undefined: all. */
  readonly subjects?: ReadonlySet<string>
  readonly signal: AbortSignal
}

export interface SourceWindow {
  readonly period: Period
  readonly series: readonly HistorySeries[]
  readonly rejected: readonly RejectedValue[]
  /** What the figures are about that were not answered, and are not in the series, with the reason. */
  readonly failed: ReadonlyMap<string, ApiError>
}

/** Reports each text once, such as a deviation of a system that every window has. */
export function reportedOnce(notice: (text: string) => void, reported: Set<string>): (text: string) => void {
  return (text) => {
    if (!reported.has(text)) notice(text)
    reported.add(text)
  }
}
