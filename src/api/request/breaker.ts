import { BoundedMap } from '../../values/bounded_map.ts'
import { ApiError, hasResponse, isOfSystem } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'

/** Has ended at the next poll of a schedule of every minute: shorter by the default of `poll.max_random_delay` and a margin. */
const OPEN_MS = 54_000
/** A longer `Retry-After` is cut, so that values do not reach the default of `poll.stale_after`. */
const LONGEST_RETRY_AFTER_MS = 120_000

/** A pool that failed before does not count again while another one succeeded within this time and did not fail since. */
const WORKS_MS = 120_000
/** More keys than a system can have. */
const MAX_KEYS = 10_000
/** Time of the last success of a key that has failed since, or never succeeded. */
const FAILED = Number.NEGATIVE_INFINITY

/** How an operation ended. `unknown` does not count, for example because the exporter aborted it. */
type OperationOutcome = 'ok' | 'unknown' | ApiError

/** Ends an operation that {@link Breaker.enter} admitted; to be called once. */
export type Leave = (outcome: OperationOutcome) => void

/**
 * Circuit breaker of one system. Closed: every operation is admitted. Open: none is, for about a minute, after as many
 * consecutive failures as given. Half-open: one operation is the probe, the others wait for its outcome.
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

  function admit(key: string): Leave {
    const beganAtMs = now()
    return (outcome) => failures.note(key, outcome, beganAtMs)
  }

  function admitProbe(key: string): Leave {
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = admit(key)
    probe = promise
    return (outcome) => {
      probe = undefined
      leave(outcome)
      resolve()
    }
  }

  return {
    /** Milliseconds until the next request is admitted; 0 while the breaker is closed or half-open. */
    pauseMs: (): number => Math.max(0, (failures.opened()?.untilMs ?? 0) - now()),
    /**
     * @param key what is requested, such as the nodes of one pool
     * @throws {ApiError} while the breaker is open, with the reason of the failure that opened it
     */
    async enter(key: string): Promise<Leave> {
      while (probe !== undefined) await probe
      const opened = failures.opened()
      if (opened === undefined) return admit(key)
      const leftMs = opened.untilMs - now()
      if (leftMs > 0) throw rejection(opened.failure, leftMs)
      return admitProbe(key)
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
  let respondedAtMs = Number.NEGATIVE_INFINITY
  const succeededAtMs = new BoundedMap<string, number>(MAX_KEYS)

  function noteResponse(): void {
    respondedAtMs = now()
    onResponded?.(true)
  }

  /** Whether it says nothing about `up`: nothing was sent, or the system responded to another request meanwhile. */
  function isInconclusive({ reason }: ApiError, beganAtMs: number): boolean {
    return REASONS[reason].origin === 'local' || respondedAtMs >= beganAtMs
  }

  /** The system works: it gave what was requested, or a refusal that is about this request only. */
  function noteWorking(key: string): void {
    succeededAtMs.set(key, now())
    count = 0
    opened = undefined
  }

  function noteFailure(key: string, failure: ApiError, beganAtMs: number): void {
    const isRepeated = succeededAtMs.get(key) === FAILED
    succeededAtMs.set(key, FAILED)
    const othersWork = [...succeededAtMs.values()].some((atMs) => now() - atMs <= WORKS_MS)
    if (!isRepeated || !othersWork) count += 1
    if (count < failuresToOpen) return
    const retryAfterMs = Math.min(failure.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
    // From the beginning of the operation, so that a slow probe does not delay the next one.
    opened = { failure, untilMs: Math.max(beganAtMs + OPEN_MS, now() + retryAfterMs) }
  }

  return {
    opened: () => opened,
    note(key: string, outcome: OperationOutcome, beganAtMs: number): void {
      if (outcome === 'unknown') return
      if (outcome === 'ok' || hasResponse(outcome)) noteResponse()
      else if (isInconclusive(outcome, beganAtMs)) return
      else onResponded?.(false)
      if (outcome !== 'ok' && isOfSystem(outcome)) noteFailure(key, outcome, beganAtMs)
      else noteWorking(key)
    },
  }
}

function rejection({ reason, detail }: ApiError, leftMs: number): ApiError {
  const seconds = Math.ceil(leftMs / 1000)
  const text = `no request was sent, because the system keeps failing (next request in ${seconds} s): ${detail}`
  return new ApiError(reason, text)
}
