import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { createBreaker } from '../../../src/api/request/breaker.ts'

const SECOND = 1000
type Outcome = 'ok' | 'unknown' | ApiError
const apiError = (reason: Reason = 'timeout', extras = {}) => new ApiError(reason, 'bad', extras)

/** A breaker that opens after three failures, with a clock moved by `pass`. */
function setUp() {
  let now = 0
  const responded: boolean[] = []
  const onResponded = (value: boolean) => responded.push(value)
  const breaker = createBreaker({ failuresToOpen: 3, onResponded, now: () => now })
  async function run(key: string, outcome: Outcome, ms = 0) {
    const { release } = await breaker.acquire(key)
    now += ms
    release(outcome)
  }
  return {
    breaker,
    responded,
    run,
    pass: (ms: number) => {
      now += ms
    },
    /** Whether the next operation is rejected. If it is admitted, it ends with `unknown`. */
    isOpen: async () => (await Promise.allSettled([run('any', 'unknown')]))[0].status === 'rejected',
    async fail(keys: string, reason: Reason = 'timeout') {
      for (const key of keys) await run(key, apiError(reason), 10)
    },
  }
}

describe('opens', () => {
  test('an unknown outcome neither counts nor ends the count, and is no response', async () => {
    const { fail, isOpen, run, responded } = setUp()
    await fail('pq')
    await run('r', 'unknown')
    expect(await isOpen()).toBe(false)
    await fail('r')
    expect(await isOpen()).toBe(true)
    expect(responded).toEqual([false, false, false])
  })

  test('after consecutive failures of the system, and rejects with their reason', async () => {
    const { breaker, fail, isOpen, pass, run } = setUp()
    await fail('pq')
    expect(await isOpen()).toBe(false)
    expect(breaker.pauseMs()).toBe(0)
    await fail('r', 'reset')
    expect(breaker.pauseMs()).toBeGreaterThan(4 * SECOND)
    const message = 'no request was sent, because the system keeps failing (next request in 5 s): bad'
    await expect(run('p', 'ok')).rejects.toMatchObject({ reason: 'reset', message })
    pass(5 * SECOND)
    expect(breaker.pauseMs()).toBe(0)
  })

  test.each<[boolean, string]>([
    [true, 'timeout connect tls html redirect throttled unavailable server_error'],
    [false, 'auth forbidden not_found client_error too_large schema local'],
  ])('%s after each of these failures of all pools: %s', async (opens, reasons) => {
    for (const reason of reasons.split(' ') as Reason[]) {
      const { fail, isOpen } = setUp()
      await fail('pqr', reason)
      expect([reason, await isOpen()]).toEqual([reason, opens])
    }
  })

  test('not if a request in between has a response', async () => {
    const { fail, run, isOpen } = setUp()
    await fail('pq')
    await run('good', 'ok')
    await fail('pq')
    await run('other', apiError('not_found', { status: 404 }))
    await fail('pq')
    expect(await isOpen()).toBe(false)
  })

  test('not for pools that fail permanently while others have responses', async () => {
    const { fail, run, isOpen, pass } = setUp()
    for (let round = 0; round < 20; round += 1) {
      await run('good', 'ok')
      await fail('pq')
      pass(50 * SECOND)
      await fail('pq')
      expect(await isOpen()).toBe(false)
    }
  })

  test('for pools that failed before, once nothing succeeded for two minutes', async () => {
    const { fail, run, isOpen, pass } = setUp()
    await run('good', 'ok')
    await fail('pqpq')
    expect(await isOpen()).toBe(false)
    pass(121 * SECOND)
    await fail('p')
    expect(await isOpen()).toBe(true)
  })

  test('for two pools that both worked, in the second round', async () => {
    const { fail, run, isOpen, pass } = setUp()
    await run('p', 'ok')
    await run('q', 'ok')
    pass(5 * SECOND)
    await fail('pq')
    expect(await isOpen()).toBe(false)
    await fail('p')
    expect(await isOpen()).toBe(true)
  })

  test('not for timeouts while another request had a response', async () => {
    const { breaker, run, isOpen } = setUp()
    const acquired = await Promise.all(['p', 'q', 'r'].map((key) => breaker.acquire(key)))
    await run('good', 'ok')
    for (const { release } of acquired) release(apiError())
    expect(await isOpen()).toBe(false)
  })

  test('for Retry-After, up to two minutes', async () => {
    const { fail, run, isOpen, pass } = setUp()
    await fail('pq')
    await run('r', apiError('throttled', { status: 429, retryAfterMs: 900 * SECOND }))
    pass(119 * SECOND)
    expect(await isOpen()).toBe(true)
    pass(2 * SECOND)
    expect(await isOpen()).toBe(false)
  })
})

describe('half-open', () => {
  async function halfOpen() {
    const parts = setUp()
    await parts.fail('pqr')
    parts.pass(5 * SECOND)
    return parts
  }

  test('one operation is the probe; if it succeeds, the waiting ones are admitted', async () => {
    const { breaker, isOpen } = await halfOpen()
    const probe = await breaker.acquire('p')
    const others = ['q', 'r'].map((key) => breaker.acquire(key))
    let admitted = 0
    for (const other of others) void other.then(() => (admitted += 1))
    await Promise.resolve()
    expect(admitted).toBe(0)
    expect(probe.isProbe).toBe(true)
    probe.release('ok')
    for (const { release } of await Promise.all(others)) release('ok')
    expect(await isOpen()).toBe(false)
  })

  test('if it fails, the waiting ones fail with it, and the next pause begins with the probe', async () => {
    const { breaker, isOpen, pass } = await halfOpen()
    const probe = await breaker.acquire('p')
    const other = breaker.acquire('q')
    pass(3 * SECOND)
    probe.release(apiError('connect'))
    await expect(other).rejects.toMatchObject({ reason: 'connect' })
    pass(6 * SECOND)
    expect(await isOpen()).toBe(true)
    pass(2 * SECOND)
    expect(await isOpen()).toBe(false)
  })

  test('each failed probe doubles the pause up to 54 s, and a success makes the next one short', async () => {
    const { breaker, run, fail, pass } = await halfOpen()
    const pauses: number[] = []
    const failProbe = async () => {
      await run('p', apiError())
      pauses.push(breaker.pauseMs() / SECOND)
      pass(breaker.pauseMs())
    }
    for (let probe = 0; probe < 6; probe += 1) await failProbe()
    await run('p', 'ok')
    pass(1)
    await fail('pqr')
    pass(5 * SECOND)
    await failProbe()
    expect(pauses).toEqual([10, 20, 40, 54, 54, 54, 10])
  })

  test('operations that began before the pause do not make it longer', async () => {
    const { breaker, pass, fail } = setUp()
    const late = await Promise.all(['x', 'y', 'z'].map((key) => breaker.acquire(key)))
    pass(10)
    await fail('pqr')
    for (const { release } of late) release(apiError())
    expect(breaker.pauseMs()).toBe(5 * SECOND)
    pass(5 * SECOND)
    const probe = await breaker.acquire('p')
    probe.release(apiError())
    expect(breaker.pauseMs()).toBe(10 * SECOND)
  })

  test('a refusal of the probe closes the breaker', async () => {
    const { run, isOpen } = await halfOpen()
    await run('p', apiError('forbidden', { status: 403 }))
    expect(await isOpen()).toBe(false)
  })

  test('after a probe that sent nothing the next operation is the probe', async () => {
    const { run } = await halfOpen()
    await run('p', apiError('local'))
    await run('q', 'unknown')
    await run('r', 'ok')
  })
})

describe('whether the system responded', () => {
  test.each<[string, Outcome, boolean[]]>([
    ['a success', 'ok', [true]],
    ['a refusal', apiError('forbidden', { status: 403 }), [true]],
    ['an answer that cannot be read', apiError('syntax'), [true]],
    ['a timeout', apiError('timeout'), [false]],
    ['a cooldown of logins: nothing was sent', apiError('auth'), []],
    ['an abort', 'unknown', []],
  ])('%s', async (_, outcome, expected) => {
    const { run, responded } = setUp()
    await run('p', outcome)
    expect(responded).toEqual(expected)
  })

  test('a timeout while another request had a response is not reported', async () => {
    const { breaker, run, responded } = setUp()
    const { release } = await breaker.acquire('p')
    await run('q', 'ok')
    release(apiError())
    expect(responded).toEqual([true])
  })
})
