import type { Secret } from '../config/secret.ts'
import { ApiError } from './errors.ts'
import { basicHeader, tokenOf } from './login.ts'
import { createLoginPauses } from './login_pauses.ts'
import type { Reason } from './reasons.ts'
import { refusalOf } from './refusals.ts'
import type { LoginOptions } from './session.ts'

/** The login was heard, and refused. */
const REFUSED: readonly Reason[] = ['auth', 'forbidden']
/** The login may have made a token that nobody knows. An account may have a hundred, each for two hours without use. */
const LOST: readonly Reason[] = ['timeout', 'reset', 'too_large', 'schema']
/** So many may be lost in a row before the next one waits: it may be one node, or a connection that had been closed. */
const LOSSES_SPARED = 3

/** A token, and the password that it was given for. */
export interface Login {
  readonly token: Secret
  readonly password: Secret
}

/** @throws {ApiError} when the login fails, and `auth` while it is too early for one after others that failed */
export type LogIn = (baseUrl: string, signal: AbortSignal) => Promise<Login>

/** Logs in, with pauses after logins that failed in a way that would only harm when repeated. */
export function createLoginAttempts(options: LoginOptions): LogIn {
  const { username, readPassword, requests, onLogin } = options
  const refusals = createLoginPauses({
    ...options,
    what: 'the login was refused: check username and password',
    spared: 0,
  })
  const losses = createLoginPauses({
    ...options,
    what: 'no answer of a login brought its token: sessions may be left behind',
    spared: LOSSES_SPARED,
  })

  async function requestToken(baseUrl: string, password: Secret, signal: AbortSignal): Promise<Secret> {
    const answer = await requests.login(baseUrl, basicHeader(username, password), signal)
    const refused = refusalOf(answer)
    if (refused !== undefined) throw refused
    return tokenOf(answer)
  }

  function noteFailure(reason: Reason, password: Secret): void {
    onLogin(reason)
    if (REFUSED.includes(reason)) refusals.begin(password)
    if (LOST.includes(reason)) losses.begin(password)
  }

  return async (baseUrl, signal) => {
    const password = await readPassword()
    refusals.check(password)
    losses.check(password)
    try {
      const token = await requestToken(baseUrl, password, signal)
      onLogin('ok')
      refusals.forget()
      losses.forget()
      return { token, password }
    } catch (failure) {
      if (failure instanceof ApiError) noteFailure(failure.reason, password)
      throw failure
    }
  }
}
