import { TokenBucket } from 'limiter'
import PQueue from 'p-queue'
import type { LimitsConfig } from '../../config/config.ts'
import { untilAborted } from '../http/deadline.ts'

/** Polls go before requests that are less urgent, such as forecasts. */
export const PRIORITIES = { poll: 1, other: 0 } as const

/** Keeps the requests of one system within `limits.concurrency` and `limits.requests_per_second`. */
export interface Limits {
  /**
   * Runs a task when fewer than `limits.concurrency` run; FIFO within a priority. The signal ends the wait only: a task
   * that was started is not left alone, because a deletion must be followed to its end.
   */
  withPermit<T>(task: () => Promise<T>, options: { signal: AbortSignal; priority?: number }): Promise<T>
  /** Resolves when the next request may be sent. @throws the reason of the signal when that aborts first */
  pace(signal: AbortSignal): Promise<void>
}

export function createLimits({ concurrency, requestsPerSecond }: LimitsConfig): Limits {
  const queue = new PQueue({ concurrency })
  // Room for one token: requests are evenly spread instead of sent in bursts.
  const bucket = new TokenBucket({ bucketSize: 1, tokensPerInterval: requestsPerSecond, interval: 'second' })
  bucket.content = 1

  return {
    async withPermit(task, { signal, priority = PRIORITIES.other }) {
      const waiting = new AbortController()
      const abort = () => waiting.abort(signal.reason)
      const stopListening = () => signal.removeEventListener('abort', abort)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      const started = () => {
        stopListening()
        return task()
      }
      return queue.add(started, { signal: waiting.signal, priority }).finally(stopListening)
    },
    async pace(signal) {
      signal.throwIfAborted()
      // An aborted waiter still takes its token: at most one for each permit is lost.
      await untilAborted(bucket.removeTokens(1), signal)
    },
  }
}
