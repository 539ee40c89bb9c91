import { MS_PER_SECOND, SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../time_units.ts'
import { BoundedMap } from '../values/bounded_map.ts'
import { nextTimes } from '../values/cron_times.ts'

const MINUTE_MS = 60 * MS_PER_SECOND
const HOUR_MS = SECONDS_PER_HOUR * MS_PER_SECOND
const DAY_MS = SECONDS_PER_DAY * MS_PER_SECOND
/** Days with runs that are compared: a fortnight and more, after which weekly schedules have repeated. */
const DAYS = 15
/** Systems mostly have the same schedules. */
const known = new BoundedMap<string, number>(100)

/** The longest time between two runs of a cron expression in a row, in milliseconds, at any number of runs. */
export function pollPeriodMs(expression: string): number {
  const period = known.get(expression) ?? longestPauseMs(expression)
  known.set(expression, period)
  return period
}

/** The runs in a minute, an hour, a day or the days that are compared. */
interface Runs {
  readonly first: number
  readonly last: number
  readonly longestPause: number
}

/** Days have the same times of day, hours the same minutes, and minutes the same seconds. */
function longestPauseMs(expression: string): number {
  const [second, minute, hour, ...day] = expression.trim().split(/\s+/)
  const within = (reduced: string, runs: number, ms: number) =>
    [...new Set(nextTimes(reduced, runs).map((time) => time % ms))].toSorted((a, b) => a - b)
  return [
    within(`${second} * * * * *`, 60, MINUTE_MS),
    within(`0 ${minute} * * * *`, 60, HOUR_MS),
    within(`0 0 ${hour} * * *`, 24, DAY_MS),
    nextTimes(`0 0 0 ${day.join(' ')}`, DAYS),
  ].reduce(runsOf, { first: 0, last: 0, longestPause: 0 }).longestPause
}

/** The runs of units that begin at these times. */
function runsOf({ first, last, longestPause }: Runs, times: readonly number[]): Runs {
  const pauses = times.slice(1).map((time, index) => time + first - (times[index] ?? 0) - last)
  return {
    first: (times[0] ?? 0) + first,
    last: (times.at(-1) ?? 0) + last,
    longestPause: Math.max(longestPause, ...pauses),
  }
}
