import { nextTimes } from '../values/cron_times.ts'

/** Runs a task at the times of a cron expression, from `start` to `stop`. */
export type Schedule = ReturnType<typeof createSchedule>

export interface ScheduleOptions {
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
