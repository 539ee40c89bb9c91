import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { createRateLimits } from '../../../src/server/admin/rate_limits.ts'
import { HttpError } from '../../../src/values/http_error.ts'
import { type RecordedLog, recordLog } from '../listener/listener_setup.ts'
import { type Admin, LIST, type StartedEmulator, startAdmin, startEmulator } from './admin_setup.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** A rate limit with a manual clock. */
function withManualClock() {
  let time = 0
  const rateLimits = createRateLimits(() => time)
  return {
    rateLimits,
    wait: (ms: number) => {
      time += ms
    },
  }
}

/** How many of `count` attempts are admitted. */
function count(attempts: number, attempt: () => unknown): number {
  let through = 0
  for (let index = 0; index < attempts; index++) {
    try {
      attempt()
      through++
    } catch (failure) {
      expect(failure).toBeInstanceOf(HttpError)
    }
  }
  return through
}

/** The same for sequential attempts that the system refuses. */
async function countRefused(attempts: number, attempt: (task: () => Promise<never>) => Promise<never>) {
  let sent = 0
  const refuse = async () => {
    sent++
    throw new ApiError('auth', 'no')
  }
  for (let index = 0; index < attempts; index++) await attempt(refuse).catch(() => undefined)
  return sent
}

describe('an address', () => {
  test('may send 30 requests at once and 5 per second', () => {
    const { rateLimits, wait } = withManualClock()
    expect(count(100, () => rateLimits.admit('a'))).toBe(30)
    expect(count(100, () => rateLimits.admit('b'))).toBe(30)
    wait(SECOND)
    expect(count(100, () => rateLimits.admit('a'))).toBe(5)
  })

  test('shares its limits with the other addresses of its IPv6 network', () => {
    const { rateLimits } = withManualClock()
    expect(count(30, () => rateLimits.admit('2001:db8::1'))).toBe(30)
    for (const same of ['2001:db8::2', '2001:db8:0:0:a:b:c:d']) {
      expect(count(1, () => rateLimits.admit(same))).toBe(0)
    }
    for (const other of ['2001:db8:0:1::1', '2001:db8:1::1', '::1', '192.0.2.1']) {
      expect(count(1, () => rateLimits.admit(other))).toBe(1)
    }
  })

  test('may send 10 refused tokens at once and 10 per minute', async () => {
    const { rateLimits, wait } = withManualClock()
    const guess = () => countRefused(100, (task) => rateLimits.withToken('a', 'frankfurt', task))
    expect(await guess()).toBe(10)
    expect(await countRefused(100, (task) => rateLimits.withToken('b', 'frankfurt', task))).toBe(10)
    wait(MINUTE)
    expect(await guess()).toBe(10)
  })

  test('is not limited by accepted tokens or by other failures', async () => {
    const { rateLimits } = withManualClock()
    let done = 0
    const failing = async () => {
      done++
      throw new ApiError('forbidden', 'no role')
    }
    for (let index = 0; index < 50; index++)
      await rateLimits.withToken('a', 'frankfurt', failing).catch(() => undefined)
    for (let index = 0; index < 50; index++) await rateLimits.withToken('a', 'frankfurt', async () => done++)
    expect(done).toBe(100)
  })
})

test('a system gets fewer than 10 refused logins in 10 minutes from all callers together', async () => {
  const { rateLimits, wait } = withManualClock()
  let sent = 0
  for (let second = 0; second < 600; second++) {
    sent += await countRefused(2, (task) => rateLimits.withLogin('frankfurt', task))
    wait(SECOND)
  }
  expect(sent).toBeGreaterThan(5)
  expect(sent).toBeLessThan(10)
  expect(await countRefused(2, (task) => rateLimits.withLogin('paris', task))).toBe(2)
})

describe('over HTTP', () => {
  let emulator: StartedEmulator
  let admin: Admin
  let log: RecordedLog
  beforeEach(async () => {
    emulator = await startEmulator()
    log = recordLog()
    admin = await startAdmin({
      systems: { frankfurt: emulator.url },
      rateLimits: createRateLimits(() => 0),
      log,
    })
  })
  afterEach(async () => {
    await admin[Symbol.asyncDispose]()
    await emulator.stop()
  })

  test('limits requests with a wrong token', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, guess) => admin.ask('GET', `${LIST}.json`, `guess-${guess}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(emulator.log.count()).toBe(10)
    expect(refused).toHaveLength(50)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(refused[0]?.text ?? '')).toMatchObject({ code: 429, retryable: true })
    expect((await admin.ask('GET', '/-/healthy')).status).toBe(200)
  })

  test('a flood of deletions without a token is not audited', async () => {
    const asked = Array.from({ length: 40 }, () => admin.ask('DELETE', `${LIST}/urn:ours:AuthnProvider:1:`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(log.lines.filter((line) => line.includes('audit: '))).toHaveLength(1)
  })
})
