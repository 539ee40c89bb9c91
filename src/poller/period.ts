import { nextTimes } from '../values/cron_times.ts'

/** Runs that are compared; enough for every common schedule. */
const RUNS = 12

/** The longest time between two runs of a cron expression in a row, in milliseconds. */
export function pollPeriodMs(expression: string): number {
  const times = nextTimes(expression, RUNS)
  return times.slice(1).reduce((longest, time, index) => Math.max(longest, time - (times[index] ?? time)), 0)
}
