import { idProblem } from '../../values/names.ts'
import { REASONS, type Reason } from './reasons.ts'

/** Where a request went. Never holds a token, a password or the query. */
export interface RequestPlace {
  readonly system: string
  readonly operation: string
  /** The path below the base URL, without the query. */
  readonly path: string
  /** Id of the pool, where the request is about one. */
  readonly pool?: string | undefined
}

/** The body of a refusal. Source: real systems; the API document does not show error bodies. */
export interface ErrorBody {
  readonly code?: number | undefined
  readonly description?: string | undefined
  readonly details?: string | undefined
  readonly retryable?: boolean | undefined
}

type Extra = 'cause' | 'status' | 'body' | 'retryAfterMs' | 'endpoint' | 'remedy'
type ErrorExtras = { readonly [Name in Extra]?: ApiError[Name] | undefined }
type ErrorChanges = ErrorExtras & Partial<Pick<ApiError, 'reason' | 'place'>>

/** A request to a storage system that failed, or a response that cannot be used. `reason` is the stable code. */
export class ApiError extends Error {
  readonly reason: Reason
  /** What happened, without the place: the message adds it. */
  readonly detail: string
  readonly status: number | undefined
  readonly body: ErrorBody | undefined
  /** The system requests to wait this long, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Host and port of the endpoint, if the system has several. */
  readonly endpoint: string | undefined
  /** What to do about it: one sentence without a full stop. By default that of the reason. */
  readonly remedy: string
  readonly place: RequestPlace | undefined

  constructor(reason: Reason, detail: string, extras: ErrorExtras = {}, place?: RequestPlace) {
    const { stackTraceLimit } = Error
    // The calls of a stack trace keep generators in memory, and these the body that they read.
    Error.stackTraceLimit = 0
    super(`${place === undefined ? '' : `${placeText(place, extras.endpoint)}: `}${detail}`, {
      cause: extras.cause,
    })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
    this.reason = reason
    this.detail = detail
    this.status = extras.status
    this.body = extras.body
    this.retryAfterMs = extras.retryAfterMs
    this.endpoint = extras.endpoint
    this.remedy = extras.remedy ?? REASONS[reason].remedy
    this.place = place
  }

  /** The same failure, with the request that it belongs to. */
  at(place: RequestPlace): ApiError {
    return this.place === undefined ? this.with({ place }) : this
  }

  with(changes: ErrorChanges): ApiError {
    // The spread of an error lacks its cause, which is not enumerable.
    const all = { ...this, cause: this.cause, ...changes }
    return new ApiError(all.reason, this.detail, all, all.place)
  }
}

function placeText({ system, operation, pool, path }: RequestPlace, endpoint = ''): string {
  const ofPool = pool === undefined ? '' : ` of pool ${pool}`
  return `system ${system}, ${operation}${ofPool} (${endpoint}${path})`
}

/** Whether the system responded to the request, with any status. */
export function hasResponse({ status, reason }: ApiError): boolean {
  return status !== undefined || REASONS[reason].response === 'received'
}

/** Whether a failure is about the system as a whole or one of its endpoints: the same request may succeed later. */
export function isOfSystem({ reason }: ApiError): boolean {
  const { origin } = REASONS[reason]
  return origin === 'endpoint' || origin === 'system'
}

/** Any failure as an ApiError, so that each failed poll has one reason. */
export function asApiError(failure: unknown, place: RequestPlace): ApiError {
  if (failure instanceof ApiError) return failure.at(place)
  return new ApiError('local', REASONS.local.text, { cause: failure }, place)
}

/**
 * An id as a path segment. Colons are not encoded, because ids may be URNs.
 * @throws {ApiError} `local` for an id that cannot be one segment
 */
export function idSegment(id: string): string {
  const problem = idProblem(id)
  if (problem !== undefined) throw new ApiError('local', `the id ${problem}`)
  return encodeURIComponent(id).replaceAll('%3A', ':')
}
