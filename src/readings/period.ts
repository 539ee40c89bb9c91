import { MS_PER_SECOND, SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../time_units.ts'
import { BoundedMap } from '../values/bounded_map.ts'
import { nextTimes } from '../values/cron_times.ts'

const HOUR_MS = SECONDS_PER_HOUR * MS_PER_SECOND
const WEEK_MS = 7 * SECONDS_PER_DAY * MS_PER_SECOND
/**
 * Runs that are compared: so many, until they take an hour or a week, after which schedules repeat. The last one bounds the
 * time for schedules with many runs, and is enough for the pause of a night where there is a run every minute.
 */
const RUNS = [12, 200, 1200] as const
/** Systems mostly have the same schedules, and hundreds of runs take milliseconds. */
const known = new BoundedMap<string, number>(100)

/** The longest time between two runs of a cron expression in a row, in milliseconds. */
export function pollPeriodMs(expression: string): number {
  const period = known.get(expression) ?? longestPauseMs(expression)
  known.set(expression, period)
  return period
}

function longestPauseMs(expression: string): number {
  const spanMs = repeatsHourly(expression) ? HOUR_MS : WEEK_MS
  let times: readonly number[] = []
  for (const runs of RUNS) {
    times = nextTimes(expression, runs)
    if ((times.at(-1) ?? 0) - (times[0] ?? 0) > spanMs) break
  }
  return times.slice(1).reduce((longest, time, index) => Math.max(longest, time - (times[index] ?? time)), 0)
}

/** Whether hour, day, month and weekday are not restricted. */
function repeatsHourly(expression: string): boolean {
  const [, , ...fields] = expression.trim().split(/\s+/)
  return fields.every((field) => field === '*')
}
