import type { ApiError } from '../api/errors/errors.ts'
import type { Reason } from '../api/errors/reasons.ts'

/**
 * Failures that say something of the system as a whole; the others are about one pool or one answer. A refused token is
 * not among them: logins have pauses of their own, and a new password or token file is to count at once.
 */
const SYSTEM_FAILURES: readonly Reason[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'redirect',
  'forbidden',
  'throttled',
  'unavailable',
  'server_error',
  'html',
]
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 300_000
/** Well below the default of `poll.stale_after`. */
const LONGEST_WISH_MS = 120_000

/** Whether the failure of one pool may be that of all. */
export function isSystemFailure({ reason }: ApiError): boolean {
  return SYSTEM_FAILURES.includes(reason)
}

/** Decides how often a system that keeps failing is asked. */
export interface Backoff {
  /** `all`: as usual; `one`: one pool, to see whether the system is back; `none`: not yet. */
  allowed(): 'all' | 'one' | 'none'
  /** How many rounds have failed since the last good one. */
  failures(): number
  /** Notes the outcome of a round: the failure of every pool that was asked, undefined for a good one. */
  note(outcomes: readonly (ApiError | undefined)[]): void
}

/** @param now milliseconds that only go forward */
export function createBackoff(now: () => number = () => performance.now()): Backoff {
  let failures = 0
  let resumesAt = Number.NEGATIVE_INFINITY

  return {
    allowed: () => (failures === 0 ? 'all' : now() < resumesAt ? 'none' : 'one'),
    failures: () => failures,
    note(outcomes) {
      if (outcomes.length === 0) return
      if (!outcomes.every((failure) => failure !== undefined && isSystemFailure(failure))) {
        failures = 0
        return
      }
      const growing = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
      const wished = Math.max(0, ...outcomes.map((failure) => failure?.retryAfterMs ?? 0))
      // Whoever asks for a quarter of an hour is heard, but looked after: all values would be gone meanwhile.
      const asked = Math.min(wished, LONGEST_WISH_MS)
      failures += 1
      // A tenth less, so that a pause as long as the schedule does not miss its tick by a moment.
      resumesAt = now() + Math.max(growing * 0.9, asked)
    },
  }
}
