import type { LimitsConfig } from '../../config/config.ts'
import { kindWith, RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../../system_catalogue.ts'
import { BoundedMap } from '../../values/cache.ts'
import { createTokenBucket } from '../../values/token_bucket.ts'
import { ApiError, asApiError } from '../errors/errors.ts'
import type { Attempts, Exchange, Request, RequestOperation } from '../http/exchanges.ts'
import { withPortalHint, withTimeoutReason } from '../http/failures.ts'
import type { HttpResponse } from '../http/transport.ts'
import { createSemaphore, pause, withDeadline } from '../http/waiting.ts'
import { type Breaker, LONGEST_RETRY_AFTER_MS } from './breaker.ts'

/** Bound of the memory: more paths than a system is asked for at a time. */
export const MAX_PATHS = 10_000

/** Holds a path back for as long as the response to it asked for, whether other requests work or not. */
type RetryAfter = ReturnType<typeof createRetryAfter>

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

/**
 * Sends a request and decodes the response.
 * @throws {ApiError} with its place, also for a response that cannot be decoded; the abort's own error when `stop` aborts
 */
export type Operate = <T>(request: Request, stop: AbortSignal, decode: Decode<T>) => Promise<T>

type Decode<T> = (text: string, baseUrl: string, response: HttpResponse) => T

interface OperationOptions {
  readonly system: string
  /**
   * Bound of one operation, with login and all attempts, in milliseconds; twice that for queries and resources of a system
   * with several endpoints.
   */
  readonly timeoutMs: number
  readonly limits: Limits
  /** Undefined: every request is sent. */
  readonly breaker?: Breaker
  /** Undefined: the client of a request decides when it is sent again. */
  readonly retryAfter?: RetryAfter
  readonly attempts: Attempts
  readonly exchange: Exchange
}

/** Only they count for the circuit breaker: a system with slow forecasts is not down. */
const POLLS: readonly RequestOperation[] = ['nodes', kindWith('isListOfPools').resource]

/** An operation: permit, circuit breaker, then attempts within the deadline. The wait for the permit does not count. */
export function createOperate(options: OperationOptions): Operate {
  const { system, timeoutMs, limits, retryAfter, attempts, exchange } = options

  function withinDeadline<T>(
    request: Request,
    stop: AbortSignal,
    isProbe: boolean,
    decode: Decode<T>,
  ): Promise<T> {
    const isLong = request.operation === 'query' || isOfResource(request.operation)
    // The first of several endpoints may hang, so it gets half of the time: too little for what may take long.
    const ms = isLong && attempts.endpoints().length > 1 ? 2 * timeoutMs : timeoutMs
    return withDeadline(stop, ms, (signal) =>
      attempts.run(
        async (baseUrl, ofAttempt) => {
          const response = await exchange(request, baseUrl, ofAttempt)
          const use = (text: string) => decode(text, baseUrl, response)
          return response.decode((text) => withPortalHint(use, text, baseUrl))
        },
        {
          signal,
          deadline: performance.now() + ms,
          // The system may count a refused login whose response is lost, and lock the account.
          isIdempotent: request.operation !== 'login',
          ...(isProbe && { maxAttempts: 1 }),
        },
      ),
    )
  }

  const admitted: Operate = async (request, stop, decode) => {
    const { operation, path, pool } = request
    const place = { system, operation, path, pool }
    const acquired = await acquire(options, request).catch((cause: unknown) => {
      throw asApiError(cause, place)
    })
    try {
      const result = await withinDeadline(request, stop, acquired?.isProbe === true, decode)
      acquired?.release('ok')
      return result
    } catch (cause) {
      if (stop.aborted) {
        acquired?.release('unknown')
        throw cause
      }
      const failure = asApiError(withTimeoutReason(cause), place)
      retryAfter?.note(request, failure)
      acquired?.release(POLLS.includes(operation) ? failure : 'unknown')
      throw failure
    }
  }

  return (request, stop, decode) => {
    if (isOfResource(request.operation)) return limits.withinRate(() => admitted(request, stop, decode), stop)
    const urgency = urgencyOf(request.operation)
    return limits.withPermit(() => admitted(request, stop, decode), { signal: stop, urgency })
  }
}

/** @throws {ApiError} when the request is not sent now */
async function acquire({ breaker, retryAfter }: OperationOptions, request: Request) {
  retryAfter?.check(request)
  return breaker?.acquire(request.operation === 'nodes' ? request.pool : undefined)
}

function urgencyOf(operation: RequestOperation): Urgency {
  if (POLLS.includes(operation)) return 'poll'
  return operation === 'query' ? 'query' : 'other'
}

/** The most urgent first. Each leaves a permit to those before it: what hangs does not delay them. */
const URGENCIES = ['poll', 'query', 'other'] as const
export type Urgency = (typeof URGENCIES)[number]

/** Share of `limits.requests_per_second` for the requests of resources. */
const RESOURCE_SHARE = 0.1

const OF_RESOURCES: readonly string[] = RESOURCE_NAMES.filter((name) => {
  const row: ResourceRow = RESOURCES[name]
  return row.isOfPolls !== true
})

function isOfResource(operation = ''): boolean {
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
  const now = () => performance.now()
  const bucket = createTokenBucket(size, now)
  const permits = urgencies.map((_, rank) => createSemaphore(Math.max(1, concurrency - rank)))
  const resourceRate = createTokenBucket({ burst: 1, intervalMs: size.intervalMs / RESOURCE_SHARE }, now)
  const resourceQueue = createSemaphore(1)

  /** Runs a task when fewer than `limits.concurrency` run, and it leaves a permit to what is more urgent. */
  function withPermit<T>(
    task: () => Promise<T>,
    { signal, urgency = 'other' }: { signal: AbortSignal; urgency?: Urgency },
  ): Promise<T> {
    const rank = urgencies.indexOf(urgency)
    const options = { signal, priority: -rank }
    const withPermits =
      (inner: typeof task, { run }: (typeof permits)[number]) =>
      () =>
        run(inner, options)
    return permits.slice(0, rank + 1).reduce(withPermits, task)()
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
