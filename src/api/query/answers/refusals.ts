import { ApiError } from '../../errors/errors.ts'
import { REASONS, type Reason } from '../../errors/reasons.ts'
import { refusalOf } from '../../http/refusals.ts'
import type { HttpResponse } from '../../http/transport.ts'
import { member, parseObject, readText } from '../../parse/json.ts'

const ERROR_HEADER = 'x-influx-error'
const MAX_ERROR_CHARACTERS = 300

/** Texts of refusals that a smaller or simpler query may avoid. Other failures are temporary. */
const REFUSED = /too large|lacks the columns|failed to compile|not allowed|merges tables/i

/** The words by which a text says that the system refuses this query, also when it is sent again. */
export function refusalWords(text: string): string | undefined {
  return REFUSED.exec(text)?.[0]
}

/**
 * Why an answer to a query is not what was requested; undefined for 200. Of the reasons, `not_found` is a system
 * without a Flux API, `forbidden` a missing role, and `client_error` a query that the system refuses. A failure
 * of the query service is not repeated in the same poll: it is that of an expensive query.
 */
export function queryRefusalOf(answer: HttpResponse): ApiError | undefined {
  const refusal = refusalOf(answer, 'query')
  if (refusal === undefined) return undefined
  const { status = 0, body, reason } = refusal
  const refused = (reason: Reason, detail: string) =>
    new ApiError(reason, detail, { status, body: { ...body, retryable: false } })
  // Old services also refuse a query with 404, such as one for a bucket that they do not have.
  if (reason === 'forbidden' || (reason === 'not_found' && answer.header(ERROR_HEADER) === undefined))
    return refusal.with({ body: { ...body, retryable: false } })
  const error = errorText(answer)
  if (error === undefined || status === 401 || status < 400) return refusal
  return refusal.reason === 'not_found' || refusalWords(error) !== undefined
    ? refused('client_error', `the query was refused (HTTP ${status}): ${error}`)
    : refused(refusal.reason, `the query failed (HTTP ${status}): ${error}`)
}

/** The text of an error of the query service: its bodies have the member `error` only, old ones are in a header. */
function errorText({ text, header, redact }: HttpResponse): string | undefined {
  const body = parseObject(text)
  const error = readText(text.trim() === '' ? header(ERROR_HEADER) : body && member(body, 'error'))
  return error && redact(error).replaceAll(/\s+/g, ' ').slice(0, MAX_ERROR_CHARACTERS)
}

export function failureState(reason: Reason): string {
  return REASONS[reason].query?.state ?? 'the last poll failed'
}

/** What to do about a failure of the Flux API. */
export function queryRemedyOf({ reason, remedy }: ApiError): string {
  const { query } = REASONS[reason]
  return query?.remedy ?? [remedy, ...(query?.choice === undefined ? [] : [query.choice])].join(', or ')
}

/** What to do about answers without current data. */
export const EMPTY_REMEDY =
  'wait for ten minutes after a restart of the system; then compare with its management interface'
