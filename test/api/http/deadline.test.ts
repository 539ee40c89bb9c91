import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { untilAborted, withDeadline } from '../../../src/api/http/waiting.ts'
import { never } from './responses.ts'

const untilAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('withDeadline', () => {
  test('aborts with a TimeoutError at the deadline', async () => {
    await expect(withDeadline(never(), 1, untilAbort)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('aborts with the reason of the outer signal', async () => {
    const stop = new AbortController()
    const ended = withDeadline(stop.signal, 60_000, untilAbort)
    stop.abort(new Error('stopped'))
    await expect(ended).rejects.toThrow('stopped')
    await expect(
      withDeadline(stop.signal, 60_000, async (signal) => signal.throwIfAborted()),
    ).rejects.toThrow('stopped')
  })

  test('leaves neither a listener nor a timer, after success and after failure', async () => {
    vi.useFakeTimers()
    const { signal } = new AbortController()
    await withDeadline(signal, 60_000, async () => 'good')
    await expect(withDeadline(signal, 60_000, async () => Promise.reject(new Error('bad')))).rejects.toThrow(
      'bad',
    )
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  test('accepts a timeout longer than the maximum of setTimeout', async () => {
    const weeks = 10 * 7 * 86_400_000
    await expect(
      withDeadline(never(), weeks, async (signal) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return signal.aborted
      }),
    ).resolves.toBe(false)
  })
})

describe('untilAborted', () => {
  test('shares a promise: an abort rejects only its own caller', async () => {
    const shared = Promise.withResolvers<string>()
    const aborting = new AbortController()
    const [aborted, waiting] = [
      untilAborted(shared.promise, aborting.signal),
      untilAborted(shared.promise, never()),
    ]
    aborting.abort(new DOMException('over', 'TimeoutError'))
    await expect(aborted).rejects.toMatchObject({ reason: 'timeout' })
    shared.resolve('token')
    await expect(waiting).resolves.toBe('token')
    expect(getEventListeners(aborting.signal, 'abort')).toEqual([])
  })
})
