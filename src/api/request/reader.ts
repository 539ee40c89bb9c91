import { ApiError, asApiError, type RequestPlace } from '../errors/errors.ts'
import { withDeadline } from '../http/deadline.ts'
import { exchangeFailure } from '../http/failures.ts'
import type { Answer } from '../http/transport.ts'
import type { Budget } from './budget.ts'
import type { Endpoints } from './endpoints.ts'
import type { Exchange, Request } from './exchanges.ts'
import type { Reachability } from './reachability.ts'
import { repeated } from './repeat.ts'

/** Sends a reading request and decodes its answer. @throws {ApiError} with the place, also for what cannot be decoded */
export type Reader = <T>(
  request: Request,
  stop: AbortSignal,
  decode: (answer: Answer, baseUrl: string) => T,
) => Promise<T>

interface ReaderOptions {
  readonly system: string
  /** Bound of one operation, login and repetitions included, in milliseconds. */
  readonly timeoutMs: number
  readonly budget: Budget
  readonly endpoints: Endpoints
  readonly exchange: Exchange
  readonly reachability: Reachability
}

/** Reads within the budget, with fail-over and repetition. */
export function createReader(options: ReaderOptions): Reader {
  const { system, timeoutMs, budget, endpoints, exchange, reachability } = options

  /** As often as makes sense, at as many nodes as there are, within the time of one operation. */
  const attempts: Reader = (request, stop, decode) =>
    withDeadline(stop, timeoutMs, async (signal) => {
      const time = { signal, deadline: performance.now() + timeoutMs }
      const attempt = (after: unknown) =>
        endpoints.attempt(
          async (baseUrl, ofNode) => decode(await exchange(request, baseUrl, ofNode), baseUrl),
          { ...time, after },
        )
      try {
        return await repeated(attempt, time)
      } catch (failure) {
        throw signal.aborted && !(failure instanceof ApiError) ? exchangeFailure(signal.reason) : failure
      }
    })

  return async (request, stop, decode) => {
    const began = performance.now()
    try {
      // The time allowed begins when it is its turn: a pool that does not answer takes nothing from those that wait.
      const result = await budget.withPlace(stop, () => attempts(request, stop, decode))
      reachability.noteAnswer()
      return result
    } catch (cause) {
      if (stop.aborted) throw cause
      const failure = asApiError(cause, placeOf(system, request))
      reachability.noteFailure(failure, request.operation, began)
      throw failure
    }
  }
}

function placeOf(system: string, { operation, path, pool }: Request): RequestPlace {
  return { system, operation, path, ...(pool !== undefined && { pool }) }
}
