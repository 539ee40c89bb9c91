import type { ApiError } from '../../api/errors/errors.ts'
import { REASONS, type Reason } from '../../api/errors/reasons.ts'
import { UnknownOutcome } from '../../api/providers/deletion.ts'

/** The body of a refusal, as real systems write it. */
export interface RefusalBody {
  readonly code: number
  readonly description: string
  readonly details: string
  readonly retryable: boolean
}

/** A request that is answered with an error, by us or by the system. */
export class Refused extends Error {
  readonly status: number
  readonly body: RefusalBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: RefusalBody, headers: Readonly<Record<string, string>> = {}) {
    super(`${status}: ${body.description}`)
    this.name = 'Refused'
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** "The deletion may have happened": a code of its own, whatever the status. */
export const UNKNOWN_OUTCOME_CODE = 599

/** Our own refusals. Their code is the HTTP status, which no code of a storage system is in such a place. */
const OWN = {
  badRequest: { status: 400, description: 'The request cannot be understood' },
  chooseSystem: { status: 400, description: 'There are several systems: the path must name one' },
  noToken: { status: 401, description: 'The request carries no token that could be passed on' },
  foreignOrigin: { status: 403, description: 'The request comes from a page of another site' },
  unknownPath: { status: 404, description: 'There is nothing under this path' },
  unknownSystem: { status: 404, description: 'There is no such system' },
  wrongMethod: { status: 405, description: 'The method is not supported here' },
  notAcceptable: { status: 406, description: 'There is no answer in a format that the request accepts' },
  tooLarge: { status: 413, description: 'The request has a body that is too large' },
  wrongType: { status: 415, description: 'The body must be JSON (Content-Type: application/json)' },
  foreignHost: { status: 421, description: 'The request is addressed to another host' },
  tooMany: { status: 429, description: 'Too many requests', retryable: true },
  failed: { status: 500, description: 'The exporter failed to answer' },
  auditIncomplete: {
    status: 500,
    description: 'The provider was deleted, but the audit file was not completed',
  },
  noAudit: { status: 503, description: 'The audit file cannot be written: nothing was deleted' },
} as const satisfies Record<string, { status: number; description: string; retryable?: true }>

/** The scheme has a name of its own, so that no browser asks for a user and a password. */
const TOKEN_CHALLENGE = { 'WWW-Authenticate': 'X-SDS-AUTH-TOKEN realm="storage system"' }

export function refused(
  why: keyof typeof OWN,
  details: string,
  headers: Readonly<Record<string, string>> = {},
): Refused {
  const row: { status: number; description: string; retryable?: true } = OWN[why]
  const { status, description, retryable = false } = row
  const challenge = status === 401 ? TOKEN_CHALLENGE : {}
  return new Refused(status, { code: status, description, details, retryable }, { ...challenge, ...headers })
}

/** What a failure of the system is to the caller: its own status and words where it gave any. */
export function passedOn(failure: ApiError): Refused {
  if (failure instanceof UnknownOutcome) return unknownOutcome(failure)
  const status = statusFor(failure)
  const { body, retryAfterMs } = failure
  const headers = {
    ...(status === 401 && TOKEN_CHALLENGE),
    ...(retryAfterMs !== undefined && { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }),
  }
  const answer = {
    code: body?.code ?? status,
    description: body?.description ?? sentence(REASONS[failure.reason].text),
    details: body?.details ?? failure.message,
    retryable: body?.retryable ?? RETRYABLE.includes(failure.reason),
  }
  return new Refused(status, answer, headers)
}

function unknownOutcome(failure: UnknownOutcome): Refused {
  const isLate = failure.reason === 'timeout' || failure.status === 504
  return new Refused(isLate ? 504 : 502, {
    code: UNKNOWN_OUTCOME_CODE,
    description: 'Whether the provider was deleted is unknown: list the providers again',
    details: failure.message,
    retryable: false,
  })
}

const RETRYABLE: readonly Reason[] = ['connect', 'dns', 'reset', 'timeout', 'throttled', 'unavailable']

function statusFor({ reason, status }: ApiError): number {
  // Also a redirect to the login page, which is how some systems say it.
  if (reason === 'auth') return 401
  if (status !== undefined && status >= 400 && status <= 599) return status
  if (reason === 'timeout') return 504
  return reason === 'local' ? 500 : 502
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
