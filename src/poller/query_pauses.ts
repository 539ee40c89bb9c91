import type { ApiError } from '../api/errors/errors.ts'
import type { Reason } from '../api/errors/reasons.ts'

/** The interface is not there, or may not be used. */
const PAUSED: readonly Reason[] = ['forbidden', 'not_found', 'unavailable']
/** A system that restarts or is upgraded answers so for a short time. */
const FAILURES_ALLOWED = 2
const FIRST_MS = 600_000
const LONGEST_MS = 3_600_000

/**
 * How long a query interface that is not there, or may not be used, is not asked: after the third failure in a row for
 * 10 minutes, doubled after each further one, at most an hour.
 */
export interface Pauses {
  succeeded(): void
  failed(failure: ApiError): void
  /** Milliseconds; 0 when it is asked. */
  remainingMs(): number
}

/** @param now monotonic clock in milliseconds */
export function createPauses(now: () => number = () => performance.now()): Pauses {
  let untilMs = Number.NEGATIVE_INFINITY
  let failuresInRow = 0

  return {
    succeeded() {
      failuresInRow = 0
    },
    failed({ reason }) {
      failuresInRow = PAUSED.includes(reason) ? failuresInRow + 1 : 0
      if (failuresInRow <= FAILURES_ALLOWED) return
      const doublings = failuresInRow - FAILURES_ALLOWED - 1
      untilMs = now() + Math.min(FIRST_MS * 2 ** doublings, LONGEST_MS)
    },
    remainingMs: () => Math.max(untilMs - now(), 0),
  }
}
