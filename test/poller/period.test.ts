import { getTasks } from 'node-cron'
import { expect, test } from 'vitest'
import { pollPeriodMs } from '../../src/poller/period.ts'

const MINUTE = 60_000

test.each([
  ['0 * * * * *', MINUTE],
  ['*/15 * * * * *', 15_000],
  ['0 0,20 * * * *', 40 * MINUTE],
  // Twelve runs in a row have one pause of 55 minutes, wherever they begin.
  ['0 0-5 * * * *', 55 * MINUTE],
])('%s has at most %d ms between its runs', (expression, ms) => {
  const tasksBefore = getTasks().size
  expect(pollPeriodMs(expression)).toBe(ms)
  expect(getTasks().size).toBe(tasksBefore)
})
