import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createRateLimits } from '../../../src/server/admin/rate_limits.ts'
import { type RecordedLog, recordLog } from '../listener/listener_setup.ts'
import {
  ADMIN,
  type Admin,
  LIST,
  MONITOR,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'

let emulator: StartedEmulator
let log: RecordedLog
beforeEach(async () => {
  emulator = await startEmulator()
  log = recordLog()
})
afterEach(() => emulator.stop())

const LOGIN = '/systems/frankfurt/login'
const PASSWORD = 'not-the-password'
const JSON_TYPE = { 'Content-Type': 'application/json' }
const logIn = (admin: Admin, username = 'security', password = PASSWORD, path = LOGIN) =>
  admin.ask('POST', path, undefined, { headers: JSON_TYPE, body: JSON.stringify({ username, password }) })
const audits = () => log.lines.filter((line) => line.startsWith('warn audit: '))

describe('a login', () => {
  test('returns a valid token, and the logout ends it', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
    const { status, text } = await logIn(admin, 'monitor', 'emulator')
    expect(status).toBe(200)
    const { token } = JSON.parse(text) as { token: string }
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
    ['no password', JSON_TYPE, '{"username":"a"}', 400],
    ['an invalid name', JSON_TYPE, '{"username":{},"password":"c"}', 400],
    ['too much', JSON_TYPE, JSON.stringify({ username: 'a', password: 'b'.repeat(5000) }), 413],
  ])('with %s is refused', async (_what, headers, body, status) => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    const answer = await admin.ask('POST', LOGIN, undefined, { headers, body })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, status])
    expect(emulator.log.count()).toBe(0)
  })

  test('returns the error of the system without a challenge for the login dialog of browsers', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    const { status, headers, text } = await logIn(admin)
    expect(status).toBe(401)
    expect(headers['www-authenticate']).not.toMatch(/basic/i)
    expect(JSON.parse(text)).toMatchObject({ code: 401, description: 'Unauthorized' })
    expect((await logIn(admin, 'monitor', PASSWORD, '/systems/rome/login')).status).toBe(404)
    expect((await admin.ask('GET', LIST, MONITOR)).status).toBe(200)
  })
})

describe('failed logins', () => {
  test('have one audit line each, without the password', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
    expect((await logIn(admin)).status).toBe(401)
    const line = {
      event: 'login',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      system: 'frankfurt',
      user: 'security',
      address: '127.0.0.1',
      outcome: 'refused',
      status: 401,
    }
    const [text = '', ...others] = audits()
    expect(others).toEqual([])
    expect(text).toMatch(/^warn audit: login failed \{/)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual(line)
    expect(text).not.toContain(PASSWORD)
  })

  test('because the system does not answer have another outcome', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
    emulator.setFaults(['status:503@login'])
    expect((await logIn(admin)).status).toBe(503)
    expect(audits()).toEqual([expect.stringContaining('"outcome":"failed","status":503')])
  })

  test('are not repeated without a response: the system may have counted a refused one', async () => {
    const other = await startEmulator()
    onTestFinished(() => other.stop())
    const nodes = [emulator.url, other.url]
    const logins = () => [emulator.log.count('login'), other.log.count('login')]
    await using admin = await startAdmin({ systems: { frankfurt: nodes }, log })
    emulator.setFaults(['reset@login'])
    expect((await logIn(admin)).status).toBe(502)
    expect(logins()).toEqual([1, 0])
    // Others are preferred to a node that failed.
    expect((await logIn(admin)).status).toBe(401)
    expect(logins()).toEqual([1, 1])
  })

  test('beyond the limit are counted as lockouts', async () => {
    await using admin = await startAdmin({
      systems: { frankfurt: emulator.url },
      log,
      rateLimits: createRateLimits(() => 0),
    })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) statuses.push((await logIn(admin)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(emulator.log.count('login')).toBe(5)
    expect(audits().filter((line) => line.includes('login failed'))).toHaveLength(5)
    expect(audits().filter((line) => line.includes('locked out'))).toEqual([
      'warn audit: locked out after too many failed logins {"count":1,"last_address":"127.0.0.1","last_status":429}',
    ])
  })

  test.each(['a:b', 'a\u0007b', '', 'x'.repeat(257)])(
    'with a name that cannot be sent say why: %j',
    async (name) => {
      await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
      const { status, text } = await logIn(admin, name)
      expect([status, JSON.parse(text).details]).toEqual([
        400,
        'username must have 1 to 256 characters, none of them a colon or a control character',
      ])
      expect(emulator.log.count('login')).toBe(0)
    },
  )
})

test.each([
  ['GET', LIST],
  ['GET', '/systems/frankfurt/account'],
  ['POST', '/systems/frankfurt/logout'],
])('tokens that the system refuses are counted: %s %s', async (method, path) => {
  await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
  for (const token of ['wrong-1', 'wrong-2']) expect((await admin.ask(method, path, token)).status).toBe(401)
  expect(audits()).toEqual([
    'warn audit: tokens refused by a system {"count":1,"last_address":"127.0.0.1","last_status":401}',
  ])
})

test('a token that a failing system does not answer is neither refused nor locked out', async () => {
  await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, log })
  emulator.setFaults(['status:503@providers'])
  const { status, headers } = await admin.ask('GET', LIST, SECURITY)
  expect([status, headers['retry-after']]).toEqual([503, undefined])
  expect(audits()).toEqual([])
})

describe('GET /systems/NAME/account', () => {
  const PATH = '/systems/frankfurt/account'

  test.each([
    [MONITOR, { user: 'monitor', roles: ['SYSTEM_MONITOR'] }],
    [ADMIN, { user: 'admin', roles: ['SYSTEM_ADMIN'] }],
    [SECURITY, { user: 'security', roles: ['SECURITY_ADMIN'] }],
  ])('has the user and the roles of %s', async (token, account) => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    const { status, headers, text } = await admin.ask('GET', PATH, token)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(JSON.parse(text)).toEqual(account)
  })
})
