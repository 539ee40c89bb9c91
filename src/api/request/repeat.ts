import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import { pause } from '../http/deadline.ts'

/** Failures that may pass by themselves. A refusal (4xx), a bad answer or a timeout would only repeat itself. */
const PASSING: readonly Reason[] = ['connect', 'reset', 'unavailable', 'server_error']
const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 500
/** With less time left, another attempt would only turn a failure that says something into a timeout. */
const LEAST_TIME_MS = 1000

/**
 * Runs a reading request, and again after a passing failure, with a growing, uneven pause, or the pause that the
 * system asks for, while that fits into the time left.
 * @param attempt told what the one before failed by; undefined at first
 * @param deadline milliseconds on the clock of `performance.now()`
 */
export async function repeated<T>(
  attempt: (after: unknown) => Promise<T>,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: number },
): Promise<T> {
  let last: unknown
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(last)
    } catch (failure) {
      last = failure
      const waitMs = pauseAfter(failure, count)
      if (waitMs === undefined || performance.now() + waitMs + LEAST_TIME_MS > deadline) throw failure
      await pause(waitMs, signal)
    }
  }
}

function pauseAfter(failure: unknown, count: number): number | undefined {
  if (!(failure instanceof ApiError) || count >= MAX_ATTEMPTS) return undefined
  if (!PASSING.includes(failure.reason) || failure.body?.retryable === false) return undefined
  const growing = FIRST_PAUSE_MS * 2 ** (count - 1) * (0.5 + Math.random() / 2)
  return Math.max(growing, failure.retryAfterMs ?? 0)
}
