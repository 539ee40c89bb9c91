import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { TOKEN_HEADER } from '../../../src/api/http/token_header.ts'
import { createSession } from '../../../src/api/session/create_session.ts'
import type { Grant, Session, SessionOptions } from '../../../src/api/session/session.ts'
import type { AuthConfig } from '../../../src/config/config.ts'
import { type Log, silentLog } from '../../../src/log.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { answerOf, never, secret } from '../http/answers.ts'

const HOUR = 3_600_000
const LOGIN: AuthConfig = { kind: 'login', username: 'monitor', password: secret('pässword') }
const BASE = 'https://ecs1'
const ASKER = 'nodes p1'

/** A session whose system is made of functions, with a clock that the test moves. */
function plant(auth: AuthConfig = LOGIN, more: Partial<SessionOptions> = {}) {
  let now = Date.UTC(2026, 0, 1)
  let made = 0
  const live = new Set<string>()
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (message, fields) => warnings.push([message, fields]) }
  const login = vi.fn(
    async (_baseUrl: string, _headers: Readonly<Record<string, string>>, _signal: AbortSignal) => {
      made += 1
      live.add(`token-${made}`)
      return answerOf(200, '', { [TOKEN_HEADER]: `token-${made}` })
    },
  )
  const logout = vi.fn(async (token: { reveal(): string }, _signal: AbortSignal) => {
    live.delete(token.reveal())
  })
  const results: string[] = []
  const session = createSession({
    system: 'frankfurt',
    auth,
    timeoutMs: 30_000,
    requests: { login, logout },
    onLogin: (result) => results.push(result),
    log,
    now: () => now,
    ...more,
  })
  let last: Grant | undefined
  const text = async (granted: Promise<Grant | undefined>) => {
    last = await granted
    return last?.token.reveal()
  }
  return {
    session,
    login,
    logout,
    live,
    results,
    warnings,
    pass: (ms: number) => {
      now += ms
    },
    token: (signal = never()) => text(session.token(BASE, signal)),
    renew: (refused: string, asker = ASKER) =>
      text(session.renew({ token: secret(refused), number: last?.number ?? 0 }, BASE, never(), asker)),
    /** Of the token that was granted last. */
    noteAccepted: (asker = ASKER) => last && session.noteAccepted(last, asker),
    noteUseless: (asker = ASKER) => last && session.noteUseless(last, asker),
  }
}

const refused = async () =>
  answerOf(401, '<error><code>401</code><description>Unauthorized</description></error>')

describe('a login session', () => {
  test('logs in once for all who ask at the same time, with the credentials in UTF-8', async () => {
    const { token, login, results } = plant()
    expect(await Promise.all(Array.from({ length: 20 }, () => token()))).toEqual(Array(20).fill('token-1'))
    expect(await token()).toBe('token-1')
    expect(login).toHaveBeenCalledTimes(1)
    const [, headers] = login.mock.calls[0] ?? []
    expect(headers).toEqual({ Authorization: `Basic ${Buffer.from('monitor:pässword').toString('base64')}` })
    expect(results).toEqual(['ok'])
  })

  test('renews a refused token once for all, and gives the old one back first', async () => {
    const { token, renew, login, logout, live } = plant()
    await token()
    expect(await Promise.all(Array.from({ length: 20 }, () => renew('token-1')))).toEqual(
      Array(20).fill('token-2'),
    )
    expect(await renew('token-1')).toBe('token-2')
    expect(login).toHaveBeenCalledTimes(2)
    expect(logout).toHaveBeenCalledTimes(1)
    expect([...live]).toEqual(['token-2'])
    expect(logout.mock.invocationCallOrder[0]).toBeLessThan(login.mock.invocationCallOrder[1] ?? 0)
  })

  test.each<[string, (pass: (ms: number) => void, token: () => Promise<unknown>) => Promise<void>]>([
    [
      'after seven hours and a half of life',
      async (pass, token) => {
        for (let hour = 0; hour < 7; hour += 0.5) {
          pass(HOUR / 2)
          expect(await token()).toBe('token-1')
        }
        pass(HOUR / 2)
      },
    ],
    ['after one hour and three quarters of idling', async (pass) => pass(1.75 * HOUR)],
    ['when the clock was set back', async (pass) => pass(-24 * HOUR)],
  ])('gets a new token %s', async (_, spend) => {
    const { token, pass, live } = plant()
    expect(await token()).toBe('token-1')
    await spend(pass, token)
    expect(await token()).toBe('token-2')
    expect([...live]).toEqual(['token-2'])
    expect(await token()).toBe('token-2')
  })

  test('waits longer after each refusal, up to ten minutes, and says so', async () => {
    const { token, login, pass, warnings, results } = plant()
    const tries: number[] = []
    let second = 0
    login.mockImplementation(() => {
      tries.push(second)
      return refused()
    })
    for (; second < 3000; second += 1) {
      const failure = await token().catch((cause: unknown) => cause)
      expect(failure).toMatchObject({ reason: 'auth' })
      if (tries.at(-1) !== second) expect(String(failure)).toMatch(/the next login is tried in \d+ s$/)
      pass(1000)
    }
    const pauses = tries.map((at, index) => at - (tries[index - 1] ?? 0))
    expect(pauses).toEqual([0, 30, 60, 120, 240, 480, 600, 600, 600])
    expect(warnings).toContainEqual([
      'the login was refused: check username and password',
      { system: 'frankfurt', user: 'monitor', next_try_seconds: 600 },
    ])
    expect(results).toEqual(tries.map(() => 'auth'))
  })

  test('stays below ten refused logins in an hour, which would lock the account', async () => {
    const { token, login, pass } = plant()
    login.mockImplementation(refused)
    for (let second = 0; second < 3600; second += 10) {
      await token().catch(() => undefined)
      pass(10_000)
    }
    expect(login.mock.calls.length).toBeLessThanOrEqual(10)
  })

  test('does not wait a day because the clock was set back', async () => {
    const { token, login, pass } = plant()
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    pass(-24 * HOUR)
    expect(await token()).toBe('token-1')
  })

  /** Polls these pools every second, four side by side, at a system that refuses every token of theirs. */
  async function pollRefused(pools: number, seconds: number) {
    const { session, login, pass, warnings } = plant()
    const logins: number[] = []
    const poll = async (asker: string) => {
      const granted = await session.token(BASE, never())
      const newer = await session.renew(granted, BASE, never(), asker).catch((failure: unknown) => {
        expect(failure).toMatchObject({ reason: 'auth' })
      })
      if (newer !== undefined) session.noteUseless(newer, asker)
    }
    for (let second = 0; second < seconds; second += 1) {
      const before = login.mock.calls.length
      for (let pool = 0; pool < pools; pool += 4) {
        const four = Array.from({ length: Math.min(4, pools - pool) }, (_, index) => `pool ${pool + index}`)
        await Promise.all(four.map(poll))
      }
      const more = login.mock.calls.length - before
      if (more > 0) logins.push(...Array<number>(more).fill(second))
      pass(1000)
    }
    return { logins, warnings }
  }

  test.each([1, 3, 20, 200])(
    'logins that are granted and do not help wait as refused ones do, with %i pools',
    async (pools) => {
      const { logins, warnings } = await pollRefused(pools, 600)
      expect(logins).toEqual([0, 0, 30, 90, 210, 450])
      // The failures of single pools are in the log by themselves; and once may be bad luck.
      const told = pools === 1 ? [] : [60, 120, 240, 480]
      expect(warnings).toEqual(
        told.map((next_try_seconds) => [
          expect.stringContaining('new tokens are refused, too'),
          expect.objectContaining({ next_try_seconds }),
        ]),
      )
    },
  )

  test('a token that brings answers to others is not replaced for one that it is refused for', async () => {
    const { session, login } = plant()
    const granted = await session.token(BASE, never())
    session.noteAccepted(await session.token(BASE, never()), 'another')
    expect(await session.renew(granted, BASE, never(), ASKER)).toBeUndefined()
    expect(login).toHaveBeenCalledTimes(1)
    // Nobody was answered since: it may be dead.
    const later = await session.token(BASE, never())
    expect((await session.renew(later, BASE, never(), ASKER))?.token.reveal()).toBe('token-2')
  })

  test('an answer to an older request is no proof that a token lives', async () => {
    const { session } = plant()
    const older = await session.token(BASE, never())
    const refused = await session.token(BASE, never())
    session.noteAccepted(older, 'another')
    expect((await session.renew(refused, BASE, never(), ASKER))?.token.reveal()).toBe('token-2')
  })

  test('a newer token that was replaced meanwhile is no reason for doubt', async () => {
    const { session, token } = plant()
    const first = await session.token(BASE, never())
    const second = await session.renew(first, BASE, never(), ASKER)
    await session.renew({ token: secret('token-2'), number: 99 }, BASE, never(), 'another')
    if (second !== undefined) session.noteUseless(second, ASKER)
    expect(await token()).toBe('token-3')
    const third = await session.token(BASE, never())
    expect((await session.renew(third, BASE, never(), ASKER))?.token.reveal()).toBe('token-4')
  })

  test('a service that cannot log anybody in is asked once in a moment, whoever waits', async () => {
    const { session, login, logout, pass } = plant()
    await session.renew(await session.token(BASE, never()), BASE, never(), ASKER)
    login.mockClear()
    login.mockImplementation(async () => answerOf(503))
    const failed = async () => {
      for (let pool = 0; pool < 20; pool += 1)
        await expect(
          session.renew({ token: secret('token-2'), number: 99 }, BASE, never(), `${pool}`),
        ).rejects.toMatchObject({ reason: 'unavailable' })
    }
    const times: number[] = []
    for (let tenth = 0; tenth < 150; tenth += 1) {
      const before = login.mock.calls.length
      await failed()
      if (login.mock.calls.length > before) times.push(tenth)
      pass(100)
    }
    expect(times).toEqual([0, 2, 12, 62, 112])
    expect(login).toHaveBeenCalledTimes(times.length)
    // Token 1, and once token 2, before the first login that failed.
    expect(logout).toHaveBeenCalledTimes(2)
    expect(
      await session
        .renew({ token: secret('x'), number: 99 }, 'https://other', never(), ASKER)
        .catch((failure: unknown) => failure),
    ).toMatchObject({ reason: 'unavailable' })
    expect(login).toHaveBeenCalledTimes(times.length + 1)
  })

  test('while a login is refused, nothing is sent at all', async () => {
    const { session, login, logout, token } = plant()
    await token()
    login.mockImplementation(refused)
    logout.mockRejectedValue(new ApiError('server_error', 'bad'))
    for (let poll = 0; poll < 50; poll += 1)
      await expect(
        session.renew({ token: secret('token-1'), number: 99 }, BASE, never(), ASKER),
      ).rejects.toMatchObject({ reason: 'auth' })
    expect([login.mock.calls.length, logout.mock.calls.length]).toEqual([2, 1])
  })

  test('logins whose answers are lost wait after the third, since each may leave a session behind', async () => {
    const { token, login, pass, live, warnings } = plant()
    login.mockImplementation(async () => {
      live.add(`lost-${login.mock.calls.length}`)
      throw new ApiError('reset', 'bad')
    })
    for (let minute = 0; minute < 120; minute += 1) {
      for (let attempt = 0; attempt < 3; attempt += 1) await token().catch(() => undefined)
      pass(60_000)
    }
    expect(live.size).toBeLessThan(25)
    expect(warnings[0]).toMatchObject([expect.stringContaining('left behind'), { next_try_seconds: 30 }])
    pass(HOUR)
    login.mockImplementation(async () => answerOf(200, '', { [TOKEN_HEADER]: 'good' }))
    expect(await token()).toBe('good')
  })

  test('logins that one node loses keep no other node from being asked', async () => {
    const { session, login, pass } = plant()
    login.mockImplementation(async (baseUrl: string) => {
      if (baseUrl === BASE) throw new ApiError('reset', 'bad')
      return answerOf(200, '', { [TOKEN_HEADER]: 'good' })
    })
    for (let poll = 0; poll < 20; poll += 1) {
      // A pause at this node is told by the reason that it has, so that fail-over goes on.
      await expect(session.token(BASE, never())).rejects.toMatchObject({ reason: 'reset' })
      pass(60_000)
    }
    expect(login.mock.calls.length).toBeLessThan(10)
    expect((await session.token('https://another', never())).token.reveal()).toBe('good')
  })

  test('one that helps ends the waiting', async () => {
    const { token, renew, noteUseless, noteAccepted } = plant()
    await token()
    expect(await renew('token-1')).toBe('token-2')
    noteUseless()
    await expect(renew('token-2')).rejects.toMatchObject({ reason: 'auth' })
    expect(await token()).toBe('token-2')
    noteAccepted()
    expect(await token()).toBe('token-2')
    expect(await renew('token-2')).toBe('token-3')
  })

  test('a missing role at the login counts as a refusal; a system that is down does not', async () => {
    const { token, login, pass } = plant()
    login.mockResolvedValueOnce(answerOf(503))
    await expect(token()).rejects.toMatchObject({ reason: 'unavailable' })
    pass(1000)
    login.mockResolvedValueOnce(answerOf(403))
    await expect(token()).rejects.toMatchObject({ reason: 'forbidden' })
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    expect(login).toHaveBeenCalledTimes(2)
  })

  test('a login that is answered without a token has failed', async () => {
    const { token, login, results } = plant()
    login.mockResolvedValueOnce(answerOf(200))
    await expect(token()).rejects.toMatchObject({ reason: 'html' })
    expect(results).toEqual(['html'])
  })

  test('who leaves while the login is under way takes it away from nobody', async () => {
    const { token, login } = plant()
    const answer = Promise.withResolvers<ReturnType<typeof answerOf>>()
    login.mockReturnValueOnce(answer.promise)
    const impatient = new AbortController()
    const [leaves, stays] = [token(impatient.signal), token()]
    await vi.waitFor(() => expect(login).toHaveBeenCalled())
    impatient.abort(new DOMException('over', 'TimeoutError'))
    await expect(leaves).rejects.toMatchObject({ reason: 'timeout' })
    expect(login.mock.calls[0]?.[2].aborted).toBe(false)
    answer.resolve(answerOf(200, '', { [TOKEN_HEADER]: 'token-9' }))
    expect(await stays).toBe('token-9')
  })

  test('a login has an end of its own', async () => {
    const { token, login } = plant(LOGIN, { timeoutMs: 20 })
    login.mockImplementationOnce(
      (_url, _headers, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    await expect(token()).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await token()).toBe('token-1')
  })

  test('logs out at the end, once, and gives no token any more', async () => {
    const { session, token, logout, live } = plant()
    await token()
    await session.close()
    await session.close()
    expect(logout).toHaveBeenCalledTimes(1)
    expect(live.size).toBe(0)
    await expect(token()).rejects.toMatchObject({ reason: 'local' })
  })

  test('an end in the middle of a login waits for the token, to give it back', async () => {
    const { session, token, login, logout, live } = plant()
    const answer = Promise.withResolvers<ReturnType<typeof answerOf>>()
    login.mockReturnValueOnce(answer.promise)
    const asked = token()
    await vi.waitFor(() => expect(login).toHaveBeenCalled())
    const closed = session.close()
    answer.resolve(answerOf(200, '', { [TOKEN_HEADER]: 'token-9' }))
    await Promise.all([asked, closed])
    expect(logout.mock.calls.map(([{ reveal }]) => reveal.call(secret('token-9')))).toEqual(['token-9'])
    expect(live.size).toBe(0)
  })

  test('a token that could not be given back is given back with the next one', async () => {
    const { session, token, renew, logout, live } = plant()
    logout.mockRejectedValueOnce(new ApiError('reset', 'bad'))
    logout.mockRejectedValueOnce(new ApiError('unavailable', 'bad'))
    for (const made of ['token-1', 'token-2', 'token-3']) {
      expect(await token()).toBe(made)
      await renew(made)
    }
    expect([...live]).toEqual(['token-4'])
    await session.close()
    expect(live.size).toBe(0)
  })

  test('an end does not hang on a system that is dead', async () => {
    const { session, token, logout } = plant()
    await token()
    logout.mockRejectedValueOnce(new ApiError('connect', 'dead'))
    await session.close()
  })

  test('ten thousand expiries and ends leave no token behind', async () => {
    const live = new Set<string>()
    let most = 0
    for (let round = 0; round < 1000; round += 1) {
      const { session, token, renew, live: own } = plant()
      for (let expiry = 1; expiry <= 9; expiry += 1) {
        await token()
        await renew(`token-${expiry}`)
        most = Math.max(most, own.size)
      }
      await session.close()
      for (const left of own) live.add(left)
    }
    expect(most).toBe(1)
    expect(live.size).toBe(0)
  })
})

describe('a password file', () => {
  test('is read at every login, and a new password does not wait for the pause of the old one', async () => {
    using folder = temporaryFolder()
    const file = folder.write('password', 'old\n')
    const { token, login } = plant({ kind: 'login_file', username: 'monitor', file })
    login.mockImplementationOnce(refused)
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    await expect(token()).rejects.toMatchObject({ reason: 'auth' })
    expect(login).toHaveBeenCalledTimes(1)
    folder.write('password', '\ufeffnew\r\n')
    expect(await token()).toBe('token-1')
    const sent = login.mock.calls.map(([, headers]) => headers['Authorization'])
    expect(sent).toEqual(
      ['old', 'new'].map((text) => `Basic ${Buffer.from(`monitor:${text}`).toString('base64')}`),
    )
  })

  test.each([
    ['', 'is empty'],
    ['a\nb', 'has more than one line'],
  ])('%j: %s', async (text, words) => {
    using folder = temporaryFolder()
    const file = folder.write('password', text)
    const { token, login } = plant({ kind: 'login_file', username: 'monitor', file })
    await expect(token()).rejects.toMatchObject({ reason: 'local', message: expect.stringContaining(words) })
    expect(login).not.toHaveBeenCalled()
  })
})

describe('a token file', () => {
  const fileSession = (file: string) => plant({ kind: 'token_file', file })

  test('is read again whenever it changes: written over, replaced by another, with what editors add', async () => {
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
    'that turns into %.10j leaves the token in memory in use',
    async (text) => {
      using folder = temporaryFolder()
      const file = folder.write('token', 'first')
      const { token } = fileSession(file)
      expect(await token()).toBe('first')
      writeFileSync(file, text)
      expect(await token()).toBe('first')
    },
  )

  test('that is missing from the start is told, without its content', async () => {
    using folder = temporaryFolder()
    const file = `${folder.path}/token`
    const { token } = fileSession(file)
    await expect(token()).rejects.toMatchObject({
      reason: 'local',
      message: `the token_file ${file} cannot be read`,
    })
    folder.write('token', 'SECRET in two words')
    await expect(token()).rejects.toMatchObject({ message: expect.not.stringContaining('SECRET') })
    folder.write('token', 'good')
    chmodSync(file, 0o600)
    expect(await token()).toBe('good')
  })

  test('gives a newer token after a refusal only where there is one', async () => {
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

test('a token of the configuration is sent as it is, never renewed and never logged out', async () => {
  const { token, renew, login, logout, session } = plant({ kind: 'token', token: secret('ready') })
  expect(await token()).toBe('ready')
  expect(await renew('ready')).toBeUndefined()
  await (session as Session).close()
  expect([login.mock.calls, logout.mock.calls]).toEqual([[], []])
})
