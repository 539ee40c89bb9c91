import type { Secret } from '../config/secret.ts'
import type { Log } from '../log.ts'
import { ApiError } from './errors.ts'

/** Real systems lock an address after ten refused logins. */
const FIRST_REFUSAL_PAUSE_MS = 30_000
const LONGEST_REFUSAL_PAUSE_MS = 600_000

export interface LoginRefusals {
  /** @throws {ApiError} `auth` while it is too early for another login with this password */
  check(password: Secret): void
  /** Begins a pause, longer than the last one while the password stays the same, and says so. */
  note(password: Secret, what: string): void
  forget(): void
}

interface LoginRefusalsOptions {
  readonly system: string
  readonly username: string
  readonly log: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Remembers refused logins, so that the next one waits. */
export function createLoginRefusals({ system, username, log, now }: LoginRefusalsOptions): LoginRefusals {
  let last: { readonly at: number; readonly pauseMs: number; readonly password: Secret } | undefined

  return {
    check(password) {
      if (!last?.password.equals(password)) return
      const waited = now() - last.at
      // A clock that was set back must not turn a pause into a day.
      if (waited < 0 || waited >= last.pauseMs) return
      const seconds = Math.ceil((last.pauseMs - waited) / 1000)
      throw new ApiError('auth', `the login of ${username} was refused; it is tried again in ${seconds} s`)
    },
    note(password, what) {
      const again = last?.password.equals(password) ? last.pauseMs * 2 : FIRST_REFUSAL_PAUSE_MS
      const pauseMs = Math.min(again, LONGEST_REFUSAL_PAUSE_MS)
      last = { at: now(), pauseMs, password }
      log.warn(what, { system, user: username, next_try_seconds: pauseMs / 1000 })
    },
    forget() {
      last = undefined
    },
  }
}
