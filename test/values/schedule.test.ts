import { getTasks } from 'node-cron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSchedule, type Schedule } from '../../src/values/schedule.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 0, 1, 12, 0, 30)
let running: Schedule | undefined

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => {
  running?.stop()
  vi.useRealTimers()
})

/** Starts a schedule; returns its runs so far, in seconds since the start by the monotonic clock. */
function runsOf(expression = '0 * * * * *', maxRandomDelayMs = 0): number[] {
  const began = performance.now()
  const runs: number[] = []
  running = createSchedule({
    expression,
    maxRandomDelayMs,
    run: () => runs.push(Math.round((performance.now() - began) / 100) / 10),
  })
  running.start()
  return runs
}

describe('a schedule', () => {
  test('runs at its times until it is stopped', async () => {
    const tasksBefore = getTasks().size
    const runs = runsOf()
    expect(running?.next()).toBe(START + 30 * SECOND)
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(runs).toEqual([30, 90])
    running?.stop()
    expect(running?.next()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(runs).toEqual([30, 90])
    expect([vi.getTimerCount(), getTasks().size]).toEqual([0, tasksBefore])
  })

  test('continues after the clock was set back', async () => {
    const runs = runsOf()
    await vi.advanceTimersByTimeAsync(40 * SECOND)
    vi.setSystemTime(START - 24 * HOUR)
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(runs).toHaveLength(4)
    expect(Math.max(...runs.map((at, index) => at - (runs[index - 1] ?? 0)))).toBeLessThanOrEqual(70)
  })

  test.each([
    ['an hour', START + HOUR],
    ['half a century', Date.UTC(2076, 0, 1, 12, 0, 30)],
  ])('runs once after the clock was set forward by %s', async (_, now) => {
    const runs = runsOf()
    await vi.advanceTimersByTimeAsync(SECOND)
    vi.setSystemTime(now)
    await vi.advanceTimersByTimeAsync(12 * SECOND)
    expect(runs).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(runs).toHaveLength(2)
  })

  test('runs at every time', async () => {
    const runs = runsOf('*/2 * * * * *')
    await vi.advanceTimersByTimeAsync(MINUTE + 100)
    expect(runs).toHaveLength(30)
  })

  test('delays each run at random, and runs once for each time', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const runs = runsOf('* * * * * *', 5 * SECOND)
    await vi.advanceTimersByTimeAsync(20 * SECOND)
    random.mockRestore()
    expect(runs).toEqual([3.5, 6.5, 9.5, 12.5, 15.5, 18.5])
  })

  test('drops a delayed run when it is stopped', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const runs = runsOf('* * * * * *', HOUR)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    random.mockRestore()
    running?.stop()
    await vi.advanceTimersByTimeAsync(2 * HOUR)
    expect(runs).toEqual([])
  })

  test('waits for a time that is a month ahead', async () => {
    const runs = runsOf('0 0 0 1 2 *')
    await vi.advanceTimersByTimeAsync(30 * 24 * HOUR)
    expect(runs).toEqual([])
    await vi.advanceTimersByTimeAsync(24 * HOUR)
    expect(runs).toEqual([(30 * 24 * HOUR + 12 * HOUR - 30 * SECOND) / SECOND])
  })
})
