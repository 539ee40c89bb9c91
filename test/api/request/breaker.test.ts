import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { createBreaker, type Leave } from '../../../src/api/request/breaker.ts'

const SECOND = 1000
const bad = (reason: Reason = 'timeout', extras = {}) => new ApiError(reason, 'bad', extras)

/** A breaker that opens after three failures, with a clock that the test moves. */
function setUp() {
  let now = 0
  const answered: boolean[] = []
  const breaker = createBreaker({
    failuresToOpen: 3,
    onAnswered: (value) => answered.push(value),
    now: () => now,
  })
  async function run(key: string, outcome: Parameters<Leave>[0], ms = 0) {
    const leave = await breaker.enter(key)
    now += ms
    leave(outcome)
  }
  return {
    breaker,
    answered,
    run,
    pass: (ms: number) => {
      now += ms
    },
    /** Whether an operation is admitted; it succeeds if it is. */
    isOpen: () =>
      run('any', 'unknown').then(
        () => false,
        () => true,
      ),
    async fail(keys: string, reason: Reason = 'timeout') {
      for (const key of keys) await run(key, bad(reason), 10)
    },
  }
}

describe('opens', () => {
  test('after consecutive failures of the system, and rejects with their reason', async () => {
    const { fail, isOpen, run } = setUp()
    await fail('pq')
    expect(await isOpen()).toBe(false)
    await fail('r', 'reset')
    await expect(run('p', 'ok')).rejects.toMatchObject({
      reason: 'reset',
      message: 'not asked, because the system keeps failing (next request in 54 s): bad',
    })
  })

  test.each<[Reason, boolean]>([
    ['timeout', true],
    ['connect', true],
    ['tls', true],
    ['html', true],
    ['redirect', true],
    ['throttled', true],
    ['unavailable', true],
    ['server_error', true],
    ['auth', false],
    ['forbidden', false],
    ['not_found', false],
    ['client_error', false],
    ['too_large', false],
    ['schema', false],
    ['local', false],
  ])('%s of all pools: %s', async (reason, opens) => {
    const { fail, isOpen } = setUp()
    await fail('pqr', reason)
    expect(await isOpen()).toBe(opens)
  })

  test('not when one request in between is answered', async () => {
    const { fail, run, isOpen } = setUp()
    await fail('pq')
    await run('good', 'ok')
    await fail('pq')
    await run('other', bad('not_found', { status: 404 }))
    await fail('pq')
    expect(await isOpen()).toBe(false)
  })

  test('not for pools that fail for good while others are answered', async () => {
    const { fail, run, isOpen, pass } = setUp()
    for (let round = 0; round < 20; round += 1) {
      await run('good', 'ok')
      await fail('pq')
      pass(50 * SECOND)
      await fail('pq')
      expect(await isOpen()).toBe(false)
    }
  })

  test('not for silence while another request was answered', async () => {
    const { breaker, run, isOpen } = setUp()
    const leaves = await Promise.all(['p', 'q', 'r'].map((key) => breaker.enter(key)))
    await run('good', 'ok')
    for (const leave of leaves) leave(bad())
    expect(await isOpen()).toBe(false)
  })

  test('for Retry-After, up to two minutes', async () => {
    const { fail, run, isOpen, pass } = setUp()
    await fail('pq')
    await run('r', bad('throttled', { status: 429, retryAfterMs: 900 * SECOND }))
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
    parts.pass(55 * SECOND)
    return parts
  }

  test('one operation is the probe; when it succeeds, those that wait go on', async () => {
    const { breaker, isOpen } = await halfOpen()
    const probe = await breaker.enter('p')
    const others = ['q', 'r'].map((key) => breaker.enter(key))
    let admitted = 0
    for (const other of others) void other.then(() => (admitted += 1))
    await Promise.resolve()
    expect(admitted).toBe(0)
    probe('ok')
    for (const leave of await Promise.all(others)) leave('ok')
    expect(await isOpen()).toBe(false)
  })

  test('when it fails, those that wait fail with it, and the next probe is a minute after its beginning', async () => {
    const { breaker, isOpen, pass } = await halfOpen()
    const probe = await breaker.enter('p')
    const other = breaker.enter('q')
    pass(30 * SECOND)
    probe(bad('connect'))
    await expect(other).rejects.toMatchObject({ reason: 'connect' })
    pass(23 * SECOND)
    expect(await isOpen()).toBe(true)
    pass(2 * SECOND)
    expect(await isOpen()).toBe(false)
  })

  test('a refusal of the request shows that the system is back', async () => {
    const { run, isOpen } = await halfOpen()
    await run('p', bad('forbidden', { status: 403 }))
    expect(await isOpen()).toBe(false)
  })

  test('a probe that ended without sending anything leaves the next one its place', async () => {
    const { run } = await halfOpen()
    await run('p', bad('local'))
    await run('q', 'unknown')
    await run('r', 'ok')
  })
})

describe('whether the system answered', () => {
  test.each<[string, Parameters<Leave>[0], boolean[]]>([
    ['a success', 'ok', [true]],
    ['a refusal', bad('forbidden', { status: 403 }), [true]],
    ['an answer that cannot be read', bad('syntax'), [true]],
    ['silence', bad('timeout'), [false]],
    ['a cooldown of logins: nothing was sent', bad('auth'), []],
    ['an abort', 'unknown', []],
  ])('%s', async (_, outcome, expected) => {
    const { run, answered } = setUp()
    await run('p', outcome)
    expect(answered).toEqual(expected)
  })

  test('silence while another request was answered is not reported', async () => {
    const { breaker, run, answered } = setUp()
    const leave = await breaker.enter('p')
    await run('q', 'ok')
    leave(bad())
    expect(answered).toEqual([true])
  })
})
