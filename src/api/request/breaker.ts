import { BoundedMap } from '../../values/cache.ts'
import { backoffMs } from '../../values/timers.ts'
import { ApiError, hasResponse, isOfSystem } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'

/** A longer `Retry-After` is cut, so that values do not reach the default of `poll.stale_after`. */
export const LONGEST_RETRY_AFTER_MS = 120_000

const FIRST_PAUSE_MS = 5_000
/** Has ended at the next poll of a schedule of every minute: shorter by the default of `poll.max_random_delay` and a margin. */
const LONGEST_PAUSE_MS = 54_000

/** A pool that failed before does not count again while another one succeeded within this time and did not fail since. */
const WORKS_MS = 120_000
/** More pools than a system can have. */
const MAX_POOLS = 10_000
/** Time of the last success of a pool that has failed since, or never succeeded. */
const FAILED = Number.NEGATIVE_INFINITY

/** How an operation ended. `unknown` does not count, for example because the exporter aborted it. */
type OperationOutcome = 'ok' | 'unknown' | ApiError

/** An operation that {@link Breaker.acquire} admitted. */
interface Admitted {
  /** Whether the breaker is half-open: one request is sent, without retries. */
  readonly isProbe: boolean
  /** Ends the operation; to be called once. */
  readonly release: (outcome: OperationOutcome) => void
}

/**
 * Circuit breaker of one system. Closed: every operation is admitted. Open: none is, after as many consecutive failures as
 * given, for 5 s, and twice as long after each failed probe. Half-open: one operation is the probe, the others wait for its
 * outcome.
 */
export type Breaker = ReturnType<typeof createBreaker>

interface BreakerOptions {
  readonly failuresToOpen: number
  /** Called with true after a response, and with false when an operation failed and there was no response since it began. */
  readonly onResponded?: (responded: boolean) => void
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

export function createBreaker(options: BreakerOptions) {
  const { now = () => performance.now() } = options
  const failures = createFailureCount(options, now)
  let probe: Promise<void> | undefined

  return {
    /** Milliseconds until the next request is admitted; 0 while the breaker is closed or half-open. */
    pauseMs: (): number => Math.max(0, (failures.opened()?.untilMs ?? 0) - now()),
    /**
     * @param pool the pool that is polled; undefined for everything else
     * @throws {ApiError} while the breaker is open, with the reason of the failure that opened it
     */
    async acquire(pool: string | undefined): Promise<Admitted> {
      while (probe !== undefined) await probe
      const opened = failures.opened()
      const beganAtMs = now()
      const isProbe = opened !== undefined
      if (isProbe && opened.untilMs > beganAtMs) throw rejection(opened, beganAtMs)
      const { promise, resolve } = Promise.withResolvers<void>()
      if (isProbe) probe = promise
      return {
        isProbe,
        release(outcome) {
          if (isProbe) probe = undefined
          failures.note(pool, outcome, beganAtMs)
          resolve()
        },
      }
    },
  }
}

interface Opened {
  readonly failure: ApiError
  readonly untilMs: number
}

/** Counts consecutive failures of the system as a whole; `opened` while there are too many. */
function createFailureCount({ failuresToOpen, onResponded }: BreakerOptions, now: () => number) {
  let count = 0
  let opened: Opened | undefined
  /** Pauses in a row, and when the last one began. */
  let pauses = 0
  let pausedAtMs = Number.NEGATIVE_INFINITY
  let respondedAtMs = Number.NEGATIVE_INFINITY
  const succeededAtMs = new BoundedMap<string, number>(MAX_POOLS)

  function noteResponse(): void {
    respondedAtMs = now()
    onResponded?.(true)
  }

  /** Whether it says nothing about `up`: nothing was sent, or the system responded to another request meanwhile. */
  function isInconclusive({ reason }: ApiError, beganAtMs: number): boolean {
    return REASONS[reason].origin === 'local' || respondedAtMs >= beganAtMs
  }

  /** The system works: it gave what was requested, or a refusal that is about this request only. */
  function noteWorking(pool: string | undefined): void {
    if (pool !== undefined) succeededAtMs.set(pool, now())
    count = 0
    pauses = 0
    opened = undefined
  }

  function noteFailure(pool: string | undefined, failure: ApiError, beganAtMs: number): void {
    const isRepeated = pool !== undefined && succeededAtMs.get(pool) === FAILED
    if (pool !== undefined) succeededAtMs.set(pool, FAILED)
    const othersWork = [...succeededAtMs.values()].some((atMs) => now() - atMs <= WORKS_MS)
    if (!isRepeated || !othersWork) count += 1
    if (count < failuresToOpen) return
    // Operations that began before the pause are no probes.
    if (beganAtMs >= pausedAtMs) {
      pauses += 1
      pausedAtMs = now()
    }
    const retryAfterMs = Math.min(failure.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
    // From the beginning of the operation, so that a slow probe does not delay the next one.
    const pauseEndsMs = beganAtMs + backoffMs(pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    // At least the first pause from now on, so that the operations that wait for a slow probe fail with it.
    const leastEndsMs = now() + Math.max(FIRST_PAUSE_MS, retryAfterMs)
    opened = { failure, untilMs: Math.max(pauseEndsMs, leastEndsMs) }
  }

  return {
    opened: () => opened,
    note(pool: string | undefined, outcome: OperationOutcome, beganAtMs: number): void {
      if (outcome === 'unknown') return
      if (outcome === 'ok' || hasResponse(outcome)) noteResponse()
      else if (isInconclusive(outcome, beganAtMs)) return
      else onResponded?.(false)
      if (outcome !== 'ok' && isOfSystem(outcome)) noteFailure(pool, outcome, beganAtMs)
      else noteWorking(pool)
    },
  }
}

function rejection({ failure, untilMs }: Opened, nowMs: number): ApiError {
  const next = `next request in ${Math.ceil((untilMs - nowMs) / 1000)} s`
  const text = `no request was sent, because the system keeps failing (${next}): ${failure.detail}`
  return new ApiError(failure.reason, text)
}
