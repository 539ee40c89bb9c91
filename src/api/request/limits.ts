import { TokenBucket } from 'limiter'
import type { LimitsConfig } from '../../config/config.ts'
import { untilAborted } from '../http/deadline.ts'
import { createPermits, type Permits } from '../http/permits.ts'

/** Polls go before requests that are less urgent, such as forecasts. */
export const PRIORITIES = { poll: 1, other: 0 } as const

/** Keeps the requests of one system within `limits.concurrency` and `limits.requests_per_second`. */
export interface Limits {
  /** Runs a task when fewer than `limits.concurrency` run. */
  readonly withPermit: Permits['run']
  readonly usage: Permits['usage']
  /** Resolves when the next request may be sent. @throws the reason of the signal when that aborts first */
  pace(signal: AbortSignal): Promise<void>
}

export function createLimits({ concurrency, requestsPerSecond }: LimitsConfig): Limits {
  // Room for one token: requests are evenly spread instead of sent in bursts.
  const bucket = new TokenBucket({ bucketSize: 1, tokensPerInterval: requestsPerSecond, interval: 'second' })
  bucket.content = 1

  const permits = createPermits(concurrency)

  return {
    withPermit: permits.run,
    usage: permits.usage,
    async pace(signal) {
      signal.throwIfAborted()
      // An aborted waiter still takes its token: at most one for each permit is lost.
      await untilAborted(bucket.removeTokens(1), signal)
    },
  }
}
