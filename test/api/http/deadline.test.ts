import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { untilAborted, withDeadline } from '../../../src/api/http/deadline.ts'
import { never } from './answers.ts'

const untilGone = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('withDeadline', () => {
  test('aborts as a timeout when the time is over', async () => {
    await expect(withDeadline(never(), 1, untilGone)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('aborts with the reason of whoever stops', async () => {
    const stop = new AbortController()
    const ended = withDeadline(stop.signal, 60_000, untilGone)
    stop.abort(new Error('the end'))
    await expect(ended).rejects.toThrow('the end')
    await expect(
      withDeadline(stop.signal, 60_000, async (signal) => signal.throwIfAborted()),
    ).rejects.toThrow('the end')
  })

  test('leaves neither a listener nor a timer behind, in whichever way it ends', async () => {
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

  test('takes a time that is longer than a timer can be', async () => {
    const weeks = 10 * 7 * 86_400_000
    await expect(
      withDeadline(never(), weeks, async (signal) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return signal.aborted
      }),
    ).resolves.toBe(false)
  })

  test('a hundred at once make no warning about listeners', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = new AbortController()
    await Promise.all(
      Array.from({ length: 100 }, () => withDeadline(signal, 1000, () => new Promise(setImmediate))),
    )
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})

describe('untilAborted', () => {
  test('gives what is shared to all, and lets one leave without the others', async () => {
    const shared = Promise.withResolvers<string>()
    const impatient = new AbortController()
    const [leaves, stays] = [
      untilAborted(shared.promise, impatient.signal),
      untilAborted(shared.promise, never()),
    ]
    impatient.abort(new DOMException('over', 'TimeoutError'))
    await expect(leaves).rejects.toMatchObject({ reason: 'timeout' })
    shared.resolve('token')
    await expect(stays).resolves.toBe('token')
    expect(getEventListeners(impatient.signal, 'abort')).toEqual([])
  })
})
