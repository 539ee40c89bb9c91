import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError, asApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { createAttempts } from '../../../src/api/http/exchanges.ts'
import { exchangeFailure } from '../../../src/api/http/failures.ts'
import { never } from '../http/responses.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const TIMEOUT_MS = 30 * SECOND
const URLS = ['https://a:4443', 'https://b', 'https://c']

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Attempts at base URLs that fail as set in `failures`. */
function setUp(urls: readonly string[] = URLS) {
  const attempts = createAttempts(urls)
  const failures = new Map<string, unknown>()
  return {
    failures,
    /** Runs one request within 30 s; returns the hosts of the attempts, their times in ms, and the outcome. */
    async run(advanceMs = TIMEOUT_MS) {
      const began = performance.now()
      const hosts: string[] = []
      const times: number[] = []
      const send = async (baseUrl: string) => {
        const { hostname } = new URL(baseUrl)
        hosts.push(hostname)
        times.push(performance.now() - began)
        if (failures.has(hostname)) throw failures.get(hostname)
        return 'answer'
      }
      const running = attempts
        .run(send, { signal: never(), deadline: began + TIMEOUT_MS })
        .catch((failure: unknown) => failure)
      await vi.advanceTimersByTimeAsync(advanceMs)
      return { hosts: hosts.join(''), times, outcome: await running }
    },
  }
}

const apiError = (reason: Reason, extras: ConstructorParameters<typeof ApiError>[2] = {}) =>
  new ApiError(reason, 'bad', extras)
const body = (retryable: boolean | undefined) => {
  return { code: 1, description: undefined, details: undefined, retryable }
}

const reasonsOf = (text: string) => text.split(' ') as Reason[]

describe('one base URL', () => {
  test.each([
    [3, reasonsOf('connect reset unavailable server_error')],
    [1, reasonsOf('timeout tls redirect auth forbidden throttled client_error schema local')],
  ])('%i attempts after %j', async (count, reasons) => {
    for (const reason of reasons) {
      const { run, failures } = setUp(['https://a'])
      failures.set('a', apiError(reason))
      const { hosts, outcome } = await run()
      expect(hosts).toHaveLength(count)
      expect(outcome).toMatchObject({ reason })
    }
  })

  test('pauses grow and have jitter', async () => {
    const { run, failures } = setUp(['https://a'])
    failures.set('a', apiError('reset'))
    for (const { times } of [await run(), await run()]) {
      const [, second = 0, third = 0] = times
      expect(second).toBeGreaterThanOrEqual(250)
      expect(second).toBeLessThanOrEqual(500)
      expect(third - second).toBeGreaterThanOrEqual(500)
      expect(third - second).toBeLessThanOrEqual(1000)
    }
  })

  test('Retry-After is honoured if it fits into the time left', async () => {
    const { run, failures } = setUp(['https://a'])
    failures.set('a', apiError('unavailable', { retryAfterMs: 7000 }))
    expect((await run()).times).toEqual([0, 7000, 14_000])
    failures.set('a', apiError('unavailable', { retryAfterMs: 20_000 }))
    expect((await run()).times).toEqual([0, 20_000])
    failures.set('a', apiError('unavailable', { retryAfterMs: 29_500 }))
    expect((await run()).times).toEqual([0])
  })

  test('a body with retryable: false prevents a retry', async () => {
    const { run, failures } = setUp(['https://a'])
    failures.set('a', apiError('server_error', { body: body(false) }))
    expect((await run()).hosts).toBe('a')
    failures.set('a', apiError('server_error', { body: body(true) }))
    expect((await run()).hosts).toBe('aaa')
  })

  test('an internal error is not retried', async () => {
    const { run, failures } = setUp(['https://a'])
    failures.set('a', new TypeError('a bug'))
    expect(await run()).toMatchObject({ hosts: 'a', outcome: new TypeError('a bug') })
  })

  test('an abort ends a pause', async () => {
    const stop = new AbortController()
    const limits = { signal: stop.signal, deadline: performance.now() + MINUTE }
    const running = createAttempts(['https://a']).run(async () => Promise.reject(apiError('reset')), limits)
    const ended = expect(running).rejects.toMatchObject({ name: 'AbortError' })
    await vi.advanceTimersByTimeAsync(100)
    stop.abort()
    await ended
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('several base URLs', () => {
  test.each([
    ['ab', reasonsOf('timeout connect dns tls reset redirect unavailable html server_error')],
    ['a', reasonsOf('auth forbidden not_found throttled client_error syntax too_large local')],
  ])('attempts at %s after these failures of the first: %j', async (hosts, reasons) => {
    for (const reason of reasons) {
      const { run, failures } = setUp()
      failures.set('a', apiError(reason))
      expect([reason, (await run()).hosts]).toEqual([reason, hosts])
    }
  })

  test('a failed base URL has a cooldown, which grows with each failure until it answers', async () => {
    const { run, failures } = setUp()
    failures.set('a', apiError('connect'))
    expect((await run(0)).hosts).toBe('ab')
    expect((await run(29 * SECOND)).hosts).toBe('b')
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect((await run(0)).hosts).toBe('ab')
    expect((await run(59 * SECOND)).hosts).toBe('b')
    failures.clear()
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    expect((await run(0)).hosts).toBe('a')
    failures.set('a', apiError('connect'))
    expect((await run(31 * SECOND)).hosts).toBe('ab')
    expect((await run(0)).hosts).toBe('ab')
  })

  test('all are tried when all have a cooldown, and the last failure is thrown', async () => {
    const { run, failures } = setUp()
    failures.set('a', apiError('connect'))
    failures.set('b', apiError('reset'))
    failures.set('c', apiError('dns'))
    for (let count = 0; count < 2; count += 1)
      expect(await run(0)).toMatchObject({ hosts: 'abc', outcome: { reason: 'dns', endpoint: 'c' } })
    failures.delete('b')
    expect((await run(0)).hosts).toBe('ab')
    expect((await run(0)).hosts).toBe('b')
  })

  test('there are at most three attempts', async () => {
    const { run, failures } = setUp(['https://a', 'https://b', 'https://c', 'https://d'])
    for (const name of ['a', 'b', 'c']) failures.set(name, apiError('connect'))
    expect(await run(0)).toMatchObject({ hosts: 'abc', outcome: { reason: 'connect' } })
    expect((await run(0)).hosts).toBe('d')
  })

  test('an attempt that hangs gets half of the time left', async () => {
    const hangs = async (_baseUrl: string, signal: AbortSignal) => {
      const began = performance.now()
      await once(signal, 'abort')
      spent.push(Math.round((performance.now() - began) / SECOND))
      throw exchangeFailure(signal.reason)
    }
    const spent: number[] = []
    const running = createAttempts(URLS)
      .run(hangs, { signal: never(), deadline: performance.now() + 40 * SECOND })
      .catch((failure: unknown) => failure)
    await vi.advanceTimersByTimeAsync(41 * SECOND)
    expect(await running).toMatchObject({ reason: 'timeout' })
    expect(spent).toEqual([20, 10, 10])
  })

  test('the failure names the base URL, if there are several and it is relevant', async () => {
    const place = { system: 's', operation: 'nodes', path: '/dashboard' }
    const messageOf = async (urls: readonly string[], failure: ApiError) => {
      const { run, failures } = setUp(urls)
      failures.set('a', failure)
      failures.set('b', failure)
      return asApiError((await run()).outcome, place).message
    }
    const several = ['https://a:4443', 'https://b:4443/api']
    expect(await messageOf(several, apiError('connect'))).toBe('system s, nodes (a:4443/dashboard): bad')
    expect(await messageOf(['https://a:4443'], apiError('connect'))).toBe('system s, nodes (/dashboard): bad')
    expect(await messageOf(several, apiError('not_found', { status: 404 }))).toContain('(a:4443/dashboard)')
    expect(await messageOf(several, apiError('auth'))).toBe('system s, nodes (/dashboard): bad')
  })
})

test('the base URLs are listed in their order, with the rest of their cooldowns', async () => {
  const attempts = createAttempts(URLS)
  const send = async (baseUrl: string) => {
    if (baseUrl === URLS[0]) throw apiError('connect')
  }
  await attempts.run(send, { signal: never(), deadline: performance.now() + TIMEOUT_MS })
  await vi.advanceTimersByTimeAsync(10 * SECOND)
  const cooldowns = [20 * SECOND, 0, 0]
  const expected = URLS.map((baseUrl, index) => ({ baseUrl, cooldownMs: cooldowns[index] }))
  expect(attempts.endpoints()).toEqual(expected)
})
