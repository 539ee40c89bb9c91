import type { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import { backoffMs } from '../../values/timers.ts'

/** A system that restarts or is upgraded answers so for a short time. */
const FAILURES_ALLOWED = 2
const FIRST_MS = 600_000
const LONGEST_MS = 3_600_000

/** A proxy without its service. A system that had rows has a service, which comes back. */
const BAD_GATEWAY: readonly unknown[] = [502, 503, 504]

/**
 * How long a query interface that is not there, or may not be used, is not polled: after the third failure in a row for
 * 10 minutes, doubled after each further one, at most an hour. At most 10 minutes after 502, 503 or 504 of a system that
 * once answered with rows.
 */
export interface Pauses {
  succeeded(hasRows: boolean): void
  failed(failure: ApiError): void
  /** Milliseconds; 0 when it is polled. */
  remainingMs(): number
}

/** @param now monotonic clock in milliseconds */
export function createPauses(now: () => number = () => performance.now()): Pauses {
  let untilMs = Number.NEGATIVE_INFINITY
  let failuresInRow = 0
  let hadRows = false

  return {
    succeeded(hasRows) {
      failuresInRow = 0
      hadRows ||= hasRows
    },
    failed({ reason, status }) {
      failuresInRow = REASONS[reason].pausesQueries ? failuresInRow + 1 : 0
      if (failuresInRow <= FAILURES_ALLOWED) return
      const longestMs = hadRows && BAD_GATEWAY.includes(status) ? FIRST_MS : LONGEST_MS
      untilMs = now() + backoffMs(failuresInRow - FAILURES_ALLOWED, FIRST_MS, longestMs)
    },
    remainingMs: () => Math.max(untilMs - now(), 0),
  }
}
