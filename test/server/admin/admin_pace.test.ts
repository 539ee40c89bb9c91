import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { Refused } from '../../../src/server/admin/errors.ts'
import { createPace } from '../../../src/server/admin/pace.ts'
import { recordLog } from '../listener/listener_setup.ts'
import { LIST, MONITOR, type StartedEmulator, startAdmin, startEmulator } from './admin_setup.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** A pace with a clock that only moves when told. */
function steadyPace() {
  let time = 0
  const pace = createPace(() => time)
  return {
    pace,
    wait: (ms: number) => {
      time += ms
    },
  }
}

/** How many of so many attempts get through. */
function count(attempts: number, attempt: () => unknown): number {
  let through = 0
  for (let index = 0; index < attempts; index++) {
    try {
      attempt()
      through++
    } catch (failure) {
      expect(failure).toBeInstanceOf(Refused)
    }
  }
  return through
}

/** The same for attempts that the system refuses, one after the other. */
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
  test('has thirty requests at once and five a second', () => {
    const { pace, wait } = steadyPace()
    expect(count(100, () => pace.admit('a'))).toBe(30)
    expect(count(100, () => pace.admit('b'))).toBe(30)
    wait(SECOND)
    expect(count(100, () => pace.admit('a'))).toBe(5)
  })

  test('has ten refused tokens at once and ten a minute', async () => {
    const { pace, wait } = steadyPace()
    const guess = () => countRefused(100, (task) => pace.withToken('a', task))
    expect(await guess()).toBe(10)
    expect(await countRefused(100, (task) => pace.withToken('b', task))).toBe(10)
    wait(MINUTE)
    expect(await guess()).toBe(10)
  })

  test('is not held back for what the system accepts, or refuses for another reason', async () => {
    const { pace } = steadyPace()
    let done = 0
    const failing = async () => {
      done++
      throw new ApiError('forbidden', 'no role')
    }
    for (let index = 0; index < 50; index++) await pace.withToken('a', failing).catch(() => undefined)
    for (let index = 0; index < 50; index++) await pace.withToken('a', async () => done++)
    expect(done).toBe(100)
  })
})

test('a system sees fewer than ten refused logins in ten minutes, whoever tries, and locks nobody out', async () => {
  const { pace, wait } = steadyPace()
  let sent = 0
  for (let second = 0; second < 600; second++) {
    sent += await countRefused(2, (task) => pace.withLogin('frankfurt', task))
    wait(SECOND)
  }
  expect(sent).toBeGreaterThan(5)
  expect(sent).toBeLessThan(10)
  expect(await countRefused(2, (task) => pace.withLogin('paris', task))).toBe(2)
})

describe('over HTTP', () => {
  let emulator: StartedEmulator
  beforeEach(async () => {
    emulator = await startEmulator()
  })
  afterEach(() => emulator.stop())

  test('a wrong token cannot be tried again and again', async () => {
    const log = recordLog()
    await using admin = await startAdmin({
      systems: { frankfurt: emulator.url },
      pace: createPace(() => 0),
      log,
    })
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

  test('a deletion that is refused for its pace is in the audit like any other', async () => {
    const log = recordLog()
    await using admin = await startAdmin({
      systems: { frankfurt: emulator.url },
      pace: createPace(() => 0),
      log,
    })
    const asked = Array.from({ length: 40 }, () => admin.ask('DELETE', `${LIST}/urn:ours:AuthnProvider:1:`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    const lines = log.lines.filter((line) => line.includes('audit: deletion'))
    expect(lines).toHaveLength(40)
    expect(lines.filter((line) => line.includes('"status":429'))).toHaveLength(10)
  })

  test('nor a wrong password', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, pace: createPace(() => 0) })
    const login = (password: string) =>
      admin.ask('POST', '/systems/frankfurt/login', undefined, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'security', password }),
      })
    const statuses: number[] = []
    for (let index = 0; index < 8; index++) statuses.push((await login('wrong')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    expect(emulator.log.count('login')).toBe(5)
    // The exporter's own login, from the same address, still works.
    const own = await fetch(`${emulator.url}/login`, {
      headers: { Authorization: `Basic ${Buffer.from('monitor:emulator').toString('base64')}` },
    })
    expect(own.status).toBe(200)
  })
})

describe('the login of the page', () => {
  let emulator: StartedEmulator
  beforeEach(async () => {
    emulator = await startEmulator()
  })
  afterEach(() => emulator.stop())
  const JSON_TYPE = { 'Content-Type': 'application/json' }

  test('gives a token that works, and ends it', async () => {
    const log = recordLog()
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
    const body = JSON.stringify({ username: 'monitor', password: 'emulator' })
    const answer = await admin.ask('POST', '/systems/frankfurt/login', undefined, {
      headers: JSON_TYPE,
      body,
    })
    expect(answer.status).toBe(200)
    const { token } = JSON.parse(answer.text) as { token: string }
    expect((await admin.ask('GET', LIST, token)).status).toBe(200)
    expect((await admin.ask('POST', '/systems/frankfurt/logout', token)).status).toBe(204)
    expect((await admin.ask('GET', LIST, token)).status).toBe(401)
    expect((await admin.ask('POST', '/systems/frankfurt/logout')).status).toBe(401)
    expect(log.lines.join()).not.toContain(token)
  })

  test.each([
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'username=a&password=b', 415],
    ['text', { 'Content-Type': 'text/plain' }, '{"username":"a","password":"b"}', 415],
    ['no JSON', JSON_TYPE, '{"username":"a', 400],
    ['no object', JSON_TYPE, '[]', 400],
    ['no password', JSON_TYPE, '{"username":"a"}', 400],
    ['an empty password', JSON_TYPE, '{"username":"a","password":""}', 400],
    ['a name with a colon', JSON_TYPE, '{"username":"a:b","password":"c"}', 400],
    ['a name that is none', JSON_TYPE, '{"username":{},"password":"c"}', 400],
    ['too much', JSON_TYPE, JSON.stringify({ username: 'a', password: 'b'.repeat(5000) }), 413],
  ])('refuses %s', async (_what, headers, body, status) => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    const answer = await admin.ask('POST', '/systems/frankfurt/login', undefined, { headers, body })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text).code).toBe(status)
    expect(emulator.log.count()).toBe(0)
  })

  test('says what the system says, without a window for passwords of the browser', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    const body = JSON.stringify({ username: 'monitor', password: 'wrong' })
    const answer = await admin.ask('POST', '/systems/frankfurt/login', undefined, {
      headers: JSON_TYPE,
      body,
    })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).not.toMatch(/basic/i)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 401, description: 'Unauthorized' })
    expect(
      (await admin.ask('POST', '/systems/rome/login', undefined, { headers: JSON_TYPE, body })).status,
    ).toBe(404)
    expect((await admin.ask('GET', LIST, MONITOR)).status).toBe(200)
  })
})
