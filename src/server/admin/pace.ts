import { ApiError } from '../../api/errors/errors.ts'
import { type BucketSize, createTokenBuckets, type TokenBucket } from '../auth/token_bucket.ts'
import { refused } from './errors.ts'

/** Requests of one address, whatever they are: thirty at once, then five a second. */
const REQUESTS: BucketSize = { burst: 30, intervalMs: 200 }
/** Tokens of one address that a system refused: ten at once, then one in six seconds. */
const REFUSALS: BucketSize = { burst: 10, intervalMs: 6000 }
/**
 * Refused logins of one system, whoever tried. Real systems lock an address for ten minutes after ten of them, and
 * ours is also the address of the exporter's own login: five and four more within ten minutes stay below that.
 */
const LOGINS: BucketSize = { burst: 5, intervalMs: 150_000 }
const REMEMBERED = 1024

/** Keeps callers from trying tokens and passwords at speed through us. */
export interface Pace {
  /**
   * Counts a request of a caller at `address`.
   * @throws {Refused} 429
   */
  admit(address: string): void
  /**
   * Runs what goes on to a system with the token of a caller at `address`.
   * @throws {Refused} 429 before anything is sent
   */
  withToken<T>(address: string, task: () => Promise<T>): Promise<T>
  /** The same for a login at a system. */
  withLogin<T>(system: string, task: () => Promise<T>): Promise<T>
}

/** @param now milliseconds that only go forward */
export function createPace(now: () => number = () => performance.now()): Pace {
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

/** A place in the bucket is lost only by what the system refuses to know. */
async function guarded<T>(bucket: TokenBucket, size: BucketSize, task: () => Promise<T>): Promise<T> {
  if (!bucket.take()) throw tooMany(size, 'requests that the system refused')
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
  return refused('tooMany', `There were too many ${what}. Wait ${seconds} s.`, {
    'Retry-After': String(seconds),
  })
}
