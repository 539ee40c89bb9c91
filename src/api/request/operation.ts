import { asApiError } from '../errors/errors.ts'
import { withDeadline } from '../http/deadline.ts'
import { withTimeoutReason } from '../http/failures.ts'
import type { HttpResponse } from '../http/transport.ts'
import type { Attempts } from './attempts.ts'
import type { Breaker } from './breaker.ts'
import type { Exchange, Operation, Request } from './exchanges.ts'
import { isOfResource, type Limits, type Urgency } from './limits.ts'
import type { RetryAfter } from './retry_after.ts'

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
const POLLS: readonly Operation[] = ['nodes', 'pools']

/** An operation: permit, circuit breaker, then attempts within the deadline. The wait for the permit does not count. */
export function createOperate(options: OperationOptions): Operate {
  const { system, timeoutMs, limits, retryAfter, attempts, exchange } = options

  /** The first of several endpoints may hang, so it gets half of the time: too little for what may take long. */
  const timeOf = ({ operation }: Request): number => {
    const isLong = operation === 'query' || isOfResource(operation)
    return isLong && attempts.endpoints().length > 1 ? 2 * timeoutMs : timeoutMs
  }

  function withinDeadline<T>(
    request: Request,
    stop: AbortSignal,
    isProbe: boolean,
    decode: Decode<T>,
  ): Promise<T> {
    const ms = timeOf(request)
    return withDeadline(stop, ms, (signal) =>
      attempts.run(
        async (baseUrl, ofAttempt) => {
          const response = await exchange(request, baseUrl, ofAttempt)
          return response.decode((text) => decode(text, baseUrl, response))
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
    const place = { system, operation, path, ...(pool !== undefined && { pool }) }
    const entered = await enter(options, request).catch((cause: unknown) => {
      throw asApiError(cause, place)
    })
    try {
      const result = await withinDeadline(request, stop, entered?.isProbe === true, decode)
      entered?.leave('ok')
      return result
    } catch (cause) {
      if (stop.aborted) {
        entered?.leave('unknown')
        throw cause
      }
      const failure = asApiError(withTimeoutReason(cause), place)
      retryAfter?.note(request, failure)
      entered?.leave(POLLS.includes(operation) ? failure : 'unknown')
      throw failure
    }
  }

  return (request, stop, decode) => {
    if (isOfResource(request.operation)) return limits.inShare(() => admitted(request, stop, decode), stop)
    const urgency = urgencyOf(request.operation)
    return limits.withPermit(() => admitted(request, stop, decode), { signal: stop, urgency })
  }
}

/** @throws {ApiError} when the request is not sent now */
async function enter({ breaker, retryAfter }: OperationOptions, request: Request) {
  retryAfter?.check(request)
  return breaker?.enter(request.operation === 'nodes' ? request.pool : undefined)
}

function urgencyOf(operation: Operation): Urgency {
  if (POLLS.includes(operation)) return 'poll'
  return operation === 'query' ? 'query' : 'other'
}
