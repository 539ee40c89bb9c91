import { ApiError, asApiError, type RequestPlace } from '../errors/errors.ts'
import { exchangeFailure } from '../http/failures.ts'
import { refusalOf } from '../http/refusals.ts'
import type { Answer, Transport, WireRequest } from '../http/transport.ts'
import { isPage } from '../parse/markup.ts'
import type { Limits } from '../request/limits.ts'

/** Nobody knows whether the deletion happened. `reason` says how the answer was lost. */
export class UnknownOutcome extends ApiError {}

export interface Deletion {
  readonly request: Omit<WireRequest, 'method' | 'signal'>
  readonly transport: Transport
  readonly limits: Limits
  readonly timeoutMs: number
  readonly place: RequestPlace
}

/**
 * Sends a DELETE once, to one node; never again, and to no other node.
 * @throws {UnknownOutcome} when it was sent, or may have been, and no answer of the system came
 * @throws {ApiError} when it surely did not happen
 */
export async function sendDeletion(deletion: Deletion): Promise<void> {
  const { place } = deletion
  const answer = await answerTo(deletion)
  const { status } = answer
  // Real systems answer 200 or 204, with a body or without: what counts is the status.
  if (status >= 200 && status < 300 && !isPage(answer.text)) return
  const refusal =
    refusalOf(answer) ?? new ApiError('html', `a page came instead of an answer (HTTP ${status})`, { status })
  throw isLost(answer) ? unknownOutcome(refusal, place) : refusal.at(place)
}

function isLost(answer: Answer): boolean {
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
    const known = asApiError(late ? exchangeFailure(waiting.reason) : failure, place)
    throw isSending && !wasSurelyNotSent(known) ? unknownOutcome(known, place) : known
  }
}

/** A proxy answered, or a node that waited in vain for another: the system may have done it all the same. */
const GATEWAY_STATUSES: readonly number[] = [502, 504]

/** Failures of opening a connection, none of which a connection can meet once a request was sent on it. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EADDRNOTAVAIL|EMFILE|ENFILE|UND_ERR_(CONNECT_TIMEOUT|INVALID_ARG)|(CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT)_)/

function wasSurelyNotSent({ cause }: ApiError): boolean {
  return cause instanceof Error && 'code' in cause && UNSENT.test(String(cause.code))
}

function unknownOutcome(failure: ApiError, place: RequestPlace): UnknownOutcome {
  const detail = `the answer to the deletion was lost (${failure.detail}): list the providers again`
  const { status } = failure
  return new UnknownOutcome(
    failure.reason,
    detail,
    { cause: failure, ...(status !== undefined && { status }) },
    place,
  )
}
