import type { AuthConfig } from '../../config/config.ts'
import type { Log } from '../../log.ts'
import type { Secret } from '../../values/secret.ts'
import type { Result } from '../errors/reasons.ts'
import type { HttpResponse } from '../http/transport.ts'

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
  /** A response had data. */
  decoded(): void
  /** The response to this token was an HTML page with status 200, which may be a login page. */
  gotPage(token: Secret, path: string): void
  /** A token that `renew` gave for this path is refused, too: begins a cooldown of renewals. */
  renewalRefused(path: string): void
  /** Whether tokens are refused soon after they were accepted, so that none is replaced at the moment. */
  isUnsteady(): boolean
  state(): SessionState
  /** Logs out if the system responds; no token is returned afterwards. */
  close(): Promise<void>
}

/** What is known of a session. */
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

/** Sends `/login` and `/logout`, counted like any request. A logout rejects if the system does not respond to it. */
interface SessionRequests {
  login(
    baseUrl: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpResponse>
  logout(token: Secret, signal: AbortSignal): Promise<void>
}

export interface SessionOptions {
  readonly system: string
  readonly auth: AuthConfig
  /** Bound of one login, in milliseconds. */
  readonly timeoutMs: number
  readonly requests: SessionRequests
  readonly onLogin: (result: Result) => void
  readonly log: Log
  /** Milliseconds since the epoch: a token also ages while the machine sleeps. */
  readonly now?: () => number
  /** Monotonic clock of the cooldowns, in milliseconds. */
  readonly monotonicNow?: () => number
}

/** For a session that logs in. */
export interface LoginOptions extends Omit<SessionOptions, 'auth'> {
  readonly username: string
  readonly readPassword: () => Promise<Secret>
}
