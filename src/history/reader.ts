import type { SystemClient } from '../api/client.ts'
import type { HistoryReading } from '../api/history/history.ts'
import type { Period } from '../api/history/series.ts'
import { createNotices, readWindows, type Window, type WindowOptions } from './windows.ts'

export interface PoolReaderOptions
  extends Pick<WindowOptions<HistoryReading>, 'signal' | 'firstPauseMs' | 'maxRepetitions'> {
  readonly client: Pick<SystemClient, 'history'>
  readonly poolId: string
  /** Start and end are multiples of the interval. */
  readonly period: Period
  /** Maximum number of points of one series in one request, at the beginning. */
  readonly points: number
  /** Called for each kind of deviation of the system, once. */
  readonly notice: (text: string) => void
}

export type HistoryWindow = Window<HistoryReading>

/**
 * Reads a period of a pool from its nodes feed, in windows ({@link readWindows}).
 * @throws {ApiError} of a window that cannot be read
 */
export function readPool(options: PoolReaderOptions): AsyncGenerator<HistoryWindow> {
  const { client, poolId, period } = options
  const { interval } = period
  const deviations = createDeviations(options.notice)

  async function read(window: Period, signal: AbortSignal): Promise<HistoryWindow> {
    const reading = await client.history(poolId, window, signal, withMargin(window))
    deviations.step(reading, interval)
    if (!ignoresPeriod(reading)) return { period: window, reading }
    deviations.ownPeriod()
    const rest = { ...period, start: window.start }
    return { period: rest, reading: await client.history(poolId, rest, signal, withMargin(rest)) }
  }

  return readWindows({ ...options, read })
}

/** It is not documented whether the point at `startTime` is served, so the request begins one interval earlier. */
function withMargin(period: Period): Period {
  return { ...period, start: Math.max(0, period.start - period.interval) }
}

/** Whether most points are so far from the requested period that the system did not regard it. */
function ignoresPeriod({ served }: HistoryReading): boolean {
  return served.farPoints > served.points / 2
}

function createDeviations(notice: (text: string) => void) {
  const once = createNotices(notice)
  return {
    step({ served: { step } }: HistoryReading, interval: number) {
      if (!Number.isFinite(step) || step === interval) return
      once('step', `the system serves points every ${step} s instead of every ${interval} s`)
    },
    ownPeriod() {
      once(
        'period',
        'the system does not regard startTime and endTime: what it sent is used, and it is not asked again',
      )
    },
  }
}
