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

/** The body of a refusal. Source: real systems; the API document does not show error bodies. */
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
  /** Host and port of the node that was asked, where the system has several. */
  readonly node?: string
}

/** A request to a storage system that failed, or an answer that cannot be used. `reason` is the stable code. */
export class ApiError extends Error {
  readonly reason: Reason
  /** What happened, without the place: the message adds it. */
  readonly detail: string
  readonly status: number | undefined
  readonly body: ErrorBody | undefined
  readonly retryAfterMs: number | undefined
  readonly node: string | undefined
  readonly place: RequestPlace | undefined

  constructor(reason: Reason, detail: string, extras: ErrorExtras = {}, place?: RequestPlace) {
    super(`${place === undefined ? '' : `${placeText(place, extras.node)}: `}${detail}`, {
      cause: extras.cause,
    })
    this.name = 'ApiError'
    this.reason = reason
    this.detail = detail
    this.status = extras.status
    this.body = extras.body
    this.retryAfterMs = extras.retryAfterMs
    this.node = extras.node
    this.place = place
  }

  /** The same failure, with the request that it belongs to. */
  at(place: RequestPlace): ApiError {
    return this.place === undefined ? new ApiError(this.reason, this.detail, this.extras(), place) : this
  }

  /** The same failure, with the node that it comes from. */
  of(node: string): ApiError {
    return new ApiError(this.reason, this.detail, { ...this.extras(), node }, this.place)
  }

  private extras(): ErrorExtras {
    const { cause, status, body, retryAfterMs, node } = this
    return {
      cause,
      ...(status !== undefined && { status }),
      ...(body !== undefined && { body }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(node !== undefined && { node }),
    }
  }
}

function placeText({ system, operation, pool, path }: RequestPlace, node: string | undefined): string {
  const ofPool = pool === undefined ? '' : ` of pool ${pool}`
  return `system ${system}, ${operation}${ofPool} (${node ?? ''}${path})`
}

/** Whether the system answered the request, whatever the answer was. */
export function isAnswer({ status, reason }: ApiError): boolean {
  return status !== undefined || REASONS[reason].answered
}

/** Any failure as an ApiError, so that each failed poll has one reason. */
export function asApiError(failure: unknown, place: RequestPlace): ApiError {
  if (failure instanceof ApiError) return failure.at(place)
  return new ApiError('local', REASONS.local.text, { cause: failure }, place)
}
