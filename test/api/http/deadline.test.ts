import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { withDeadline } from '../../../src/api/http/waiting.ts'

test('a deadline leaves neither a listener nor a timer, after success and after failure', async () => {
  vi.useFakeTimers()
  const { signal } = new AbortController()
  await withDeadline(signal, 60_000, async () => 'good')
  const failed = withDeadline(signal, 60_000, async () => Promise.reject(new Error('bad')))
  await expect(failed).rejects.toThrow('bad')
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
