import { createTask } from 'node-cron'
import { MS_PER_SECOND, SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../time_units.ts'
import { BoundedMap, oncePerKey } from './cache.ts'

/**
 * The next times of a valid cron expression of six fields, which is in UTC, in milliseconds since the epoch.
 * @param count at least 1
 * @throws if no date matches
 */
export function nextTimes(expression: string, count: number): number[] {
  const task = createTask(expression, () => undefined, { timezone: 'UTC' })
  try {
    return task.getNextRuns(count).map((time) => time.getTime())
  } finally {
    task.destroy()
  }
}

/** Runs a task at the times of a cron expression, from `start` to `stop`. */
export type Schedule = ReturnType<typeof createSchedule>

interface ScheduleOptions {
  /** Six fields: second, minute, hour, day of the month, month, weekday. */
  readonly expression: string
  /** Each run begins up to so much later, so that requests to many systems are not sent at the same time. */
  readonly maxRandomDelayMs: number
  /** Not awaited, and must not throw. */
  readonly run: () => void
}

/** The clock is checked this often, because it may be set. */
const MAX_SLEEP_MS = 10_000
/** A clock whose change differs by more than this from the elapsed time was set. */
const MAX_DRIFT_MS = 1000

/**
 * Does not use the timers of node-cron: they stop for as long as the clock is set back. When it is set forward they
 * iterate over every missed run, which after a start in 1970 are millions.
 */
export function createSchedule({ expression, maxRandomDelayMs, run }: ScheduleOptions) {
  let timer: NodeJS.Timeout | undefined
  let delay: NodeJS.Timeout | undefined
  let due: number | undefined
  /** Initially the clock counts as set, so that the first check computes the first time. */
  let checked = { wall: Number.NEGATIVE_INFINITY, steady: 0 }

  function check(): void {
    const wall = Date.now()
    const steady = performance.now()
    const wasSet = Math.abs(wall - checked.wall - (steady - checked.steady)) > MAX_DRIFT_MS
    checked = { wall, steady }
    const isDue = due !== undefined && wall >= due
    if (isDue) runSoon()
    if (isDue || wasSet) [due] = nextTimes(expression, 1)
    if (due !== undefined) timer = setTimeout(check, Math.min(Math.max(due - wall, 1), MAX_SLEEP_MS))
  }

  /** There is one run, whatever number was missed, and none if one is still waiting for its delay. */
  function runSoon(): void {
    if (delay !== undefined) return
    const delayMs = Math.floor(Math.random() * maxRandomDelayMs)
    delay = setTimeout(() => {
      delay = undefined
      run()
    }, delayMs)
  }

  return {
    start: check,
    /** When it is due next, in milliseconds since the epoch; undefined while it does not run. */
    next: (): number | undefined => due,
    stop(): void {
      clearTimeout(timer)
      clearTimeout(delay)
      due = undefined
    },
  }
}

const MINUTE_MS = 60 * MS_PER_SECOND
const HOUR_MS = SECONDS_PER_HOUR * MS_PER_SECOND
const DAY_MS = SECONDS_PER_DAY * MS_PER_SECOND
/** Days with runs that are compared: a fortnight and more, after which weekly schedules have repeated. */
const DAYS = 15
/** Systems mostly have the same schedules. */
const MAX_KNOWN = 100

/** The longest time between two runs of a cron expression in a row, in milliseconds, at any number of runs. */
export const pollPeriodMs = oncePerKey(longestPauseMs, new BoundedMap(MAX_KNOWN))

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
