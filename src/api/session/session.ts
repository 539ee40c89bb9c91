import type { AuthConfig } from '../../config/config.ts'
import type { Secret } from '../../config/values/secret.ts'
import type { Log } from '../../log.ts'
import type { Reason } from '../errors/reasons.ts'
import type { Answer } from '../http/transport.ts'

/** A token that was given out for one request. */
export interface Grant {
  readonly token: Secret
  /** Counts all of the session. If a later one is accepted, an earlier one was not refused for its token. */
  readonly number: number
}

/** The token of one system, however it is come by. One for all pools. */
export interface Session {
  /**
   * The token to send now.
   * @param baseUrl the node to log in at, where that is needed
   * @throws {ApiError} `auth` when the system refuses the login, or refused it a moment ago
   */
  token(baseUrl: string, signal: AbortSignal): Promise<Grant>
  /**
   * A newer token than the one that was refused, or undefined where none would help.
   * @param asker what was refused, such as one pool's feed: one that is refused for good must not keep the others
   *   from a new token, nor cost them theirs again and again
   * @throws {ApiError} as `token`; and `auth` while it is too early after new tokens that were of no use
   */
  renew(refused: Grant, baseUrl: string, signal: AbortSignal, asker: string): Promise<Grant | undefined>
  /** Notes that the system took the token from this asker. */
  noteAccepted(grant: Grant, asker: string): void
  /** Notes that a newer token was of no use to who asked for it. */
  noteUseless(grant: Grant, asker: string): void
  /** Ends the session at the system, as far as the system answers; no token is given out any more. */
  close(): Promise<void>
}

/**
 * What a session asks of the client: to send `/login` or `/logout`, counted like any request. A logout rejects when no
 * node heard of it; that the token was dead already is an answer.
 */
export interface SessionRequests {
  login(baseUrl: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer>
  logout(token: Secret, signal: AbortSignal): Promise<void>
}

export interface SessionOptions {
  readonly system: string
  readonly auth: AuthConfig
  /** Bound of one login, in milliseconds. */
  readonly timeoutMs: number
  readonly requests: SessionRequests
  readonly onLogin: (result: Reason | 'ok') => void
  readonly log: Log
  /** Milliseconds since the epoch; the session must also age while the machine sleeps. */
  readonly now?: () => number
}

/** For a session that logs in. */
export interface LoginOptions extends Omit<SessionOptions, 'auth' | 'now'> {
  readonly username: string
  readonly readPassword: () => Promise<Secret>
  readonly now: () => number
}
