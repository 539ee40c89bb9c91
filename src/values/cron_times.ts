import { createTask } from 'node-cron'

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
