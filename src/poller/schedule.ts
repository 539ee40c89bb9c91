import { nextTimes } from '../values/cron_times.ts'

/** Runs a task at the times of a cron expression, from `start` to `stop`. */
export interface Schedule {
  start(): void
  /** When it is due next, in milliseconds since the epoch; undefined while it does not run. */
  next(): number | undefined
  stop(): void
}

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
/** A clock that is off by more than this from the time that has passed was set. */
const MAX_DRIFT_MS = 1000

/**
 * The waiting is done here, because timers of node-cron stop for as long as the clock is set back, and walk through every
 * run that was missed when it is set forward, which after a start in 1970 is millions of them.
 */
export function createSchedule({ expression, maxRandomDelayMs, run }: ScheduleOptions): Schedule {
  let timer: NodeJS.Timeout | undefined
  let delay: NodeJS.Timeout | undefined
  let due: number | undefined
  /** At the first look the clock counts as set, so that the first time is computed then. */
  let looked = { wall: Number.NEGATIVE_INFINITY, steady: 0 }

  function look(): void {
    const wall = Date.now()
    const steady = performance.now()
    const wasSet = Math.abs(wall - looked.wall - (steady - looked.steady)) > MAX_DRIFT_MS
    looked = { wall, steady }
    const isDue = due !== undefined && wall >= due
    if (isDue) runSoon()
    if (isDue || wasSet) [due] = nextTimes(expression, 1)
    if (due !== undefined) timer = setTimeout(look, Math.min(Math.max(due - wall, 1), MAX_SLEEP_MS))
  }

  /** However much was missed, one run makes up for it; one that still waits for its delay stands for both. */
  function runSoon(): void {
    if (delay !== undefined) return
    const delayMs = Math.floor(Math.random() * maxRandomDelayMs)
    delay = setTimeout(() => {
      delay = undefined
      run()
    }, delayMs)
  }

  return {
    start: look,
    next: () => due,
    stop() {
      clearTimeout(timer)
      clearTimeout(delay)
      due = undefined
    },
  }
}
