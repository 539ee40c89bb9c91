import type { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import { backoffMs } from '../values/timers.ts'

/** A system that restarts or is upgraded has these failures for a short time. */
const FAILURES_ALLOWED = 2
const FIRST_MS = 600_000
const LONGEST_MS = 3_600_000

/** From a proxy that does not reach its service: temporary, if the system had rows before. */
const BAD_GATEWAY: readonly unknown[] = [502, 503, 504]

/**
 * How long a query interface that is not there, or may not be used, is not polled: after the third failure in a row for
 * 10 minutes, doubled after each further one, at most an hour. At most 10 minutes after 502, 503 or 504 of a system that
 * once answered with rows.
 * @param now monotonic clock in milliseconds
 */
export function createPauses(now: () => number = () => performance.now()) {
  let untilMs = Number.NEGATIVE_INFINITY
  let failuresInRow = 0
  let hadRows = false

  return {
    succeeded(hasRows: boolean): void {
      failuresInRow = 0
      hadRows ||= hasRows
    },
    failed({ reason, status }: ApiError): void {
      failuresInRow = REASONS[reason].pausesQueries ? failuresInRow + 1 : 0
      if (failuresInRow <= FAILURES_ALLOWED) return
      const longestMs = hadRows && BAD_GATEWAY.includes(status) ? FIRST_MS : LONGEST_MS
      untilMs = now() + backoffMs(failuresInRow - FAILURES_ALLOWED, FIRST_MS, longestMs)
    },
    /** 0 when it is polled. */
    remainingMs: (): number => Math.max(untilMs - now(), 0),
  }
}
