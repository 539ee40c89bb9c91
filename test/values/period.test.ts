import { getTasks } from 'node-cron'
import { afterEach, expect, test, vi } from 'vitest'
import { pollPeriodMs } from '../../src/values/schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

afterEach(() => void vi.useRealTimers())

test.each([
  ['0 * * * * *', MINUTE],
  ['*/15 * * * * *', 15_000],
  ['0 0,20 * * * *', 40 * MINUTE],
  // Twelve runs in a row have one pause of 55 minutes, wherever they begin.
  ['0 0-5 * * * *', 55 * MINUTE],
  ['0 0-30 * * * *', 30 * MINUTE],
  ['0 0 0 29 2 *', 1461 * 24 * HOUR],
])('%s has at most %d ms between its runs', (expression, ms) => {
  const tasksBefore = getTasks().size
  expect(pollPeriodMs(expression)).toBe(ms)
  expect(getTasks().size).toBe(tasksBefore)
})

test.each([
  ['0 */20 22-23,0-5 * * *', 16 * HOUR + 20 * MINUTE],
  ['0 * 8-18 * * *', 13 * HOUR + MINUTE],
  ['0 0 8-18 * * 1-5', 62 * HOUR],
  ['0 * 8-18 * * 1-5', 61 * HOUR + MINUTE],
  ['* * 8-18 * * 1-5', 61 * HOUR + 1000],
  ['*/10 * * * * 1,3', 4 * 24 * HOUR + 10_000],
  ['0 0 0 1 * *', 31 * 24 * HOUR],
])('%s has at most %d ms between its runs, whatever the time is', async (expression, ms) => {
  for (const hour of [4, 9, 12, 21]) {
    vi.resetModules()
    vi.useFakeTimers({ now: new Date(2026, 0, 14, hour) })
    const { pollPeriodMs: atThisTime } = await import('../../src/values/schedule.ts')
    expect(atThisTime(expression)).toBe(ms)
  }
})
