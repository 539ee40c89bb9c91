import type { SystemClient } from '../../api/client.ts'
import type { FeedReading, NodeReading } from '../../api/feed/feed.ts'
import type { HistoryReading, Period } from '../../api/history/history.ts'
import { BYTES_PER_VALUE } from '../../api/parse/json.ts'
import { historySeries } from '../series.ts'
import { type HistorySource, readWindows, type Window, type WindowOptions } from './source.ts'

export interface FeedPool {
  readonly poolId: string
  readonly client: Pick<SystemClient, 'history'>
  /** Maximum number of points of one series in one request, at the beginning. */
  readonly points: number
}

export interface PoolReaderOptions
  extends FeedPool,
    Pick<WindowOptions<HistoryReading>, 'signal' | 'firstPauseMs' | 'maxRepetitions'> {
  /** Start and end are multiples of the interval. */
  readonly period: Period
  /** Called for each deviation of the system, with every window that has it. */
  readonly notice: (text: string) => void
}

/**
 * Reads a period of a pool from its dashboard API, in windows ({@link readWindows}).
 * @throws {ApiError} of a window that cannot be read
 */
export function readPool(options: PoolReaderOptions): AsyncGenerator<Window<HistoryReading>> {
  const { client, poolId, period, notice, signal } = options
  const { interval } = period
  // It is not documented whether the point at `startTime` is served, so the request begins one interval earlier.
  const request = (window: Period) =>
    client.history(poolId, window, signal, { ...window, start: Math.max(0, window.start - interval) })

  return readWindows({
    ...options,
    async read(window) {
      const reading = await request(window)
      const { step, points, farPoints } = reading.served
      if (Number.isFinite(step) && step !== interval)
        notice(`the system serves points every ${step} s instead of every ${interval} s`)
      // If most points are so far from the requested period, the system did not regard it.
      if (farPoints <= points / 2) return { period: window, reading }
      notice(
        'the system does not regard startTime and endTime: what it sent is used, and it is not requested again',
      )
      const rest = { ...period, start: window.start }
      return { period: rest, reading: await request(rest) }
    },
  })
}

/** The history of a pool, from its dashboard API. @param source its label is the label `pool` */
export function poolSource(
  source: Pick<HistorySource, 'key' | 'system' | 'label'> & FeedPool,
): HistorySource {
  const { key, system, label, poolId, client, points } = source
  return {
    key,
    system,
    label: `pool ${label}`,
    requests: ({ start, end, interval }) => (end - start) / interval / points,
    async *read(period, { labels, notice, signal }) {
      const windows = readPool({ client, poolId, period, points, signal, notice })
      for await (const { period: window, reading } of windows) {
        const series = [...historySeries(reading, { system, pool: label }, labels)]
        yield { period: window, series, rejected: reading.rejected, failed: new Map() }
      }
    },
  }
}

/** JSON values of a snapshot, as they are counted against `limits.max_response_bytes`. */
const VALUES_PER_POINT = 5
/** JSON values of a summary, of the name, and of the two points at the borders that are not used. */
const VALUES_PER_SERIES = 30
/** Nodes and errors may be more than the current values show. */
const FILL = 0.7
/** A day of five-minute points: larger responses take systems long. */
const MAX_POINTS = 288

/** The points of each series that fit into a response of limited size, if a pool has all that it serves now. */
export function pointsPerRequest({ nodes }: FeedReading, maxResponseBytes: number): number {
  const seriesOf = ({ values, errors }: NodeReading) => [...values].length + (errors?.types.length ?? 0) + 1
  const series = nodes.reduce((sum, node) => sum + seriesOf(node), 0)
  const values = (FILL * maxResponseBytes) / BYTES_PER_VALUE / Math.max(series, 1)
  const points = (values - VALUES_PER_SERIES) / VALUES_PER_POINT
  return Math.min(Math.max(Math.floor(points), 1), MAX_POINTS)
}
