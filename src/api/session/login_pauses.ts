import type { Secret } from '../../config/values/secret.ts'
import type { Log } from '../../log.ts'
import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'

/** Real systems lock an address after ten refused logins. */
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 600_000

/** Keeps logins that are of no use from being repeated at once. */
export interface LoginPauses {
  /** @throws {ApiError} while it is too early for another login with this password, with the reason of the pause */
  check(password: Secret): void
  /** Begins a pause, longer than the last one while the password stays the same, and says so. */
  begin(password: Secret, reason?: Reason): void
  /** The next pause is a short one again. */
  forget(): void
}

interface LoginPausesOptions {
  readonly system: string
  readonly username: string
  /** What went wrong, as a sentence that can be followed by what happens next. */
  readonly what: string
  /** How many times in a row it may go wrong before a pause begins. */
  readonly spared: number
  readonly log: Log
  /** So many pauses in a row are said at the level `debug` only: what passes by itself is no warning. */
  readonly warnsAfter: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

interface Pause {
  readonly at: number
  readonly pauseMs: number
  readonly password: Secret
  readonly reason: Reason
}

export function createLoginPauses({
  system,
  username,
  what,
  spared,
  log,
  warnsAfter,
  now,
}: LoginPausesOptions): LoginPauses {
  let times = 0
  let pauses = 0
  let last: Pause | undefined

  /** What is left of the pause. A clock that was set back must not turn it into a day. */
  function leftMs(password: Secret): number {
    if (!last?.password.equals(password)) return 0
    const waited = now() - last.at
    return waited < 0 ? 0 : Math.max(0, last.pauseMs - waited)
  }

  return {
    check(password) {
      const seconds = Math.ceil(leftMs(password) / 1000)
      if (seconds > 0)
        throw new ApiError(
          last?.reason ?? 'auth',
          `${what} (user ${username}); the next login is tried in ${seconds} s`,
        )
    },
    begin(password, reason = 'auth') {
      // Several pools may meet the same refusal side by side.
      if (leftMs(password) > 0) return
      times += 1
      if (times <= spared) return
      const again = last?.password.equals(password) ? last.pauseMs * 2 : FIRST_PAUSE_MS
      const pauseMs = Math.min(again, LONGEST_PAUSE_MS)
      last = { at: now(), pauseMs, password, reason }
      pauses += 1
      log[pauses > warnsAfter ? 'warn' : 'debug'](what, {
        system,
        user: username,
        next_try_seconds: pauseMs / 1000,
      })
    },
    forget() {
      times = 0
      pauses = 0
      last = undefined
    },
  }
}
