import { createTask } from 'node-cron'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { neverSchedule } from './schedules.ts'

const DAY_MS = 86_400_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('is due in more than 140 days, on every day of a leap year', () => {
  for (let day = 0; day < 366; day += 1) {
    vi.setSystemTime(Date.UTC(2028, 0, 1, 12) + day * DAY_MS)
    const task = createTask(neverSchedule(), () => undefined)
    const [next] = task.getNextRuns(1)
    task.destroy()
    expect((next?.getTime() ?? 0) - Date.now()).toBeGreaterThan(140 * DAY_MS)
  }
})
