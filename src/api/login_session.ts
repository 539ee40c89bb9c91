import type { Secret } from '../config/secret.ts'
import { untilAborted, withDeadline } from './deadline.ts'
import { ApiError } from './errors.ts'
import { basicHeader, tokenOf } from './login.ts'
import { createLoginPauses } from './login_pauses.ts'
import type { Reason } from './reasons.ts'
import { refusalOf } from './refusals.ts'
import type { Session, SessionOptions } from './session.ts'

/** Tokens live for 8 h, and 2 h without use, by the manufacturer's guide; renewed with a margin. */
const MAX_AGE_MS = 7.5 * 3_600_000
const MAX_IDLE_MS = 1.75 * 3_600_000
/** What each of the last two steps of a session may take; the exporter must not hang on a dead system. */
const LAST_LOGIN_TIMEOUT_MS = 2000
export const LOGOUT_TIMEOUT_MS = 2000
/** More are not kept in mind: a token that could not be given back dies by itself within two hours. */
const MAX_RETURNING = 5

/** The login was heard, and refused. */
const REFUSED: readonly Reason[] = ['auth', 'forbidden']
/** The login may have made a token that nobody knows. An account may have a hundred, each for two hours without use. */
const LOST: readonly Reason[] = ['timeout', 'reset', 'too_large', 'schema']
/** So many may be lost in a row before the next one waits: it may be one node, or a connection that had been closed. */
const LOSSES_SPARED = 3

interface LoginOptions extends Omit<SessionOptions, 'auth'> {
  readonly username: string
  readonly readPassword: () => Promise<Secret>
}

interface Ticket {
  readonly token: Secret
  readonly password: Secret
  readonly since: number
  usedAt: number
}

export function createLoginSession(options: LoginOptions): Session {
  const { system, username, readPassword, requests, onLogin, log, now = Date.now } = options
  const pauses = (what: string, spared = 0) => createLoginPauses({ system, username, what, spared, log, now })
  const refusals = pauses('the login was refused: check username and password')
  const newRenewals = () => pauses('a request was refused with a new token, too')
  /** By who asked: only those that a new token did not help. */
  const renewals = new Map<string, ReturnType<typeof newRenewals>>()
  const losses = pauses('no answer of a login brought its token: sessions may be left behind', LOSSES_SPARED)
  const closing = new AbortController()
  let closed = false
  let ticket: Ticket | undefined
  let pending: Promise<Ticket> | undefined
  /** Tokens to be given back, perhaps since a while: the system may not have heard of it the first time. */
  let returning: readonly Ticket[] = []

  async function logIn(baseUrl: string, signal: AbortSignal): Promise<Ticket> {
    const password = await readPassword()
    refusals.check(password)
    losses.check(password)
    try {
      const token = await requestToken(baseUrl, password, signal)
      onLogin('ok')
      refusals.forget()
      losses.forget()
      return { token, password, since: now(), usedAt: now() }
    } catch (failure) {
      if (failure instanceof ApiError) noteFailure(failure.reason, password)
      throw failure
    }
  }

  function noteFailure(reason: Reason, password: Secret): void {
    onLogin(reason)
    if (REFUSED.includes(reason)) refusals.begin(password)
    if (LOST.includes(reason)) losses.begin(password)
  }

  async function requestToken(baseUrl: string, password: Secret, signal: AbortSignal): Promise<Secret> {
    const answer = await requests.login(baseUrl, basicHeader(username, password), signal)
    const refused = refusalOf(answer)
    if (refused !== undefined) throw refused
    return tokenOf(answer)
  }

  /**
   * Gives the old token back and logs in, once for all who ask meanwhile. It has a time limit of its own: whoever
   * asked first may leave, and a login that is cut off may leave a token behind that nobody knows.
   */
  function replace(baseUrl: string): Promise<Ticket> {
    pending ??= (async () => {
      await giveBack(ticket)
      ticket = await withDeadline(closing.signal, options.timeoutMs, (signal) => logIn(baseUrl, signal))
      return ticket
    })().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function giveBack(last: Ticket | undefined): Promise<void> {
    ticket = undefined
    const all = last === undefined ? returning : [...returning, last].slice(-MAX_RETURNING)
    const heard = await Promise.all(all.map(logOut))
    returning = all.filter((_, index) => !heard[index])
  }

  /** Whether the system heard of it. */
  async function logOut({ token }: Ticket): Promise<boolean> {
    try {
      await requests.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
      return true
    } catch {
      log.debug('logout not answered', { system, user: username })
      return false
    }
  }

  /** A clock that was set back makes no token younger: such a one is replaced as well. */
  function isFresh({ since, usedAt }: Ticket): boolean {
    const [age, idle] = [now() - since, now() - usedAt]
    return age >= 0 && age < MAX_AGE_MS && idle >= 0 && idle < MAX_IDLE_MS
  }

  async function use(good: Ticket | undefined, baseUrl: string, signal: AbortSignal): Promise<Secret> {
    if (closed) throw new ApiError('local', 'the session has been closed')
    const used = good ?? (await untilAborted(replace(baseUrl), signal))
    used.usedAt = now()
    return used.token
  }

  return {
    token: async (baseUrl, signal) => use(ticket && isFresh(ticket) ? ticket : undefined, baseUrl, signal),
    async renew(refused, baseUrl, signal, asker) {
      if (!ticket?.token.equals(refused)) return use(ticket, baseUrl, signal)
      renewals.get(asker)?.check(ticket.password)
      return use(undefined, baseUrl, signal)
    },
    noteRenewal(helped, asker) {
      if (helped) renewals.delete(asker)
      if (helped || ticket === undefined) return
      const doubts = renewals.get(asker) ?? newRenewals()
      renewals.set(asker, doubts)
      doubts.begin(ticket.password)
    },
    isDoubted: (asker) => renewals.has(asker),
    async close() {
      closed = true
      const giveUp = setTimeout(() => closing.abort(), LAST_LOGIN_TIMEOUT_MS)
      const last = pending === undefined ? ticket : await pending.catch(() => undefined)
      clearTimeout(giveUp)
      await giveBack(last)
    },
  }
}
