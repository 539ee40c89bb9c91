import { createTask } from 'node-cron'

/**
 * The next times of a valid cron expression of six fields in the local time zone, in milliseconds since the epoch.
 *
 * node-cron computes them, except for those of schedules that repeat every hour, such as the defaults: of these it omits
 * the hour that is repeated when summer time ends, and it needs Intl.DateTimeFormat, which takes 9 MiB of memory.
 *
 * @param count at least 1
 * @throws if no date matches
 */
export function nextTimes(expression: string, count: number): number[] {
  const hourly = parseHourly(expression)
  if (hourly !== undefined) return nextHourlyTimes(hourly, count)
  const task = createTask(expression, () => undefined)
  try {
    return task.getNextRuns(count).map((time) => time.getTime())
  } finally {
    task.destroy()
  }
}

/** Whether its runs are the same in every hour. */
export function repeatsHourly(expression: string): boolean {
  return parseHourly(expression) !== undefined
}

/** The matching seconds of a minute, and minutes of an hour. */
interface Hourly {
  readonly seconds: ReadonlySet<number>
  readonly minutes: ReadonlySet<number>
}

/** Undefined if hour, day, month or weekday are restricted, or a field has a form that is left to node-cron. */
function parseHourly(expression: string): Hourly | undefined {
  const [second = '', minute = '', ...others] = expression.trim().split(/\s+/)
  if (others.some((field) => field !== '*')) return undefined
  const seconds = parseField(second)
  const minutes = parseField(minute)
  return seconds && minutes && { seconds, minutes }
}

const VALUES = Array.from({ length: 60 }, (_, value) => value)

/** The values of a list of `*`, steps from 0, numbers, and ranges that do not pass the end. */
function parseField(field: string): ReadonlySet<number> | undefined {
  const all = new Set<number>()
  for (const part of field.split(',')) {
    const matches = parsePart(part)
    const values = matches === undefined ? [] : VALUES.filter(matches)
    if (values.length === 0) return undefined
    for (const value of values) all.add(value)
  }
  return all
}

function parsePart(part: string): ((value: number) => boolean) | undefined {
  if (part === '*') return () => true
  const [, step] = /^\*\/(\d+)$/.exec(part) ?? []
  if (step !== undefined) return (value) => value % Number(step) === 0
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
  if (first === undefined) return undefined
  return (value) => value >= Number(first) && value <= Number(last)
}

const SECOND_MS = 1000

/** All time zones differ from UTC by whole minutes, but not all by whole hours, and not always by the same. */
function nextHourlyTimes({ seconds, minutes }: Hourly, count: number): number[] {
  const times: number[] = []
  const time = new Date(Math.floor(Date.now() / SECOND_MS) * SECOND_MS)
  while (times.length < count) {
    const isMatchingMinute = minutes.has(time.getMinutes())
    time.setTime(time.getTime() + (isMatchingMinute ? 1 : VALUES.length - time.getUTCSeconds()) * SECOND_MS)
    if (minutes.has(time.getMinutes()) && seconds.has(time.getUTCSeconds())) times.push(time.getTime())
  }
  return times
}
