import type { LimitsConfig } from '../../config/config.ts'
import { createTokenBucket } from '../../values/token_bucket.ts'
import { pause } from '../http/deadline.ts'
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
  const size = { burst: 1, intervalMs: 1000 / requestsPerSecond }
  // Not the interval of p-queue, which uses the clock of the machine: after that is set back, no request would be sent.
  const bucket = createTokenBucket(size, () => performance.now())
  const permits = createPermits(concurrency)

  return {
    withPermit: permits.run,
    usage: permits.usage,
    async pace(signal) {
      signal.throwIfAborted()
      // An aborted waiter still takes its token: at most one for each permit is lost.
      await pause(bucket.reserve(), signal)
    },
  }
}
