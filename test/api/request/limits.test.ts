import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLimits, type Urgency } from '../../../src/api/request/operation.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { never } from '../http/responses.ts'

const CONFIG = { concurrency: 2, requestsPerSecond: 10, maxResponseBytes: 1000 }
const neverAborted = () => ({ signal: never(), urgency: 'poll' as const })

describe('withPermit', () => {
  test('runs at most `concurrency` tasks at once, in order', async () => {
    const limits = createLimits(CONFIG)
    const began: number[] = []
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const tasks = ends.map(({ promise }, index) =>
      limits.withPermit(() => {
        began.push(index)
        return promise
      }, neverAborted()),
    )
    expect(began).toEqual([0, 1])
    expect(limits.usage()).toEqual({ running: 2, waiting: 3 })
    ends[1]?.reject(new Error('bad'))
    await expect(tasks[1]).rejects.toThrow('bad')
    await waitForAssertion(() => expect(began).toEqual([0, 1, 2]))
    for (const end of ends) end.resolve()
    await Promise.allSettled(tasks)
    expect(began).toEqual([0, 1, 2, 3, 4])
  })

  test('the most urgent of the waiters goes first', async () => {
    const limits = createLimits({ ...CONFIG, concurrency: 1 })
    const first = Promise.withResolvers<void>()
    const began: Urgency[] = []
    const task = (urgency: Urgency) =>
      limits.withPermit(async () => void began.push(urgency), { signal: never(), urgency })
    const tasks = [
      limits.withPermit(() => first.promise, { signal: never() }),
      ...(['other', 'query', 'poll'] as const).map(task),
    ]
    first.resolve()
    await Promise.all(tasks)
    expect(began).toEqual(['poll', 'query', 'other'])
  })

  test.each([
    [1, ['other']],
    [2, ['other', 'poll']],
    [3, ['other', 'query', 'poll']],
    [5, ['other', 'other', 'other', 'query', 'poll']],
  ] as const)(
    'of %i permits, one is for polls alone, and one for polls and queries, if there are so many',
    (concurrency, expected) => {
      const limits = createLimits({ ...CONFIG, concurrency })
      const began: Urgency[] = []
      for (const urgency of ['other', 'query', 'poll'] as const)
        for (let count = 0; count < 10; count += 1)
          void limits.withPermit(
            () => {
              began.push(urgency)
              return new Promise(() => undefined)
            },
            { signal: never(), urgency },
          )
      expect(began).toEqual(expected)
      expect(limits.usage()).toEqual({ running: concurrency, waiting: 30 - concurrency })
    },
  )

  test('an aborted waiter is removed and takes no permit', async () => {
    const limits = createLimits({ ...CONFIG, concurrency: 1 })
    const first = Promise.withResolvers<void>()
    const holder = limits.withPermit(() => first.promise, neverAborted())
    const stop = new AbortController()
    const aborted = limits.withPermit(async () => 'never', { signal: stop.signal })
    const waiting = limits.withPermit(async () => 'done', neverAborted())
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    first.resolve()
    await holder
    await expect(waiting).resolves.toBe('done')
  })
})

test('with an aborted signal a task is not run, and no token is taken', async () => {
  const limits = createLimits({ ...CONFIG, requestsPerSecond: 0.001 })
  const signal = AbortSignal.abort(new Error('stopped'))
  let ran = false
  const task = async () => {
    ran = true
  }
  await expect(limits.withPermit(task, { signal })).rejects.toThrow('stopped')
  await expect(limits.pace(signal)).rejects.toThrow('stopped')
  expect(ran).toBe(false)
  await limits.pace(never())
})

describe('pace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** The times at which `count` requests are sent, in milliseconds since the first. */
  async function sendTimes(count: number, requestsPerSecond: number): Promise<number[]> {
    const limits = createLimits({ ...CONFIG, requestsPerSecond })
    await vi.advanceTimersByTimeAsync(60_000)
    const began = performance.now()
    const times: number[] = []
    for (let index = 0; index < count; index += 1)
      void limits.pace(never()).then(() => times.push(performance.now() - began))
    await vi.advanceTimersByTimeAsync(60_000)
    return times
  }

  test('the first request is sent at once, the others evenly spread, also after a pause', async () => {
    const times = await sendTimes(35, 10)
    expect(times).toHaveLength(35)
    expect(times[0]).toBe(0)
    const inSecondFrom = (from: number) => times.filter((at) => at >= from && at < from + 1000).length
    expect(Math.max(...times.map(inSecondFrom))).toBeLessThanOrEqual(10)
    expect(times.at(-1)).toBeLessThan(3600)
  })

  test('a waiter whose signal aborts stops waiting', async () => {
    const limits = createLimits({ ...CONFIG, requestsPerSecond: 1 })
    await limits.pace(never())
    const stop = new AbortController()
    const waiting = limits.pace(stop.signal)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})
