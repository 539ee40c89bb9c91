import { ApiError } from '../../api/errors/errors.ts'
import { type BucketSize, createTokenBuckets, type TokenBucket } from '../auth/token_bucket.ts'
import { refused } from './errors.ts'

/** All requests of one address: 30 at once, then 5 per second. */
const REQUESTS: BucketSize = { burst: 30, intervalMs: 200 }
/** Refused tokens of one address: 10 at once, then one per 6 seconds. */
const REFUSALS: BucketSize = { burst: 10, intervalMs: 6000 }
/**
 * Refused logins at one system, for all callers together. Real systems lock an address for 10 minutes after 10 refused
 * logins, and the exporter's own login uses the same address. This allows at most 9 in 10 minutes.
 */
const LOGINS: BucketSize = { burst: 5, intervalMs: 150_000 }
const REMEMBERED = 1024

/** Rate limits against guessing of tokens and passwords. */
export interface RateLimits {
  /**
   * Counts a request of a caller at `address`.
   * @throws {Refused} 429
   */
  admit(address: string): void
  /**
   * Runs a task that sends the token of a caller at `address` to a system.
   * @throws {Refused} 429 before anything is sent
   */
  withToken<T>(address: string, task: () => Promise<T>): Promise<T>
  /** The same for a login at a system. @throws {Refused} 429 */
  withLogin<T>(system: string, task: () => Promise<T>): Promise<T>
}

/** @param now monotonic clock in milliseconds */
export function createRateLimits(now: () => number = () => performance.now()): RateLimits {
  const requests = createTokenBuckets(REQUESTS, REMEMBERED, now)
  const refusals = createTokenBuckets(REFUSALS, REMEMBERED, now)
  const logins = createTokenBuckets(LOGINS, REMEMBERED, now)
  return {
    admit(address) {
      if (!requests(address).take()) throw tooMany(REQUESTS, 'requests')
    },
    withToken: (address, task) => guarded(refusals(address), REFUSALS, task),
    withLogin: (system, task) => guarded(logins(system), LOGINS, task),
  }
}

/** Only a refused token or login uses up a token of the bucket. */
async function guarded<T>(bucket: TokenBucket, size: BucketSize, task: () => Promise<T>): Promise<T> {
  if (!bucket.take()) throw tooMany(size, 'refused tokens or logins')
  try {
    const result = await task()
    bucket.giveBack()
    return result
  } catch (failure) {
    if (!(failure instanceof ApiError && failure.reason === 'auth')) bucket.giveBack()
    throw failure
  }
}

function tooMany({ intervalMs }: BucketSize, what: string) {
  const seconds = Math.ceil(intervalMs / 1000)
  return refused('tooMany', `Too many ${what}. Retry after ${seconds} s.`, {
    'Retry-After': String(seconds),
  })
}
