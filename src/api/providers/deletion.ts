import { ApiError, asApiError, type RequestPlace } from '../errors/errors.ts'
import { exchangeFailure } from '../http/failures.ts'
import { refusalOf } from '../http/refusals.ts'
import type { Answer, Transport, WireRequest } from '../http/transport.ts'
import { isPage } from '../parse/markup.ts'
import type { Limits } from '../request/limits.ts'

/** The request may have been processed, but the response was lost. `reason` is the reason of the loss. */
export class UnknownOutcome extends ApiError {}

export interface Deletion {
  readonly request: Omit<WireRequest, 'method' | 'signal'>
  readonly transport: Transport
  readonly limits: Limits
  readonly timeoutMs: number
  readonly place: RequestPlace
}

/**
 * Sends a DELETE once, to one node. There are no retries.
 * @throws {UnknownOutcome} if the request was sent, or may have been sent, and the system did not respond
 * @throws {ApiError} if the provider was not deleted
 */
export async function sendDeletion(deletion: Deletion): Promise<void> {
  const { place } = deletion
  const answer = await answerTo(deletion)
  const { status } = answer
  // Real systems respond with 200 or 204, with or without a body.
  if (status >= 200 && status < 300 && !isPage(answer.text)) return
  const refusal =
    refusalOf(answer) ??
    new ApiError('html', `an HTML page came instead of the response of the system (HTTP ${status})`, {
      status,
    })
  throw isOutcomeUnknown(answer) ? unknownOutcome(refusal, place) : refusal.at(place)
}

function isOutcomeUnknown(answer: Answer): boolean {
  const { status } = answer
  return GATEWAY_STATUSES.includes(status) || (status >= 200 && status < 300)
}

async function answerTo({ request, transport, limits, timeoutMs, place }: Deletion): Promise<Answer> {
  const waiting = AbortSignal.timeout(timeoutMs)
  let isSending = false
  try {
    const send = async () => {
      await limits.pace(waiting)
      isSending = true
      return transport.send({ ...request, method: 'DELETE', signal: AbortSignal.timeout(timeoutMs) })
    }
    return await limits.withPermit(send, { signal: waiting })
  } catch (failure) {
    const late = !isSending && waiting.aborted
    const apiError = asApiError(late ? exchangeFailure(waiting.reason) : failure, place)
    throw isSending && !wasNotSent(apiError) ? unknownOutcome(apiError, place) : apiError
  }
}

/** Statuses of proxies and of nodes that got no response from another node: the deletion may still be done. */
const GATEWAY_STATUSES: readonly number[] = [502, 504]

/** Error codes of opening a connection. They do not occur after a request was sent. */
const NOT_SENT_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EADDRNOTAVAIL|EMFILE|ENFILE|UND_ERR_(CONNECT_TIMEOUT|INVALID_ARG)|(CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT)_)/

function wasNotSent({ cause }: ApiError): boolean {
  return cause instanceof Error && 'code' in cause && NOT_SENT_CODES.test(String(cause.code))
}

function unknownOutcome(failure: ApiError, place: RequestPlace): UnknownOutcome {
  const detail = `the response to the deletion was lost (${failure.detail}): list the providers to see whether it was deleted`
  const { status } = failure
  return new UnknownOutcome(
    failure.reason,
    detail,
    { cause: failure, ...(status !== undefined && { status }) },
    place,
  )
}
