import type { ApiError } from '../api/errors/errors.ts'

/** A little less than the time, so that the run of the schedule at its end is not missed. */
const HOUR_MS = 3_600_000 - 60_000
const DAY_MS = 86_400_000 - 60_000
/** A service that restarts answers so for a short time. */
const FAILURES_ALLOWED = 2
const NO_SERVICE_STATUS = 503

/** How long a query interface that is not there, or may not be used, is not asked. */
export interface Pauses {
  succeeded(): void
  failed(failure: ApiError): void
  /** Milliseconds; 0 when it is asked. */
  remainingMs(): number
}

/** @param now monotonic clock in milliseconds */
export function createPauses(now: () => number = () => performance.now()): Pauses {
  let untilMs = Number.NEGATIVE_INFINITY
  let unavailableInRow = 0
  let hasSucceeded = false

  function pauseMs({ reason, status }: ApiError): number {
    if (reason === 'forbidden') return HOUR_MS
    const isPassing = unavailableInRow <= FAILURES_ALLOWED
    if (reason === 'unavailable') return isPassing ? 0 : HOUR_MS
    if (reason !== 'not_found') return 0
    if (status !== NO_SERVICE_STATUS) return DAY_MS
    // A system that had the service before may be restarting it.
    return hasSucceeded && isPassing ? 0 : HOUR_MS
  }

  return {
    succeeded() {
      hasSucceeded = true
      unavailableInRow = 0
    },
    failed(failure) {
      const isUnavailable = failure.reason === 'unavailable' || failure.reason === 'not_found'
      unavailableInRow = isUnavailable ? unavailableInRow + 1 : 0
      untilMs = now() + pauseMs(failure)
    },
    remainingMs: () => Math.max(untilMs - now(), 0),
  }
}
