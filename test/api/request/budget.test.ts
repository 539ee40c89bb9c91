import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBudget } from '../../../src/api/request/budget.ts'
import { never } from '../http/answers.ts'

const limits = { concurrency: 2, requestsPerSecond: 10, maxResponseBytes: 1000 }

describe('withPlace', () => {
  test('runs no more tasks at once than allowed, in the order in which they came', async () => {
    const budget = createBudget(limits)
    const began: number[] = []
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const tasks = ends.map(({ promise }, index) =>
      budget.withPlace(never(), () => {
        began.push(index)
        return promise
      }),
    )
    await vi.waitFor(() => expect(began).toEqual([0, 1]))
    ends[1]?.reject(new Error('bad'))
    await expect(tasks[1]).rejects.toThrow('bad')
    await vi.waitFor(() => expect(began).toEqual([0, 1, 2]))
    for (const end of ends) end.resolve()
    await Promise.allSettled(tasks)
    expect(began).toEqual([0, 1, 2, 3, 4])
  })

  test('who leaves the queue takes no place', async () => {
    const budget = createBudget({ ...limits, concurrency: 1 })
    const first = Promise.withResolvers<void>()
    const holding = budget.withPlace(never(), () => first.promise)
    const impatient = new AbortController()
    const leaving = budget.withPlace(impatient.signal, async () => 'never')
    const staying = budget.withPlace(never(), async () => 'after all')
    impatient.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    first.resolve()
    await holding
    await expect(staying).resolves.toBe('after all')
    await expect(budget.withPlace(never(), async () => 'free again')).resolves.toBe('free again')
    await expect(budget.withPlace(impatient.signal, async () => 'never')).rejects.toThrow('enough')
  })
})

describe('pace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('no second sees more requests than its share', async () => {
    const budget = createBudget(limits)
    const sentAt: number[] = []
    const began = performance.now()
    for (let index = 0; index < 35; index += 1) {
      void budget.pace(never()).then(() => sentAt.push(performance.now() - began))
    }
    await vi.advanceTimersByTimeAsync(5000)
    expect(sentAt).toHaveLength(35)
    const within = (from: number) => sentAt.filter((at) => at >= from && at < from + 1000).length
    expect(Math.max(...sentAt.map(within))).toBe(10)
    expect(sentAt.at(-1)).toBe(3400)
  })

  test('a task begins when its first request may go, which counts once', async () => {
    const budget = createBudget({ ...limits, requestsPerSecond: 1 })
    const began = performance.now()
    const sentAt: number[] = []
    const task = (requests: number) =>
      budget.withPlace(never(), async () => {
        const begun = performance.now()
        for (let count = 0; count < requests; count += 1) {
          await budget.pace(never())
          sentAt.push(performance.now() - began)
          if (count === 0) expect(performance.now()).toBe(begun)
        }
      })
    // One that sends nothing leaves its turn to nobody.
    const tasks = [task(0), task(0), task(2), task(1)]
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(tasks)
    expect(sentAt).toEqual([2000, 3000, 4000])
  })

  test('those who have a place go before those who wait for their first turn', async () => {
    const budget = createBudget({ ...limits, concurrency: 8, requestsPerSecond: 1 })
    const began = performance.now()
    const sent: string[] = []
    const task = (name: string) =>
      budget.withPlace(never(), async () => {
        for (const what of ['login', 'nodes']) {
          await budget.pace(never())
          sent.push(`${name} ${what} ${performance.now() - began}`)
        }
      })
    const tasks = ['a', 'b'].map(task)
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(tasks)
    expect(sent).toEqual(['a login 0', 'a nodes 1000', 'b login 2000', 'b nodes 3000'])
  })

  test('turns that wait for a slow login are not saved up', async () => {
    const budget = createBudget({ ...limits, concurrency: 8, requestsPerSecond: 10 })
    const began = performance.now()
    const login = Promise.withResolvers<void>()
    const sentAt: number[] = []
    const tasks = Array.from({ length: 30 }, () =>
      budget.withPlace(never(), async () => {
        await login.promise
        await budget.pace(never())
        sentAt.push(performance.now() - began)
      }),
    )
    await vi.advanceTimersByTimeAsync(3000)
    login.resolve()
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(tasks)
    const within = (from: number) => sentAt.filter((at) => at >= from && at < from + 1000).length
    expect(Math.max(...sentAt.map(within))).toBeLessThanOrEqual(11)
  })

  test('does not save up for later', async () => {
    const budget = createBudget(limits)
    await vi.advanceTimersByTimeAsync(60_000)
    let sent = 0
    for (let index = 0; index < 20; index += 1) void budget.pace(never()).then(() => (sent += 1))
    await vi.advanceTimersByTimeAsync(450)
    expect(sent).toBe(5)
  })

  test('who waits may leave', async () => {
    const budget = createBudget({ ...limits, requestsPerSecond: 1 })
    await budget.pace(never())
    const impatient = new AbortController()
    const waiting = budget.pace(impatient.signal)
    impatient.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})
