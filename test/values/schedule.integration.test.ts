import { getTasks } from 'node-cron'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTimes } from '../../src/values/schedule.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test.each([
  ['minutes', '0 * * * * *', ['2026-10-25T00:59', '2026-10-25T01:00', '2026-10-25T01:01']],
  ['odd minutes', '0 1-59/2 * * * *', ['2026-10-25T00:59', '2026-10-25T01:01', '2026-10-25T01:03']],
  ['an hour', '0 30 2 * * *', ['2026-10-25T02:30', '2026-10-26T02:30', '2026-10-27T02:30']],
  ['a day of the month', '0 0 0 L * *', ['2026-10-31T00:00', '2026-11-30T00:00', '2026-12-31T00:00']],
  ['weekdays', '0 0 12 * jan mon', ['2027-01-04T12:00', '2027-01-11T12:00', '2027-01-18T12:00']],
])('times are in UTC, whatever the time zone of the machine is: %s', (_, expression, times) => {
  const tasksBefore = getTasks().size
  for (const zone of ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe']) {
    vi.stubEnv('TZ', zone)
    // In Berlin, summer time ends at 01:00 UTC.
    vi.setSystemTime('2026-10-25T00:58:30Z')
    const found = nextTimes(expression, 3).map((time) => new Date(time).toISOString().slice(0, 16))
    expect(found).toEqual(times)
  }
  expect(getTasks().size).toBe(tasksBefore)
})

test('an expression that no date matches is refused', () => {
  expect(() => nextTimes('0 0 0 31 2 *', 1)).toThrow()
})
