import type { LimitsConfig } from '../../config/config.ts'
import { RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../../system_catalogue.ts'
import { createTokenBucket } from '../../values/token_bucket.ts'
import { createSemaphore, pause } from '../http/waiting.ts'

/**
 * The most urgent first. Each leaves a permit to those before it, if there are enough: what hangs does not delay what is more
 * urgent.
 */
const URGENCIES = ['poll', 'query', 'other'] as const
export type Urgency = (typeof URGENCIES)[number]

/** Share of `limits.requests_per_second` for the requests of resources. */
const RESOURCE_SHARE = 0.1

const OF_RESOURCES: readonly string[] = RESOURCE_NAMES.filter((name) => {
  const row: ResourceRow = RESOURCES[name]
  return row.isOfPolls !== true
})

export function isOfResource(operation = ''): boolean {
  return OF_RESOURCES.includes(operation)
}

/** Keeps the requests of one system within `limits.concurrency` and `limits.requests_per_second`. */
export type Limits = ReturnType<typeof createLimits>

/** @param urgencies of the requests of this client: a permit is left only to one that it has */
export function createLimits(
  { concurrency, requestsPerSecond }: LimitsConfig,
  urgencies: readonly Urgency[] = URGENCIES,
) {
  // Room for one token: requests are evenly spread instead of sent in bursts.
  const size = { burst: 1, intervalMs: 1000 / requestsPerSecond }
  // Not the interval of p-queue, which uses the clock of the machine: after that is set back, no request would be sent.
  const bucket = createTokenBucket(size, () => performance.now())
  const permits = urgencies.map((_, rank) => createSemaphore(Math.max(1, concurrency - rank)))
  const resourceRate = createTokenBucket({ burst: 1, intervalMs: size.intervalMs / RESOURCE_SHARE }, () =>
    performance.now(),
  )
  const resourceQueue = createSemaphore(1)

  /** Runs a task when fewer than `limits.concurrency` run, and it leaves a permit to what is more urgent. */
  function withPermit<T>(
    task: () => Promise<T>,
    { signal, urgency = 'other' }: { signal: AbortSignal; urgency?: Urgency },
  ): Promise<T> {
    const rank = urgencies.indexOf(urgency)
    const options = { signal, priority: -rank }
    const run = permits.slice(0, rank + 1).reduce(
      (inner, { run }) =>
        () =>
          run(inner, options),
      task,
    )
    return run()
  }

  return {
    withPermit,
    /** Tasks that run, and tasks that wait. */
    usage: () => ({
      running: permits[0]?.usage().running ?? 0,
      waiting: permits.reduce((sum, { usage }) => sum + usage().waiting, 0),
    }),
    /**
     * Runs a request of a resource: one at a time, with a permit, when those before it leave it a tenth of the rate.
     * @throws the reason of the signal when that aborts first
     */
    withinRate: <T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> =>
      resourceQueue.run(
        async () => {
          // Before the permit, which polls need.
          await pause(resourceRate.waitMs(), signal)
          return withPermit(task, { signal })
        },
        { signal },
      ),
    /** Resolves when the next request may be sent. @throws the reason of the signal when that aborts first */
    async pace(signal: AbortSignal, operation?: string): Promise<void> {
      signal.throwIfAborted()
      // A retry does not wait for the share; the next request waits longer instead.
      if (isOfResource(operation)) resourceRate.reserve()
      // An aborted waiter still takes its token: at most one for each permit is lost.
      await pause(bucket.reserve(), signal)
    },
  }
}
