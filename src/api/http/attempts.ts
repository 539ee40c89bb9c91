import { backoffMs } from '../../values/timers.ts'
import { ApiError, hasResponse } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { withTimeoutReason } from './failures.ts'
import { type Cooldown, createCooldown, pause, withDeadline } from './waiting.ts'

const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 500
/** With less time left, another attempt would only replace the failure by a timeout. */
const LEAST_TIME_MS = 1000

export type Send<T> = (baseUrl: string, signal: AbortSignal) => Promise<T>

export interface AttemptBounds {
  readonly signal: AbortSignal
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly deadline: number
  /** Default true. If false, nothing is sent again, to any endpoint, after a request that may have been processed. */
  readonly isIdempotent?: boolean
  readonly maxAttempts?: number
}

/** Retry and fail-over among the endpoints of one system. */
export type Attempts = ReturnType<typeof createAttempts>

/** @param now monotonic clock of the cooldowns, in milliseconds */
export function createAttempts(baseUrls: readonly string[], now?: () => number) {
  const endpoints = baseUrls.map((baseUrl) => ({ baseUrl, cooldown: createCooldown(now) }))
  return {
    /**
     * At most three attempts within the deadline, each at the next endpoint that has no cooldown, or at the one
     * whose cooldown ends first.
     * @throws {ApiError} the failure of the last attempt
     */
    run: <T>(send: Send<T>, bounds: AttemptBounds): Promise<T> => run(endpoints, send, bounds),
    /** In the order of the configuration, with the milliseconds for which others are preferred, because it failed. */
    endpoints: () =>
      endpoints.map(({ baseUrl, cooldown }) => ({ baseUrl, cooldownMs: cooldown.remainingMs() })),
  }
}

async function run<T>(endpoints: readonly Endpoint[], send: Send<T>, bounds: AttemptBounds): Promise<T> {
  const { signal, deadline, maxAttempts = MAX_ATTEMPTS } = bounds
  const tried = new Set<Endpoint>()
  for (let count = 1; ; count += 1) {
    const endpoint = nextEndpoint(endpoints, tried)
    tried.add(endpoint)
    const hasOther = count < maxAttempts && tried.size < endpoints.length
    const leftMs = deadline - performance.now()
    try {
      // Half of the time left if there is another endpoint to try, because this one may hang.
      return await attempt(endpoint, send, signal, hasOther ? leftMs / 2 : leftMs)
    } catch (cause) {
      const failure = endpoints.length > 1 ? withEndpoint(cause, endpoint) : cause
      const waitMs = pauseBefore(count, failure, hasOther, bounds)
      if (performance.now() + waitMs + LEAST_TIME_MS > deadline || signal.aborted) throw failure
      await pause(waitMs, signal)
    }
  }
}

async function attempt<T>(
  { baseUrl, cooldown }: Endpoint,
  send: Send<T>,
  signal: AbortSignal,
  ms: number,
): Promise<T> {
  try {
    const result = await withDeadline(signal, ms, (ofAttempt) => send(baseUrl, ofAttempt))
    cooldown.reset()
    return result
  } catch (cause) {
    const failure = withTimeoutReason(cause)
    if (!(failure instanceof ApiError)) throw failure
    if (REASONS[failure.reason].origin === 'endpoint') cooldown.begin()
    else if (hasResponse(failure)) cooldown.reset()
    throw failure
  }
}

/** The failure with the endpoint, unless nothing was sent to it. */
function withEndpoint(failure: unknown, { baseUrl }: Endpoint): unknown {
  if (!(failure instanceof ApiError)) return failure
  const isSent = REASONS[failure.reason].origin === 'endpoint' || hasResponse(failure)
  return isSent ? failure.with({ endpoint: new URL(baseUrl).host }) : failure
}

interface Endpoint {
  readonly baseUrl: string
  readonly cooldown: Cooldown
}

/** The endpoint with the shortest cooldown left, among those not yet tried if there are any. */
function nextEndpoint(endpoints: readonly Endpoint[], tried: ReadonlySet<Endpoint>): Endpoint {
  const left = endpoints.filter((endpoint) => !tried.has(endpoint))
  const candidates = left.length > 0 ? left : endpoints
  const [first] = candidates.toSorted((a, b) => a.cooldown.remainingMs() - b.cooldown.remainingMs())
  if (first === undefined) throw new RangeError('a system has at least one base URL')
  return first
}

/** Milliseconds to wait before the next attempt; infinite when there is none. */
function pauseBefore(
  count: number,
  failure: unknown,
  hasOther: boolean,
  { isIdempotent = true, maxAttempts = MAX_ATTEMPTS }: AttemptBounds,
): number {
  if (count >= maxAttempts) return Number.POSITIVE_INFINITY
  if (!(failure instanceof ApiError) || failure.body?.retryable === false) return Number.POSITIVE_INFINITY
  const { origin, retry, response } = REASONS[failure.reason]
  if (!isIdempotent && response === 'lost') return Number.POSITIVE_INFINITY
  if (origin === 'endpoint' && hasOther) return 0
  if (!retry) return Number.POSITIVE_INFINITY
  const growingMs = backoffMs(count, FIRST_PAUSE_MS) * (0.5 + Math.random() / 2)
  return Math.max(growingMs, failure.retryAfterMs ?? 0)
}
