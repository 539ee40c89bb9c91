import fc from 'fast-check'
import { createTask, getTasks } from 'node-cron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTimes } from '../../src/values/cron_times.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** The next times after `now` in a time zone, in ISO form. */
function timesIn(zone: string, now: string, expression: string, count: number): string[] {
  vi.stubEnv('TZ', zone)
  vi.setSystemTime(now)
  return nextTimes(expression, count).map((time) => new Date(time).toISOString().slice(0, -5))
}

describe('an expression that repeats every hour', () => {
  const value = fc.integer({ min: 0, max: 59 })
  const range = fc.tuple(value, value).map((ends) => ends.toSorted((a, b) => a - b).join('-'))
  const part = fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 1, max: 70 }).map((step) => `*/${step}`),
    value.map(String),
    range,
  )
  const field = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','))
  // No time zone changes its difference from UTC in these days.
  const now = fc.integer({ min: Date.UTC(2026, 0, 10), max: Date.UTC(2026, 1, 5) })

  test('has the times that node-cron computes', () => {
    fc.assert(
      fc.property(field, field, now, (seconds, minutes, time) => {
        vi.setSystemTime(time)
        const expression = `${seconds} ${minutes} * * * *`
        const task = createTask(expression, () => undefined)
        const expected = task.getNextRuns(3).map((one) => one.getTime())
        task.destroy()
        expect(nextTimes(expression, 3)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  test('has times in the hour that is repeated when summer time ends', () => {
    const times = timesIn('Europe/Berlin', '2026-10-25T00:58:30Z', '0 * * * * *', 3)
    expect(times).toEqual(['2026-10-25T00:59:00', '2026-10-25T01:00:00', '2026-10-25T01:01:00'])
  })

  test('continues when summer time begins', () => {
    const times = timesIn('Europe/Berlin', '2026-03-29T00:30:00Z', '0 */15 * * * *', 3)
    expect(times).toEqual(['2026-03-29T00:45:00', '2026-03-29T01:00:00', '2026-03-29T01:15:00'])
  })

  test('has the minutes of local time where it changes by half an hour', () => {
    const times = timesIn('Australia/Lord_Howe', '2026-04-04T14:10:00Z', '0 0 * * * *', 2)
    expect(times).toEqual(['2026-04-04T15:30:00', '2026-04-04T16:30:00'])
  })
})

describe('Intl.DateTimeFormat, which takes memory,', () => {
  const isNeeded = (expression: string) => {
    const format = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
    nextTimes(expression, 1)
    const isCalled = format.mock.calls.length > 0
    format.mockRestore()
    return isCalled
  }

  test.each([
    '0 * * * * *',
    '* */15 * * * *',
    '*/20 5,10-12 * * * *',
    '0-10,50 59 * * * *',
    '  1  2 * * * * ',
  ])('is not needed for the expression %j', (expression) => expect(isNeeded(expression)).toBe(false))

  test.each(['0 0 5 * * *', '0 50-10 * * * *', '1-60/2 0 * * * *'])(
    'is needed for the expression %j',
    (expression) => expect(isNeeded(expression)).toBe(true),
  )
})

test('an expression with restricted hours or days has the times that node-cron computes', () => {
  const tasksBefore = getTasks().size
  vi.setSystemTime('2026-05-05T10:20:30Z')
  for (const expression of [
    '0 0 * 1 * *',
    '0 30 */6 * * *',
    '5 5 * * jan mon',
    '0 0 0 L * *',
    '0 50-10 * * * *',
  ]) {
    const task = createTask(expression, () => undefined)
    const expected = task.getNextRuns(2).map((time) => time.getTime())
    task.destroy()
    expect(nextTimes(expression, 2)).toEqual(expected)
  }
  expect(getTasks().size).toBe(tasksBefore)
})

test('an expression that no date matches is refused', () => {
  expect(() => nextTimes('0 0 0 31 2 *', 1)).toThrow()
})
