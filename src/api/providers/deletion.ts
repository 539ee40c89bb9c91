import { ApiError, asApiError, type RequestPlace } from '../errors/errors.ts'
import { exchangeFailure } from '../http/failures.ts'
import { refusalOf } from '../http/refusals.ts'
import type { Transport, WireRequest } from '../http/transport.ts'
import { detachable, withDeadline } from '../http/waiting.ts'
import { isPage } from '../parse/markup.ts'
import type { Limits } from '../request/operation.ts'

/** The request may have been processed, but the response was lost. `reason` is the reason of the loss. */
export class UnknownOutcome extends ApiError {}

/** The caller closed the connection before the deletion was sent. Nothing was deleted. */
export class Abandoned extends ApiError {
  constructor(place?: RequestPlace) {
    super('local', 'the caller closed the connection before the deletion was sent', {}, place)
  }
}

export interface Deletion {
  readonly request: Omit<WireRequest, 'method' | 'signal' | 'onSend'>
  readonly transport: Transport
  readonly limits: Limits
  /** Bound of the wait for a permit, and of the request itself, in milliseconds. */
  readonly timeoutMs: number
  /** Aborts when the caller is gone. Ignored as soon as the request is sent. */
  readonly stop: AbortSignal
  readonly place: RequestPlace
}

/**
 * Sends a DELETE once, to one endpoint. There are no retries.
 * @throws {UnknownOutcome} if the request was sent, or may have been sent, and the system did not respond
 * @throws {Abandoned} if `stop` aborted before the request was sent
 * @throws {ApiError} if the provider was not deleted
 */
export async function sendDeletion(deletion: Deletion): Promise<void> {
  const { place } = deletion
  const { response, page } = await responseTo(deletion)
  const { status } = response
  // Real systems respond with 200 or 204, with or without a body.
  if (status >= 200 && status < 300 && !page) return
  const refusal =
    refusalOf(response, 'deletion') ??
    new ApiError('html', `an HTML page came instead of the response of the system (HTTP ${status})`, {
      status,
    })
  const isUnknown = GATEWAY_STATUSES.includes(status) || (status >= 200 && status < 300)
  if (isUnknown) throw unknownOutcome(refusal, place)
  throw refusal.at(place)
}

/** The response, and whether its body is an HTML page. */
async function responseTo(deletion: Deletion) {
  const { limits, timeoutMs, stop, place } = deletion
  const waiting = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  let isSent = false
  const onSend = () => {
    isSent = true
  }
  const send = async () => {
    await limits.pace(waiting)
    return sendOnce(deletion, onSend)
  }
  try {
    return await limits.withPermit(send, { signal: waiting })
  } catch (failure) {
    if (!isSent && stop.aborted) throw new Abandoned(place)
    const late = !isSent && waiting.aborted && !(failure instanceof ApiError)
    const apiError = asApiError(late ? exchangeFailure(waiting.reason) : failure, place)
    throw isSent ? unknownOutcome(apiError, place) : apiError
  }
}

/** `stop` ends the request only while the connection is being opened. */
async function sendOnce({ request, transport, timeoutMs, stop }: Deletion, onSend: () => void) {
  const { signal: unsent, detach } = detachable(stop)
  const sending = () => {
    detach()
    onSend()
  }
  return withDeadline(unsent, timeoutMs, async (signal) => {
    const response = await transport.send({ ...request, method: 'DELETE', signal, onSend: sending })
    return { response, page: await response.decode(isPage) }
  }).finally(detach)
}

/** Statuses of a proxy or a node that got no response from another one: the deletion may still be done. */
const GATEWAY_STATUSES: readonly number[] = [502, 504]

function unknownOutcome(failure: ApiError, place: RequestPlace): UnknownOutcome {
  const detail = `the response to the deletion was lost (${failure.detail}): it is not known whether the provider was deleted`
  const remedy = 'list the providers before you delete it again'
  return new UnknownOutcome(failure.reason, detail, { cause: failure, status: failure.status, remedy }, place)
}
