import { isIPv6 } from 'node:net'
import { refused } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import { type BucketSize, createTokenBuckets, type TokenBucket } from '../../values/token_bucket.ts'
import { createKeyedLimit } from '../response_slots.ts'

/** All requests of one address: 30 at once, then 5 per second. */
const REQUESTS: BucketSize = { burst: 30, intervalMs: 200 }
/** Refused tokens of one address at one system: 10 at once, then one per 6 seconds. */
const REFUSALS: BucketSize = { burst: 10, intervalMs: 6000 }
/**
 * Refused logins at one system, for all callers together. Real systems lock an address for 10 minutes after 10 refused
 * logins, and the exporter's own login uses the same address. This allows at most 9 in 10 minutes.
 */
const LOGINS: BucketSize = { burst: 5, intervalMs: 150_000 }
const REMEMBERED = 1024
/** Requests to one system that are sent or wait for a permit, for all callers together, so that they wait for seconds at most. */
const MAX_PENDING_PER_SYSTEM = 32
const BUSY_DETAILS = `${MAX_PENDING_PER_SYSTEM} requests to this system are pending`

export type RateLimits = ReturnType<typeof createRateLimits>

/** @param now monotonic clock in milliseconds */
export function createRateLimits(now: () => number = () => performance.now()) {
  const requests = createTokenBuckets(REQUESTS, REMEMBERED, now)
  const refusals = createTokenBuckets(REFUSALS, REMEMBERED, now)
  const logins = createTokenBuckets(LOGINS, REMEMBERED, now)
  const pending = createKeyedLimit(MAX_PENDING_PER_SYSTEM)

  /** A token of the bucket is used up only by a failure that `isCounted`. */
  async function guarded<T>(
    bucket: TokenBucket,
    size: BucketSize,
    system: string,
    task: () => Promise<T>,
    isCounted: (failure: unknown) => boolean,
  ): Promise<T> {
    if (!bucket.take()) throw tooMany(size, 'refused tokens or logins')
    let isUsed = false
    const release = pending(system)
    try {
      if (release === undefined) throw refused('busy', BUSY_DETAILS, { 'Retry-After': '1' })
      return await task()
    } catch (failure) {
      isUsed = isCounted(failure)
      throw failure
    } finally {
      if (!isUsed) bucket.giveBack()
      release?.()
    }
  }

  return {
    /** Counts a request of a caller at `address`. @throws {HttpError} 429 */
    admit(address: string): void {
      if (!requests(networkOf(address)).take()) throw tooMany(REQUESTS, 'requests')
    },
    /** Runs a task that sends the token of a caller. @throws {HttpError} 429 or 503 before anything is sent */
    withToken: <T>(address: string, system: string, task: () => Promise<T>): Promise<T> =>
      guarded(refusals(`${networkOf(address)} ${system}`), REFUSALS, system, task, isRefused),
    /** The same for a login at a system. @throws {HttpError} 429 or 503 */
    withLogin: <T>(system: string, task: () => Promise<T>): Promise<T> =>
      guarded(logins(system), LOGINS, system, task, mayBeRefused),
  }
}

const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/** The /64 network of an IPv6 address, because a client has all addresses of such a network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')
}

function isRefused(failure: unknown): boolean {
  return failure instanceof ApiError && failure.reason === 'auth'
}

/** A login whose response is lost may have been refused. */
function mayBeRefused(failure: unknown): boolean {
  return isRefused(failure) || (failure instanceof ApiError && REASONS[failure.reason].response === 'lost')
}

function tooMany({ intervalMs }: BucketSize, what: string) {
  const seconds = Math.ceil(intervalMs / 1000)
  return refused('tooMany', `Too many ${what}. Retry after ${seconds} s.`, {
    'Retry-After': String(seconds),
  })
}
