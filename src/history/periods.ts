import type { Period } from '../api/history/series.ts'
import { SECONDS_PER_DAY } from '../time_units.ts'

/** A part of a run that is written as a whole, such as one file. */
export interface BackfillPart {
  /** `2026-03-11` for a day. */
  readonly name: string
  readonly period: Period
}

/** The period, extended to multiples of the interval. */
export function alignedPeriod(from: number, to: number, interval: number): Period {
  return {
    start: Math.floor(from / interval) * interval,
    end: Math.ceil(to / interval) * interval,
    interval,
  }
}

/** The days (UTC) of a period, the first and the last one possibly cut. */
export function daysOf({ start, end, interval }: Period): BackfillPart[] {
  const days: BackfillPart[] = []
  for (let from = start; from < end; ) {
    const midnight = Math.floor(from / SECONDS_PER_DAY + 1) * SECONDS_PER_DAY
    const to = Math.min(midnight, end)
    days.push({
      name: new Date(from * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length),
      period: { start: from, end: to, interval },
    })
    from = to
  }
  return days
}
