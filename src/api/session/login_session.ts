import type { SystemConfig } from '../../config/config.ts'
import type { Log } from '../../log.ts'
import { BoundedMap } from '../../values/cache.ts'
import type { Secret } from '../../values/secret.ts'
import { ApiError, hasResponse, isOfSystem } from '../errors/errors.ts'
import { basicHeader, tokenOf } from '../http/credentials.ts'
import {
  type Attempts,
  type ClientObserver,
  type Exchange,
  LOGIN,
  LOGOUT,
  tokenRequest,
} from '../http/exchanges.ts'
import { createCooldown, untilAborted, withDeadline } from '../http/waiting.ts'
import { MAX_PATHS } from '../request/operation.ts'

/** The token of one system. One for all pools. */
export interface Session {
  /**
   * The token to send now.
   * @param baseUrl where to log in, if that is needed
   * @throws {ApiError} `auth` when the login is refused, or was refused and its cooldown is not over
   */
  token(baseUrl: string, signal: AbortSignal): Promise<Secret>
  /**
   * A newer token than the refused one; undefined where there is none, or during a cooldown.
   * @param path of the request that was refused
   * @throws {ApiError} when the login fails
   */
  renew(refused: Secret, path: string, baseUrl: string, signal: AbortSignal): Promise<Secret | undefined>
  accepted(token: Secret, path: string): void
  /** A token that `renew` gave for this path is refused, too: begins a cooldown of renewals. */
  renewalRefused(path: string): void
  /** Whether tokens are refused soon after they were accepted, so that none is replaced at the moment. */
  isUnsteady(): boolean
  state(): SessionState
  /** Logs out if the system responds; no token is returned afterwards. */
  close(): Promise<void>
}

export interface SessionState {
  /**
   * `unused`: no token was sent yet. `open`: the login succeeded, or the system accepted the token. `refused`: the
   * system refused the last login or the token.
   */
  readonly state: 'unused' | 'open' | 'refused'
  /** Time of the login that gave the token, in milliseconds since the epoch. */
  readonly loggedInAtMs: number | undefined
  /** Milliseconds for which no login is sent, because the last one was refused. */
  readonly pauseMs: number
}

export interface SessionOptions {
  readonly system: Pick<SystemConfig, 'name' | 'auth' | 'baseUrls'> & {
    readonly poll: Pick<SystemConfig['poll'], 'timeoutMs'>
  }
  readonly observer: Pick<ClientObserver, 'loggedIn'>
  /** Sends the login; a logout goes to any endpoint, because they share the sessions of the system. */
  readonly exchange: Exchange
  readonly attempts: Attempts
  readonly log: Log
  /** Milliseconds since the epoch: a token also ages while the machine sleeps. */
  readonly now?: () => number
  /** Monotonic clock of the cooldowns, in milliseconds. */
  readonly monotonicNow?: () => number
}

interface LoginOptions extends SessionOptions {
  readonly username: string
  readonly readPassword: () => Promise<Secret>
}

/** Tokens live for 8 h, and 2 h without use (administration guide of the system); renewed with a margin. */
const MAX_AGE_MS = 7.5 * 3_600_000
const MAX_IDLE_MS = 1.75 * 3_600_000
/**
 * What a login may take of the time of an operation. Of several endpoints the first attempt gets half of the time, and
 * a login that hangs must end before the next attempt begins.
 */
const LOGIN_SHARE = { oneUrl: 0.8, severalUrls: 0.4 } as const
/** How long `close` waits for a login under way. */
const LAST_LOGIN_TIMEOUT_MS = 2000
/** What one logout may take: the end of the exporter does not wait longer for a system that is down. */
const LOGOUT_TIMEOUT_MS = 2000

/** For a system that accepts a token, and soon refuses it. */
export const UNSTEADY_REMEDY =
  'the system refuses some requests with a token that it accepts for others: set base_url to nodes of one system, which share sessions, not to an address in front of several systems'

interface Token {
  readonly secret: Secret
  /** Milliseconds since the epoch. */
  readonly since: number
  usedAt: number
}

/** A session whose token comes from a login, is replaced before it expires or when it is refused, and is logged out. */
export function createLoginSession(options: LoginOptions): Session {
  const { now = Date.now } = options
  const timeoutMs = loginTimeoutMs(options.system)
  const login = createLogin(options)
  const renewals = createRenewals(options.monotonicNow, (cooldownMs) => logUnsteady(options, cooldownMs))
  const { isAllowed, renewed, ...notes } = renewals
  const closing = new AbortController()
  let closed = false
  let current: Token | undefined
  let pending: Promise<Token> | undefined

  /** One login for all that wait. It has its own deadline, because the response to an aborted login may have a token. */
  function replace(baseUrl: string): Promise<Token> {
    pending ??= (async () => {
      await dropCurrent()
      const secret = await withDeadline(closing.signal, timeoutMs, (signal) => login.send(baseUrl, signal))
      current = { secret, since: now(), usedAt: now() }
      return current
    })().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function dropCurrent(): Promise<void> {
    const last = current
    current = undefined
    if (last !== undefined) await logOut(last.secret, options)
  }

  async function use(good: Token | undefined, baseUrl: string, signal: AbortSignal): Promise<Secret> {
    if (closed) throw new ApiError('local', 'the session has been closed')
    const used = good ?? (await untilAborted(replace(baseUrl), signal))
    used.usedAt = now()
    return used.secret
  }

  return {
    async token(baseUrl, signal) {
      return use(current && isFresh(current, now()) ? current : undefined, baseUrl, signal)
    },
    async renew(refused, path, baseUrl, signal) {
      if (current?.secret.equals(refused) !== true) return use(current, baseUrl, signal)
      if (!isAllowed(refused, path)) return undefined
      return renewed(await use(undefined, baseUrl, signal))
    },
    ...notes,
    state: () => ({
      state: login.isRefused() ? 'refused' : current === undefined ? 'unused' : 'open',
      loggedInAtMs: current?.since,
      pauseMs: login.pauseMs(),
    }),
    async close() {
      closed = true
      const timer = setTimeout(() => closing.abort(), LAST_LOGIN_TIMEOUT_MS)
      await pending?.catch(() => undefined)
      clearTimeout(timer)
      await dropCurrent()
    },
  }
}

function loginTimeoutMs({ baseUrls, poll }: LoginOptions['system']): number {
  return poll.timeoutMs * (baseUrls.length === 1 ? LOGIN_SHARE.oneUrl : LOGIN_SHARE.severalUrls)
}

function logUnsteady({ system, username: user, log }: LoginOptions, cooldownMs: number): void {
  const next_login_seconds = cooldownMs / 1000
  log.warn('new token refused', { system: system.name, user, remedy: UNSTEADY_REMEDY, next_login_seconds })
}

/** A negative age means that the clock was set back: such a token is replaced as well. */
function isFresh({ since, usedAt }: Token, nowMs: number): boolean {
  const [ageMs, idleMs] = [nowMs - since, nowMs - usedAt]
  return ageMs >= 0 && ageMs < MAX_AGE_MS && idleMs >= 0 && idleMs < MAX_IDLE_MS
}

/** Sends one login. After a refused one none is sent during a cooldown, unless the password changes. */
function createLogin({
  system,
  username,
  readPassword,
  exchange,
  observer,
  log,
  monotonicNow,
}: LoginOptions) {
  const cooldown = createCooldown(monotonicNow)
  let refused: { readonly password: Secret; readonly failure: ApiError } | undefined

  function check(password: Secret): void {
    if (refused?.password.equals(password) !== true) cooldown.reset()
    const retryAfterMs = cooldown.remainingMs()
    if (refused === undefined || retryAfterMs === 0) return
    const { reason, detail, remedy } = refused.failure
    const next = `the next login is tried in ${Math.ceil(retryAfterMs / 1000)} s`
    const text = `the login as ${username} was refused: ${detail}; ${next}`
    throw new ApiError(reason, text, { remedy, retryAfterMs })
  }

  function noteFailure(failure: ApiError, password: Secret): void {
    const { reason, detail: error, remedy, retryAfterMs } = failure
    observer.loggedIn?.(reason)
    if (!isRefused(failure)) return
    refused = { password, failure }
    const next_login_seconds = cooldown.begin(retryAfterMs) / 1000
    const fields = { system: system.name, user: username, reason, error, remedy, next_login_seconds }
    log.warn('login refused', fields)
  }

  async function send(baseUrl: string, signal: AbortSignal): Promise<Secret> {
    const password = await readPassword()
    check(password)
    try {
      const headers = basicHeader(username, password)
      const token = tokenOf(await exchange({ ...LOGIN, headers }, baseUrl, signal))
      observer.loggedIn?.('ok')
      cooldown.reset()
      refused = undefined
      return token
    } catch (failure) {
      if (failure instanceof ApiError) noteFailure(failure, password)
      throw failure
    }
  }

  return { send, isRefused: () => refused !== undefined, pauseMs: cooldown.remainingMs }
}

/** Whether the system itself refused the login. It may lock the address after ten refused ones. */
function isRefused(failure: ApiError): boolean {
  // 401 also where the system does not reach its LDAP server.
  return failure.status === 401 || (hasResponse(failure) && !isOfSystem(failure))
}

/** Never rejects: a token that the system does not log out expires after two hours without use. */
async function logOut(
  token: Secret,
  { system, username, exchange, attempts, log }: LoginOptions,
): Promise<void> {
  const bounds = {
    signal: AbortSignal.timeout(LOGOUT_TIMEOUT_MS),
    deadline: performance.now() + LOGOUT_TIMEOUT_MS,
  }
  try {
    const logout = tokenRequest(LOGOUT, token)
    await attempts.run((baseUrl, signal) => exchange(logout, baseUrl, signal), bounds)
  } catch {
    log.debug('logout failed', { system: system.name, user: username })
  }
}

/** A new token that is refused earlier was not refused for its age, and one that was accepted since works. */
const RECENT_MS = 60_000

/**
 * Decides whether a refused token is replaced. A refusal belongs to the request that was refused, by its path: if the token
 * was accepted for other paths within a minute and not for this one, it is not replaced. A new token that is refused, too,
 * for the request it was renewed for, begins a cooldown: during it, only a token is replaced that was accepted for the same
 * path. So does a new token that is refused within a minute for a path that was accepted before: during it, this token is not
 * replaced for any path.
 * @param now monotonic clock in milliseconds
 * @param onUnsteady called when such a token is refused
 */
function createRenewals(
  now: () => number = () => performance.now(),
  onUnsteady: (cooldownMs: number) => void,
) {
  const cooldown = createCooldown(now)
  let newest: { readonly token: Secret; readonly atMs: number; isUnsteady: boolean } | undefined
  const acceptedFor = new BoundedMap<string, Secret>(MAX_PATHS)
  let lastAccepted: { readonly token: Secret; readonly atMs: number } | undefined

  const isRecent = ({ atMs }: { readonly atMs: number }) => now() - atMs < RECENT_MS

  function isUnsteady(refused: Secret, wasAccepted: boolean): boolean {
    if (newest?.token.equals(refused) !== true) return false
    if (wasAccepted && !newest.isUnsteady && isRecent(newest)) {
      newest.isUnsteady = true
      onUnsteady(cooldown.begin())
    }
    return newest.isUnsteady
  }

  return {
    /** Whether a token that was refused for a path is replaced. */
    isAllowed(refused: Secret, path: string): boolean {
      const accepted = acceptedFor.get(path)
      if (!isUnsteady(refused, accepted !== undefined)) {
        if (accepted?.equals(refused) === true) {
          cooldown.reset()
          return true
        }
        if (lastAccepted?.token.equals(refused) === true && isRecent(lastAccepted)) return false
      }
      return cooldown.remainingMs() === 0
    },
    /** Notes that the token replaces one that was refused; returns it. */
    renewed(token: Secret): Secret {
      if (newest?.token.equals(token) !== true) newest = { token, atMs: now(), isUnsteady: false }
      return token
    },
    /** Whether the newest token was refused soon after it was accepted, so that it is not replaced at the moment. */
    isUnsteady: (): boolean => newest?.isUnsteady === true && cooldown.remainingMs() > 0,
    accepted(token: Secret, path: string): void {
      lastAccepted = { token, atMs: now() }
      acceptedFor.set(path, token)
    },
    renewalRefused(path: string): void {
      acceptedFor.delete(path)
      cooldown.begin()
    },
  }
}
