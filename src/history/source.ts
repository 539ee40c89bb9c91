import type { SystemClient } from '../api/client.ts'
import type { ApiError } from '../api/errors/errors.ts'
import type { RejectedValue } from '../api/feed/rejected_values.ts'
import type { Period } from '../api/history/series.ts'
import { readPool } from './reader.ts'
import { type HistorySeries, historySeries } from './series.ts'
import { createNotices } from './windows.ts'

/** Where the past of a pool or of a system is read. */
export interface HistorySource {
  /** Unique among all sources of all systems. */
  readonly key: string
  readonly system: string
  /** In messages, such as `pool hot`. */
  readonly label: string
  /** The periods to read, in ascending order; undefined: the whole period of the run. */
  readonly gaps?: readonly Period[]
  /** About how many requests a period takes: the unit of the progress. */
  requestsFor(period: Period): number
  /** Reads a period in windows that follow one another. @throws {ApiError} of a window of which nothing can be read */
  read(period: Period, options: ReadOptions): AsyncGenerator<SourceWindow>
}

export interface ReadOptions {
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
  /** Figures that were not answered, with the reason: they are not in the series. */
  readonly unanswered: readonly Unanswered[]
}

export interface Unanswered {
  /** Of a hole. */
  readonly subject: string
  readonly failure: ApiError
}

export interface PoolSourceOptions extends Pick<HistorySource, 'key' | 'system' | 'gaps'> {
  readonly poolId: string
  /** The label `pool`. */
  readonly label: string
  readonly client: Pick<SystemClient, 'history'>
  /** Maximum number of points of a series in one request, at the beginning. */
  readonly points: number
}

/** The past of a pool, from its nodes feed. */
export function poolSource({ client, poolId, points, label, ...source }: PoolSourceOptions): HistorySource {
  // One list for all parts and gaps.
  const reported = new Set<string>()
  return {
    ...source,
    label: `pool ${label}`,
    requestsFor: ({ start, end, interval }) => (end - start) / interval / points,
    async *read(period, { labels, notice, signal }) {
      const once = createNotices(notice, reported)
      const options = { client, poolId, period, points, signal, notice: (text: string) => once(text, text) }
      for await (const window of readPool(options)) {
        const { reading } = window
        const series = [...historySeries(reading, { system: source.system, pool: label }, labels)]
        yield { period: window.period, series, rejected: reading.rejected, unanswered: [] }
      }
    },
  }
}
