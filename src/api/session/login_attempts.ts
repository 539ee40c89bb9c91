import type { Secret } from '../../config/values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import { refusalOf } from '../http/refusals.ts'
import { basicHeader, tokenOf } from './login.ts'
import { createLoginPauses, type LoginPauses } from './login_pauses.ts'
import type { LoginOptions } from './session.ts'

/** The login was heard, and refused. */
const REFUSED: readonly Reason[] = ['auth', 'forbidden']
/** The login may have made a token that nobody knows. An account may have a hundred, each for two hours without use. */
const LOST: readonly Reason[] = ['timeout', 'reset', 'too_large', 'schema']
/** So many may be lost in a row before the next one waits: it may be one node, or a connection that had been closed. */
const LOSSES_SPARED = 3
/** Of all nodes together, without a login between that came through: an account may have a hundred. */
const ALL_LOSSES_SPARED = 20
const LOSS = 'no answer of a login brought its token: sessions may be left behind'

/** Logs in, with pauses after logins that failed in a way that would only harm when repeated. */
export interface LoginAttempts {
  /**
   * The password to log in with.
   * @throws {ApiError} while it is too early for another login, and for a moment what the last one at the same node
   *   failed by, so that not everybody who waits for a login asks for one of his own
   */
  allowed(baseUrl: string): Promise<Secret>
  /** @throws {ApiError} when the login fails */
  logIn(baseUrl: string, password: Secret, signal: AbortSignal): Promise<Secret>
}

export function createLoginAttempts(options: LoginOptions): LoginAttempts {
  const { username, readPassword, requests, onLogin } = options
  const pauses = (what: string, spared: number) =>
    createLoginPauses({ ...options, what, spared, warnsAfter: 0 })
  const refusals = pauses('the login was refused: check username and password', 0)
  /** By node: one that resets every login must not keep the others from being asked. */
  const losses = new Map<string, LoginPauses>()
  const allLosses = pauses(LOSS, ALL_LOSSES_SPARED)
  const failures = createSharedFailures(options.now)

  async function requestToken(baseUrl: string, password: Secret, signal: AbortSignal): Promise<Secret> {
    const answer = await requests.login(baseUrl, basicHeader(username, password), signal)
    const refused = refusalOf(answer)
    if (refused !== undefined) throw refused
    return tokenOf(answer)
  }

  function noteFailure(failure: ApiError, baseUrl: string, password: Secret): void {
    onLogin(failure.reason)
    failures.note(baseUrl, failure)
    if (REFUSED.includes(failure.reason)) refusals.begin(password)
    if (!LOST.includes(failure.reason)) return
    allLosses.begin(password, failure.reason)
    const ofNode = losses.get(baseUrl) ?? pauses(LOSS, LOSSES_SPARED)
    losses.set(baseUrl, ofNode)
    ofNode.begin(password, failure.reason)
  }

  return {
    async allowed(baseUrl) {
      const password = await readPassword()
      refusals.check(password)
      allLosses.check(password)
      losses.get(baseUrl)?.check(password)
      failures.check(baseUrl)
      return password
    },
    async logIn(baseUrl, password, signal) {
      try {
        const token = await requestToken(baseUrl, password, signal)
        onLogin('ok')
        refusals.forget()
        losses.delete(baseUrl)
        allLosses.forget()
        failures.forget()
        return token
      } catch (failure) {
        if (failure instanceof ApiError) noteFailure(failure, baseUrl, password)
        throw failure
      }
    },
  }
}

/** A service that cannot log anybody in at the moment, as after a boot. */
const SHARED: readonly Reason[] = ['server_error', 'unavailable', 'throttled']
/** The first time shorter than the pause before a repetition. */
const SHARED_MS = [200, 1000, 5000] as const

/** By node: the failure of the last login, which others who come in a moment are told without another login. */
function createSharedFailures(now: () => number) {
  const last = new Map<string, { readonly failure: ApiError; readonly at: number; readonly times: number }>()
  return {
    check(baseUrl: string): void {
      const { failure, at, times } = last.get(baseUrl) ?? { failure: undefined, at: 0, times: 0 }
      const passed = now() - at
      const ms = SHARED_MS[Math.min(times, SHARED_MS.length) - 1] ?? 0
      if (failure !== undefined && passed >= 0 && passed < ms) throw failure
    },
    note(baseUrl: string, failure: ApiError): void {
      if (!SHARED.includes(failure.reason)) return
      last.set(baseUrl, { failure, at: now(), times: (last.get(baseUrl)?.times ?? 0) + 1 })
    },
    forget: () => last.clear(),
  }
}
