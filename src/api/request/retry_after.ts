import { BoundedMap } from '../../values/bounded_map.ts'
import { ApiError } from '../errors/errors.ts'
import type { Request } from './exchanges.ts'

/** A longer `Retry-After` is cut, so that values do not reach the default of `poll.stale_after`. */
export const LONGEST_RETRY_AFTER_MS = 120_000
/** Bound of the memory: more paths than a system is asked for at a time. */
const MAX_PATHS = 10_000

/** Holds a path back for as long as the response to it asked for, whether other requests work or not. */
export type RetryAfter = ReturnType<typeof createRetryAfter>

/** @param now monotonic clock in milliseconds */
export function createRetryAfter(now: () => number = () => performance.now()) {
  const held = new BoundedMap<string, { readonly failure: ApiError; readonly untilMs: number }>(MAX_PATHS)
  return {
    /** @throws {ApiError} with the reason of the response, until its time is over */
    check({ operation, path }: Request): void {
      const { failure, untilMs = 0 } = held.get(`${operation} ${path}`) ?? {}
      const retryAfterMs = untilMs - now()
      if (failure === undefined || retryAfterMs <= 0) return
      const next = `next request in ${Math.ceil(retryAfterMs / 1000)} s`
      const detail = `no request was sent, because the system asked to wait (${next}): ${failure.detail}`
      throw new ApiError(failure.reason, detail, { remedy: failure.remedy, retryAfterMs })
    },
    note({ operation, path }: Request, failure: ApiError): void {
      const { retryAfterMs, status } = failure
      // A refused login has a cooldown of its own, which a changed password ends.
      if (retryAfterMs === undefined || status === 401) return
      const untilMs = now() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
      held.set(`${operation} ${path}`, { failure, untilMs })
    },
  }
}
