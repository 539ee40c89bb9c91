import { REASONS, type Reason } from './reasons.ts'

/** Where a request went. Never holds a token, a password or the query. */
export interface RequestPlace {
  readonly system: string
  readonly operation: string
  /** The path below the base URL, without the query. */
  readonly path: string
  /** Id of the pool, where the request is about one. */
  readonly pool?: string
}

/** What the body of a refusal says. Source: real systems; the API document does not show error bodies. */
export interface ErrorBody {
  readonly code: number | undefined
  readonly description: string | undefined
  readonly details: string | undefined
  readonly retryable: boolean | undefined
}

interface ErrorExtras {
  readonly cause?: unknown
  readonly status?: number
  readonly body?: ErrorBody
  /** The system asks to wait this long, in milliseconds. */
  readonly retryAfterMs?: number
}

/** A request to a storage system that failed, or an answer that cannot be used. `reason` is the stable code. */
export class ApiError extends Error {
  readonly reason: Reason
  /** What happened, without the place: the message adds it. */
  readonly detail: string
  readonly status: number | undefined
  readonly body: ErrorBody | undefined
  readonly retryAfterMs: number | undefined
  readonly place: RequestPlace | undefined

  constructor(reason: Reason, detail: string, extras: ErrorExtras = {}, place?: RequestPlace) {
    super(`${place === undefined ? '' : `${placeText(place)}: `}${detail}`, { cause: extras.cause })
    this.name = 'ApiError'
    this.reason = reason
    this.detail = detail
    this.status = extras.status
    this.body = extras.body
    this.retryAfterMs = extras.retryAfterMs
    this.place = place
  }

  /** The same failure, with the request that it belongs to. */
  at(place: RequestPlace): ApiError {
    if (this.place !== undefined) return this
    const { cause, status, body, retryAfterMs } = this
    return new ApiError(
      this.reason,
      this.detail,
      {
        cause,
        ...(status !== undefined && { status }),
        ...(body !== undefined && { body }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
      place,
    )
  }
}

function placeText({ system, operation, pool, path }: RequestPlace): string {
  return `system ${system}, ${operation}${pool === undefined ? '' : ` of pool ${pool}`} (${path})`
}

/** Any failure as an ApiError, so that a poll has one reason whatever broke. */
export function asApiError(failure: unknown, place: RequestPlace): ApiError {
  if (failure instanceof ApiError) return failure.at(place)
  return new ApiError('local', REASONS.local, { cause: failure }, place)
}
