/** Counters of polls and their outcome over hours, one value a minute, for systems that are polled rarely. */

export const INTERVAL = 'sds_system_poll_interval_seconds'

/** Minutes in which something happens every `period` minutes, from `from` to `until`. */
export const minutesOf = (period: number, from: number, until: number): number[] =>
  Array.from({ length: Math.floor((until - from) / period) + 1 }, (_, index) => from + index * period)

/** A counter that starts at 0 and increases at these minutes, with a value for each minute up to `last`. */
export const counter = (minutes: readonly number[], last: number): string =>
  Array.from({ length: last + 1 }, (_, now) => minutes.filter((minute) => minute <= now).length).join(' ')
