import type { Range } from './query.ts'
import { type Snapshot, timesOf } from './series.ts'

/** How the history and forecasts of the feed are served; faults change it. */
export interface HistorySettings {
  /** Points appear so many seconds after their time. */
  readonly lateSeconds: number
  /** Every day lacks the points of its first seconds (UTC). */
  readonly gapSeconds: number
  /** Points are not in the order of time, and the first one occurs twice. */
  readonly isUnordered: boolean
  /** startTime, endTime and interval have no effect. */
  readonly ignoresRange: boolean
  /** An attribute without stored history: its series is a single 0 at the time of the response. */
  readonly withoutHistory: string | undefined
  /** Forecasts are served only without `dataType`, or only with `dataType=current`. */
  readonly forecastsOnly: 'category' | 'current' | undefined
}

export const HISTORY_SETTINGS: HistorySettings = {
  lateSeconds: 0,
  gapSeconds: 0,
  isUnordered: false,
  ignoresRange: false,
  withoutHistory: undefined,
  forecastsOnly: undefined,
}

const SECONDS_PER_DAY = 86_400

/** The times of a series that are served at `now`, in epoch seconds. */
export function servedTimes(range: Range, now: number, settings: HistorySettings, keptFrom = 0): number[] {
  const times = timesOf(range, now - settings.lateSeconds, keptFrom)
  return settings.gapSeconds === 0 ? times : times.filter((t) => t % SECONDS_PER_DAY >= settings.gapSeconds)
}

/** The series in the order in which it is served. */
export function servedOrder(series: readonly Snapshot[], settings: HistorySettings): readonly Snapshot[] {
  return settings.isUnordered ? [...series.toReversed(), ...series.slice(0, 1)] : series
}
