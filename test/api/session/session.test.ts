import { once } from 'node:events'
import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { TOKEN_HEADER } from '../../../src/api/http/credentials.ts'
import { createAttempts } from '../../../src/api/http/exchanges.ts'
import { refusalOf } from '../../../src/api/http/refusals.ts'
import type { Session, SessionOptions } from '../../../src/api/session/login_session.ts'
import { createSession } from '../../../src/api/session/session.ts'
import type { AuthConfig } from '../../../src/config/config.ts'
import { type Log, silentLog } from '../../../src/log.ts'
import type { Secret } from '../../../src/values/secret.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { never, responseOf, secret } from '../http/responses.ts'

const HOUR = 3_600_000
const LOGIN: AuthConfig = { kind: 'login', username: 'monitor', password: secret('pässword') }
const BASE = 'https://ecs1'
const ACCOUNT = { system: 'frankfurt', user: 'monitor' }
const POOL = '/dashboard/storagepools/p1/nodes'

const systemOf = (auth: AuthConfig, timeoutMs = 30_000) => {
  return { name: 'frankfurt', auth, baseUrls: [BASE], poll: { timeoutMs } }
}

/** A session with mocked requests, and with a clock moved by `pass`. */
function setUp(auth: AuthConfig = LOGIN, more: Partial<SessionOptions> = {}) {
  let now = Date.UTC(2026, 0, 1)
  let monotonicNow = 0
  let issued = 0
  const live = new Set<string>()
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (message, fields) => warnings.push([message, fields]) }
  const login = vi.fn(
    async (_baseUrl: string, _headers: Readonly<Record<string, string>>, _signal: AbortSignal) => {
      issued += 1
      live.add(`token-${issued}`)
      return responseOf(200, '', { [TOKEN_HEADER]: `token-${issued}` })
    },
  )
  const logout = vi.fn(async (token: string) => void live.delete(token))
  const results: string[] = []
  const session = createSession({
    system: systemOf(auth),
    attempts: createAttempts([BASE]),
    exchange: async ({ operation, headers = {} }, baseUrl, signal) => {
      if (operation === 'login') {
        const response = await login(baseUrl, headers, signal)
        const refusal = refusalOf(response, 'login')
        if (refusal !== undefined) throw refusal
        return response
      }
      await logout(headers[TOKEN_HEADER] ?? '')
      return responseOf(200)
    },
    observer: { loggedIn: (result) => results.push(result) },
    log,
    now: () => now,
    monotonicNow: () => monotonicNow,
    ...more,
  })
  const text = async (token: Promise<Secret | undefined>) => (await token)?.reveal()
  return {
    session,
    login,
    logout,
    live,
    results,
    warnings,
    pass: (ms: number) => {
      now += ms
      monotonicNow += Math.max(0, ms)
    },
    token: (signal = never()) => text(session.token(BASE, signal)),
    renew: (refused: string, path = POOL) => text(session.renew(secret(refused), path, BASE, never())),
    accept: (token: string, path = POOL) => session.accepted(secret(token), path),
  }
}

const refused = async () =>
  responseOf(401, '<error><code>401</code><description>Unauthorized</description></error>')

describe('a login session', () => {
  test('logs in once for all concurrent requests, with the credentials in UTF-8', async () => {
    const { token, login, results } = setUp()
    expect(await Promise.all(Array.from({ length: 20 }, () => token()))).toEqual(Array(20).fill('token-1'))
    expect(await token()).toBe('token-1')
    expect(login).toHaveBeenCalledTimes(1)
    const [, headers] = login.mock.calls[0] ?? []
    expect(headers).toEqual({ Authorization: `Basic ${Buffer.from('monitor:pässword').toString('base64')}` })
    expect(results).toEqual(['ok'])
  })

  test('renews a refused token once for all, after logging the old one out', async () => {
    const { token, renew, login, logout, live } = setUp()
    await token()
    const renewed = await Promise.all(Array.from({ length: 20 }, () => renew('token-1')))
    expect(renewed).toEqual(Array(20).fill('token-2'))
    expect(await renew('token-1')).toBe('token-2')
    expect(login).toHaveBeenCalledTimes(2)
    expect(logout).toHaveBeenCalledTimes(1)
    expect([...live]).toEqual(['token-2'])
    expect(logout.mock.invocationCallOrder[0]).toBeLessThan(login.mock.invocationCallOrder[1] ?? 0)
  })

  /** Between requests. */
  const LIFETIME = Array<number>(15).fill(HOUR / 2)
  test.each([
    ['after a lifetime of 7.5 hours', LIFETIME],
    ['after 1.75 hours without a request', [1.75 * HOUR]],
    ['after the clock was set back', [-24 * HOUR]],
  ])('gets a new token %s', async (_, pauses) => {
    const { token, pass, live } = setUp()
    for (const pause of pauses) {
      expect(await token()).toBe('token-1')
      pass(pause)
    }
    expect(await token()).toBe('token-2')
    expect([...live]).toEqual(['token-2'])
    expect(await token()).toBe('token-2')
  })

  test('waits longer after each refused login, up to ten minutes, and logs it', async () => {
    const { token, login, pass, warnings, results } = setUp()
    const loginTimes: number[] = []
    let second = 0
    login.mockImplementation(() => {
      loginTimes.push(second)
      return refused()
    })
    for (; second < 3000; second += 1) {
      const failure = await token().catch((cause: unknown) => cause)
      expect(failure).toMatchObject({ reason: 'auth' })
      if (loginTimes.at(-1) !== second)
        expect(String(failure)).toMatch(/was refused: .*; the next login is tried in \d+ s$/)
      pass(1000)
    }
    const pauses = loginTimes.map((at, index) => at - (loginTimes[index - 1] ?? 0))
    expect(pauses).toEqual([0, 30, 60, 120, 240, 480, 600, 600, 600])
    const error = 'the system refuses the login (HTTP 401, code 401); it says: Unauthorized'
    const remedy = expect.stringMatching(/^correct the user name or the password; other causes /)
    const fields = { ...ACCOUNT, reason: 'auth', error, remedy, next_login_seconds: 600 }
    expect(warnings).toContainEqual(['login refused', fields])
    expect(results).toEqual(loginTimes.map(() => 'auth'))
  })

  test('a clock that is set back does not extend a cooldown', async () => {
    const { token, login, pass } = setUp()
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    pass(-24 * HOUR)
    pass(30_000)
    expect(await token()).toBe('token-1')
  })

  /** Polls pools every second, four at once, some with refused tokens. Returns the times of logins in seconds. */
  async function pollRefused(refusedPools: number, { seconds = 600, acceptedPools = 0 } = {}) {
    const { session, login, pass } = setUp()
    const logins: number[] = []
    const poll = async (pool: string) => {
      const token = await session.token(BASE, never())
      if (pool.startsWith('accepted')) return session.accepted(token, pool)
      const newer = await session.renew(token, pool, BASE, never())
      if (newer !== undefined) session.renewalRefused(pool)
    }
    const namesOf = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${kind} ${index}`)
    const pools = [...namesOf('accepted', acceptedPools), ...namesOf('refused', refusedPools)]
    for (let second = 0; second < seconds; second += 1) {
      const before = login.mock.calls.length
      for (let first = 0; first < pools.length; first += 4)
        await Promise.all(pools.slice(first, first + 4).map(poll))
      const more = login.mock.calls.length - before
      logins.push(...Array<number>(more).fill(second))
      pass(1000)
    }
    return logins
  }

  test.each([1, 3, 20, 200])(
    'a new token that is refused, too, begins a cooldown, with %i pools',
    async (pools) => expect(await pollRefused(pools)).toEqual([0, 0, 30, 90, 210, 450]),
  )

  test('pools that are refused permanently cause few logins while others are accepted', async () => {
    const logins = await pollRefused(3, { acceptedPools: 5, seconds: 3600 })
    expect(logins.length).toBeLessThanOrEqual(15)
    expect(logins.filter((second) => second >= 1800).length).toBeLessThanOrEqual(3)
  })

  test('a token that has just worked elsewhere is not renewed for a request that is refused', async () => {
    const { session, token, renew, accept, login, pass } = setUp()
    await token()
    for (let second = 0; second < 3600; second += 1) {
      accept((await token()) ?? '', 'other')
      const newer = await renew((await token()) ?? '', '/license')
      if (newer !== undefined) session.renewalRefused('/license')
      // Also while nothing else was requested for more than a minute.
      pass(second % 600 === 0 ? 61_000 : 1000)
    }
    expect(login).toHaveBeenCalledTimes(1)
    pass(60_000)
    expect(await renew('token-1', '/license')).toBe('token-2')
    session.renewalRefused('/license')
    accept('token-2', 'other')
    // The token of a request that was accepted with it has expired, also during the cooldown.
    pass(60_000)
    expect(await renew('token-2', 'other')).toBe('token-3')
    expect(await renew('token-2', '/license')).toBe('token-3')
  })

  test('a system that refuses every second request costs few logins, and the log says what it looks like', async () => {
    const { session, renew, accept, token, login, pass, warnings } = setUp()
    const logins: number[] = []
    for (let second = 0; second < 3600; second += 1) {
      const before = login.mock.calls.length
      for (const path of ['/nodes of p1', '/nodes of p2', '/pools']) {
        const newer = await renew((await token()) ?? '', path)
        // The second request is accepted: the one with the new token, or that of the next poll.
        accept(newer ?? (await token()) ?? '', path)
      }
      logins.push(...Array<number>(login.mock.calls.length - before).fill(second))
      pass(1000)
    }
    expect(logins.length).toBeLessThanOrEqual(12)
    expect(logins.filter((second) => second >= 1800).length).toBeLessThanOrEqual(3)
    expect(session.isUnsteady()).toBe(true)
    const remedy = expect.stringContaining('set base_url to nodes of one system')
    expect(warnings[0]).toEqual(['new token refused', { ...ACCOUNT, remedy, next_login_seconds: 30 }])
  })

  test('after a token that was not refused early, the next one is renewed at once', async () => {
    const { session, renew, accept, token, pass } = setUp()
    await token()
    expect(await renew('token-1')).toBe('token-2')
    accept('token-2')
    expect(await renew('token-2')).toBeUndefined()
    accept('token-2')
    pass(120_000)
    expect(await renew('token-2')).toBe('token-3')
    accept('token-3')
    pass(HOUR)
    expect(await renew('token-3')).toBe('token-4')
    expect(session.isUnsteady()).toBe(false)
  })

  test('a renewal that helped ends the cooldown, and the next one is short again', async () => {
    const { session, token, renew, accept, pass } = setUp()
    /** Waits for a cooldown and renews in vain; gives the token. */
    const renewInVain = async (afterMs: number) => {
      pass(afterMs)
      const newer = await renew((await token()) ?? '')
      session.renewalRefused(POOL)
      return newer
    }
    expect(await renewInVain(0)).toBe('token-2')
    expect(await renewInVain(30_000)).toBe('token-3')
    expect(await renewInVain(60_000)).toBe('token-4')
    pass(60_000)
    expect(await renew('token-4')).toBeUndefined()
    accept('token-4')
    expect(await renewInVain(0)).toBe('token-5')
    expect(await renewInVain(30_000)).toBe('token-6')
  })

  test('after a successful login, the next cooldown of logins is short again', async () => {
    const { token, renew, login, pass } = setUp()
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    pass(30_000)
    expect(await token()).toBe('token-1')
    login.mockImplementationOnce(refused)
    await expect(renew('token-1')).rejects.toMatchObject({ reason: 'auth' })
    pass(30_000)
    expect(await token()).toBe('token-2')
  })

  test('paths that were accepted are remembered up to a bound', async () => {
    const { token, renew, accept } = setUp()
    await token()
    for (let count = 0; count < 10_000; count += 1) accept('token-1', `pool ${count}`)
    accept('token-1')
    expect(await renew('token-1', 'pool 0')).toBeUndefined()
    expect(await renew('token-1', 'pool 1')).toBe('token-2')
  })

  test('while a login is refused, nothing is sent', async () => {
    const { renew, login, logout, token } = setUp()
    await token()
    login.mockImplementation(refused)
    for (let poll = 0; poll < 50; poll += 1)
      await expect(renew('token-1')).rejects.toMatchObject({ reason: 'auth' })
    expect([login.mock.calls.length, logout.mock.calls.length]).toEqual([2, 1])
  })

  test('a login refused with 403 starts a cooldown; one that fails with 503 does not', async () => {
    const { token, login, pass } = setUp()
    login.mockResolvedValueOnce(responseOf(503))
    await expect(token()).rejects.toMatchObject({ reason: 'unavailable' })
    pass(1000)
    login.mockResolvedValueOnce(responseOf(403))
    await expect(token()).rejects.toMatchObject({ reason: 'forbidden' })
    await expect(token()).rejects.toMatchObject({ reason: 'forbidden' })
    expect(login).toHaveBeenCalledTimes(2)
  })

  test.each([
    ['LDAP user search failed.', 'server_error', /check the LDAP server/, 60],
    ['LDAP manager authentication or user search failed.', 'server_error', /check the LDAP server/, 60],
    ['Manager authentication with LDAP server failed.', 'server_error', /check the LDAP server/, 60],
    ['Communication with LDAP server failed.', 'server_error', /check the LDAP server/, 60],
    ['Max number of tokens exceeded for this user', 'auth', /^log out other sessions/, 30],
    ['Exceeding invalid login limit after 10 attempts. Cleared within 7 minutes.', 'auth', /^wait/, 420],
    ['Exceeding invalid login limit', 'auth', /^wait until/, 600],
    ['Unauthenticated request: use HTTPS', 'auth', /^write https/, 30],
    ['Something new', 'auth', /user name or the password; other causes are .*100 open.*LDAP/, 30],
  ])(
    'a login that is refused with code 4000 and the words "%s": remedy and pause follow the words',
    async (words, reason, remedy, seconds) => {
      const { token, login, warnings, pass } = setUp()
      const text = `<error><code>4000</code><description>Invalid credentials</description><details>${words}</details></error>`
      login.mockResolvedValueOnce(responseOf(401, text))
      const expected = { reason, remedy: expect.stringMatching(remedy) }
      await expect(token()).rejects.toMatchObject(expected)
      const error = expect.stringContaining(words)
      expect(warnings).toMatchObject([['login refused', { ...expected, error, next_login_seconds: seconds }]])
      // The next one is not sent before the end of the pause.
      pass(seconds * 1000 - 1)
      await expect(token()).rejects.toMatchObject(expected)
      expect(login).toHaveBeenCalledTimes(1)
      pass(1)
      await expect(token()).resolves.toBeDefined()
    },
  )

  test('a login that is answered without a token has failed', async () => {
    const { token, login, results } = setUp()
    login.mockResolvedValueOnce(responseOf(200))
    await expect(token()).rejects.toMatchObject({ reason: 'html' })
    expect(results).toEqual(['html'])
  })

  test('an aborted request does not abort the login of other requests', async () => {
    const { token, login } = setUp()
    const answer = Promise.withResolvers<ReturnType<typeof responseOf>>()
    login.mockReturnValueOnce(answer.promise)
    const aborting = new AbortController()
    const [aborted, waiting] = [token(aborting.signal), token()]
    await waitForAssertion(() => expect(login).toHaveBeenCalled())
    aborting.abort(new DOMException('over', 'TimeoutError'))
    await expect(aborted).rejects.toMatchObject({ reason: 'timeout' })
    expect(login.mock.calls[0]?.[2].aborted).toBe(false)
    answer.resolve(responseOf(200, '', { [TOKEN_HEADER]: 'token-9' }))
    expect(await waiting).toBe('token-9')
  })

  test('a login has its own deadline', async () => {
    const { token, login } = setUp(LOGIN, { system: systemOf(LOGIN, 20) })
    login.mockImplementationOnce(async (_url, _headers, signal) => {
      await once(signal, 'abort')
      throw signal.reason
    })
    await expect(token()).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await token()).toBe('token-1')
  })

  test('logs out once when it is closed, and returns no token afterwards', async () => {
    const { session, token, logout, live } = setUp()
    await token()
    await session.close()
    await session.close()
    expect(logout).toHaveBeenCalledTimes(1)
    expect(live.size).toBe(0)
    await expect(token()).rejects.toMatchObject({ reason: 'local' })
  })

  test('close during a login waits for its token and logs it out', async () => {
    const { session, token, login, logout, live } = setUp()
    const answer = Promise.withResolvers<ReturnType<typeof responseOf>>()
    login.mockReturnValueOnce(answer.promise)
    const requested = token()
    await waitForAssertion(() => expect(login).toHaveBeenCalled())
    const closed = session.close()
    answer.resolve(responseOf(200, '', { [TOKEN_HEADER]: 'token-9' }))
    await Promise.all([requested, closed])
    expect(logout.mock.calls).toEqual([['token-9']])
    expect(live.size).toBe(0)
  })

  test('close ignores a failed logout', async () => {
    const { session, token, logout } = setUp()
    await token()
    logout.mockRejectedValueOnce(new ApiError('connect', 'connection refused'))
    await session.close()
  })
})

describe('the state', () => {
  test('of a login session: not used, logged in, refused with a pause, and logged in again', async () => {
    const { session, token, login, pass } = setUp()
    expect(session.state()).toEqual({ state: 'unused', loggedInAtMs: undefined, pauseMs: 0 })
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toThrow('Unauthorized')
    expect(session.state()).toEqual({ state: 'refused', loggedInAtMs: undefined, pauseMs: 30_000 })
    pass(30_000)
    expect(session.state()).toMatchObject({ state: 'refused', pauseMs: 0 })
    await token()
    const loggedInAtMs = Date.UTC(2026, 0, 1) + 30_000
    expect(session.state()).toEqual({ state: 'open', loggedInAtMs, pauseMs: 0 })
  })

  test('of a token: not used, accepted, refused', async () => {
    const { session, renew, accept } = setUp({ kind: 'token', token: secret('t') })
    expect(session.state().state).toBe('unused')
    accept('t')
    expect(session.state().state).toBe('open')
    await renew('t')
    expect(session.state().state).toBe('refused')
  })
})

describe('a password file', () => {
  test('is read at every login; a new password is not delayed by the cooldown of the old one', async () => {
    using folder = temporaryFolder()
    const file = folder.write('password', 'old\n')
    const { token, login } = setUp({ kind: 'login_file', username: 'monitor', file })
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    expect(login).toHaveBeenCalledTimes(1)
    folder.write('password', '\ufeffnew\r\n')
    expect(await token()).toBe('token-1')
    const sent = login.mock.calls.map(([, headers]) => headers['Authorization'])
    const basic = (text: string) => `Basic ${Buffer.from(`monitor:${text}`).toString('base64')}`
    expect(sent).toEqual(['old', 'new'].map(basic))
  })

  test.each([
    ['', 'is empty'],
    ['a\nb', 'has more than one line'],
  ])('%j: %s', async (text, words) => {
    using folder = temporaryFolder()
    const file = folder.write('password', text)
    const { token, login } = setUp({ kind: 'login_file', username: 'monitor', file })
    await expect(token()).rejects.toMatchObject({ reason: 'local', message: expect.stringContaining(words) })
    expect(login).not.toHaveBeenCalled()
  })
})

describe('a token file', () => {
  const fileSession = (file: string) => setUp({ kind: 'token_file', file })

  test('is read again after each change: overwritten, replaced, with a byte order mark and blanks', async () => {
    using folder = temporaryFolder()
    const file = folder.write('token', 'first')
    const { token, login } = fileSession(file)
    expect(await token()).toBe('first')
    writeFileSync(file, '\ufeffsecond\r\n')
    expect(await token()).toBe('second')
    renameSync(folder.write('next', '  third  \n'), file)
    expect(await token()).toBe('third')
    expect(login).not.toHaveBeenCalled()
  })

  test.each([[''], ['two words'], ['a\nb'], ['tökén'], ['x'.repeat(8193)]])(
    'changed to %.10j: the token in memory stays in use',
    async (text) => {
      using folder = temporaryFolder()
      const file = folder.write('token', 'first')
      const { token } = fileSession(file)
      expect(await token()).toBe('first')
      writeFileSync(file, text)
      expect(await token()).toBe('first')
    },
  )

  test('that is missing or malformed fails without showing its content', async () => {
    using folder = temporaryFolder()
    const file = `${folder.path}/token`
    const { token } = fileSession(file)
    const message = `the token_file ${file} cannot be read: no such file`
    await expect(token()).rejects.toMatchObject({ reason: 'local', message })
    folder.write('token', 'SECRET in two words')
    await expect(token()).rejects.toMatchObject({ message: expect.not.stringContaining('SECRET') })
    folder.write('token', 'good')
    chmodSync(file, 0o600)
    expect(await token()).toBe('good')
  })

  test('returns another token after a refusal only if the file has one', async () => {
    using folder = temporaryFolder()
    const file = folder.write('token', 'first')
    const { token, renew, logout, session } = fileSession(file)
    await token()
    expect(await renew('first')).toBeUndefined()
    folder.write('token', 'second')
    expect(await renew('first')).toBe('second')
    await session.close()
    expect(logout).not.toHaveBeenCalled()
  })
})

test('a token of the configuration is sent unchanged, never renewed and never logged out', async () => {
  const { token, renew, login, logout, session } = setUp({ kind: 'token', token: secret('ready') })
  expect(await token()).toBe('ready')
  expect(await renew('ready')).toBeUndefined()
  await (session as Session).close()
  expect([login.mock.calls, logout.mock.calls]).toEqual([[], []])
})
