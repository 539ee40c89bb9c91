import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { untilAborted, withDeadline } from '../../../src/api/http/waiting.ts'

const { signal } = new AbortController()
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a deadline leaves neither a listener nor a timer, after success and after failure', async () => {
  await withDeadline(signal, 60_000, async () => 'good')
  const failed = withDeadline(signal, 60_000, async () => Promise.reject(new Error('bad')))
  await expect(failed).rejects.toThrow('bad')
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a deadline that is longer than a timer can be is not over at once', async () => {
  const isOver = withDeadline(signal, 2 ** 31, async (ofTask) => {
    await vi.advanceTimersByTimeAsync(60_000)
    return ofTask.aborted
  })
  expect(await isOver).toBe(false)
})

test('a wait for a shared promise leaves no listener', async () => {
  expect(await untilAborted(Promise.resolve('token'), signal)).toBe('token')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
