import { Abandoned, UnknownOutcome } from '../api/admin_client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import { type ErrorBody, HttpError } from '../values/http_error.ts'

/** The error code of a deletion whose result is unknown, for every HTTP status. */
export const UNKNOWN_OUTCOME_CODE = 599

export const TOO_MANY_STATUS = 429

/** Errors of the exporter itself. Their code is the HTTP status, unless the row has one. */
const OWN = {
  badRequest: { status: 400, description: 'Bad request' },
  chooseSystem: { status: 400, description: 'Several systems are configured: the path must name one' },
  noToken: { status: 401, description: 'The request has no valid token' },
  foreignOrigin: { status: 403, description: 'Cross-site request refused' },
  unknownPath: { status: 404, description: 'Unknown path' },
  unknownSystem: { status: 404, description: 'Unknown system' },
  wrongMethod: { status: 405, description: 'Method not allowed' },
  notAcceptable: { status: 406, description: 'No acceptable content type' },
  tooLarge: { status: 413, description: 'Request body too large' },
  wrongType: { status: 415, description: 'The body must be JSON (Content-Type: application/json)' },
  foreignHost: { status: 421, description: 'Unknown host name in the Host header' },
  tooMany: { status: TOO_MANY_STATUS, description: 'Too many requests', retryable: true },
  abandoned: { status: 499, description: 'The connection was closed: nothing was deleted' },
  failed: { status: 500, description: 'Internal error' },
  unknownOutcome: {
    status: 502,
    code: UNKNOWN_OUTCOME_CODE,
    description: 'It is unknown whether the provider was deleted: list the providers again',
  },
  busy: { status: 503, description: 'Too many requests to this system are pending', retryable: true },
} as const satisfies Record<string, OwnError>

type OwnError = { status: number; description: string; code?: number; retryable?: true }

/** A custom scheme, so that browsers do not open a login dialog. */
const TOKEN_CHALLENGE = { 'WWW-Authenticate': 'X-SDS-AUTH-TOKEN realm="storage system"' }

export function refused(
  error: keyof typeof OWN,
  details: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const row: OwnError = OWN[error]
  const { status, description, code = status, retryable = false } = row
  return httpError(status, { code, description, details, retryable }, headers)
}

function httpError(status: number, body: ErrorBody, headers: Readonly<Record<string, string>>): HttpError {
  const challenge = status === 401 ? TOKEN_CHALLENGE : {}
  return new HttpError(status, body.description, { ...challenge, ...headers }, body)
}

export function statusOf(failure: unknown): number {
  const error = failure instanceof ApiError ? fromApiError(failure) : failure
  return error instanceof HttpError ? error.status : 500
}

/**
 * `refused`: by the system; nothing was deleted. `failed`: the system was unreachable or failed. `unknown`: the response
 * was lost. `abandoned`: the caller closed the connection before the deletion was sent; nothing was deleted.
 */
export type DeletionOutcome = 'deleted' | 'refused' | 'failed' | 'unknown' | 'abandoned'

export function outcomeOf(failure: unknown): DeletionOutcome {
  if (failure instanceof UnknownOutcome) return 'unknown'
  if (failure instanceof Abandoned) return 'abandoned'
  // Real systems refuse a missing role with 403, and some with 500.
  if (failure instanceof ApiError && failure.reason === 'forbidden') return 'refused'
  return statusOf(failure) < 500 ? 'refused' : 'failed'
}

/** The error for the caller: status and body of the system if it sent any. */
export function fromApiError(failure: ApiError): HttpError {
  if (failure instanceof UnknownOutcome) return refused('unknownOutcome', failure.message)
  if (failure instanceof Abandoned) return refused('abandoned', failure.message)
  const status = statusFor(failure)
  const { body, retryAfterMs } = failure
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  const error = {
    code: body?.code ?? status,
    description: body?.description ?? sentence(REASONS[failure.reason].text),
    details: body?.details ?? failure.message,
    retryable: body?.retryable ?? REASONS[failure.reason].retryable ?? false,
  }
  return httpError(status, error, headers)
}

function statusFor({ reason, status = 0 }: ApiError): number {
  return REASONS[reason].callerStatus ?? (status >= 400 && status <= 599 ? status : 502)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
