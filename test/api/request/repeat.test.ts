import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { REASONS, type Reason } from '../../../src/api/errors/reasons.ts'
import { repeated } from '../../../src/api/request/repeat.ts'
import { never } from '../http/answers.ts'

const PASSING: readonly Reason[] = ['connect', 'reset', 'unavailable', 'server_error']
const body = (retryable: boolean | undefined) => ({
  code: 999,
  description: undefined,
  details: undefined,
  retryable,
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Runs an attempt that always fails; gives the times of the attempts since the first, in milliseconds. */
async function attemptsOf(failure: unknown, timeMs = 30_000): Promise<number[]> {
  const began = performance.now()
  const times: number[] = []
  const attempt = async () => {
    times.push(performance.now() - began)
    throw failure
  }
  const end = expect(repeated(attempt, { signal: never(), deadline: began + timeMs })).rejects.toBe(failure)
  await vi.advanceTimersByTimeAsync(timeMs * 2)
  await end
  return times
}

describe('repeated', () => {
  test.each(Object.keys(REASONS) as Reason[])('%s', async (reason) => {
    const times = await attemptsOf(new ApiError(reason, 'bad'))
    expect(times).toHaveLength(PASSING.includes(reason) ? 3 : 1)
  })

  test('the pause grows, and is never the same twice', async () => {
    const runs = [
      await attemptsOf(new ApiError('reset', 'bad')),
      await attemptsOf(new ApiError('reset', 'bad')),
    ]
    for (const [, second = 0, third = 0] of runs) {
      expect(second).toBeGreaterThanOrEqual(250)
      expect(second).toBeLessThanOrEqual(500)
      expect(third - second).toBeGreaterThanOrEqual(500)
      expect(third - second).toBeLessThanOrEqual(1000)
    }
  })

  test('not where the system says that it is of no use', async () => {
    expect(await attemptsOf(new ApiError('server_error', 'bad', { body: body(false) }))).toHaveLength(1)
    expect(await attemptsOf(new ApiError('unavailable', 'bad', { body: body(false) }))).toHaveLength(1)
    expect(await attemptsOf(new ApiError('server_error', 'bad', { body: body(true) }))).toHaveLength(3)
    expect(await attemptsOf(new ApiError('server_error', 'bad', { body: body(undefined) }))).toHaveLength(3)
  })

  test('as late as the system asks for', async () => {
    const [, second] = await attemptsOf(new ApiError('unavailable', 'bad', { retryAfterMs: 7000 }))
    expect(second).toBe(7000)
  })

  test('not when the pause that the system asks for does not fit into the time left', async () => {
    expect(await attemptsOf(new ApiError('unavailable', 'bad', { retryAfterMs: 30_000 }))).toHaveLength(1)
    expect(await attemptsOf(new ApiError('unavailable', 'bad', { retryAfterMs: 20_000 }))).toHaveLength(2)
  })

  test('not what is a fault of the program', async () => {
    expect(await attemptsOf(new TypeError('bad'))).toHaveLength(1)
  })

  test('gives what the attempt gives in the end', async () => {
    const outcomes = [new ApiError('reset', 'bad'), 'good']
    const attempt = async () => {
      const outcome = outcomes.shift()
      if (outcome instanceof Error) throw outcome
      return outcome
    }
    const result = repeated(attempt, { signal: never(), deadline: performance.now() + 30_000 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(await result).toBe('good')
  })

  test('a pause ends with the signal', async () => {
    const stop = new AbortController()
    const attempt = async () => Promise.reject(new ApiError('reset', 'bad'))
    const result = repeated(attempt, { signal: stop.signal, deadline: performance.now() + 30_000 })
    const ended = expect(result).rejects.toMatchObject({ name: 'AbortError' })
    await vi.advanceTimersByTimeAsync(100)
    stop.abort()
    await ended
    expect(vi.getTimerCount()).toBe(0)
  })
})
