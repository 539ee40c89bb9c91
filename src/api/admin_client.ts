import type { LimitsConfig, SystemConfig } from '../config/config.ts'
import { type Log, silentLog } from '../log.ts'
import type { Secret } from '../values/secret.ts'
import { ApiError, asApiError, type RequestPlace } from './errors/errors.ts'
import { basicHeader, tokenHeader, tokenOf } from './http/credentials.ts'
import {
  createAttempts,
  createExchanges,
  JSON_CONTENT,
  LOGIN,
  LOGOUT,
  logRequest,
  measureRequest,
  tokenRequest,
} from './http/exchanges.ts'
import { exchangeFailure, withTimeoutReason } from './http/failures.ts'
import { refusalOf } from './http/refusals.ts'
import { createTransport, type HttpLimits, type HttpResponse } from './http/transport.ts'
import { detachable, withDeadline } from './http/waiting.ts'
import { isPage } from './parse/json.ts'
import {
  type Account,
  decodeAccount,
  decodeProviders,
  LIST_REQUEST,
  PROVIDERS_ACCEPT,
  PROVIDERS_PATH,
  type Provider,
  providerPath,
  WHOAMI_REQUEST,
} from './providers/providers.ts'
import { createLimits, createOperate, type Limits, type Operate } from './request/operation.ts'

/**
 * A client of one storage system without a session: every method takes the token of the caller, which is not kept.
 * Every method throws {@link ApiError} with the place.
 */
export type AdminClient = ReturnType<typeof createAdminClient>

export interface AdminClientOptions {
  /** Without the exporter's credentials. */
  readonly system: Pick<SystemConfig, 'name' | 'baseUrls' | 'tls'>
  readonly limits: LimitsConfig
  /** Bound of one reading request, fail-over included, in milliseconds. */
  readonly timeoutMs: number
  readonly httpLimits?: HttpLimits
  readonly log?: Log
}

/** The outcome of an aborted deletion is unknown, so a short `poll.timeout` does not apply to it. */
const SHORTEST_DELETE_TIMEOUT_MS = 30_000
/** A list of {@link decodeProviders} is shorter, and the responses of several callers are in memory at once. */
const MAX_RESPONSE_BYTES = 10_000_000

export function createAdminClient({ log = silentLog, timeoutMs, ...options }: AdminClientOptions) {
  const { name: system, baseUrls, tls } = options.system
  const limits = createLimits(options.limits, ['other'])
  const maxResponseBytes = Math.min(options.limits.maxResponseBytes, MAX_RESPONSE_BYTES)
  const bounded = { ...options, tls, limits: { ...options.limits, maxResponseBytes } }
  const attempts = createAttempts(baseUrls)
  const { exchange, close } = createExchanges({
    ...bounded,
    timeoutMs,
    isOwn: false,
    pace: limits.pace,
    observer: { exchanged: (end) => logRequest(log, { system, ...end }) },
  })
  const read = createRead({ system, timeoutMs, limits, attempts, exchange })

  async function deleteOnce(token: Secret, id: string, stop: AbortSignal): Promise<void> {
    const place = { system, operation: 'delete', path: `${PROVIDERS_PATH}/…` }
    const bounds = { limits, stop, place, timeoutMs: Math.max(timeoutMs, SHORTEST_DELETE_TIMEOUT_MS) }
    // A new connection: the system may close an idle one at the moment of the request.
    const transport = createTransport({ ...bounded, ...bounded.limits, timeoutMs: bounds.timeoutMs })
    const baseUrl = attempts.preferred()
    const headers = { Accept: PROVIDERS_ACCEPT, ...JSON_CONTENT, ...tokenHeader(token) }
    try {
      const request = { baseUrl, method: 'DELETE', path: providerPath(id), headers } as const
      const send: SendDeletion = (signal, onSend) =>
        measureRequest(
          () => transport.send({ ...request, signal, onSend }),
          (end) => logRequest(log, { system, operation: place.operation, baseUrl, ...end }),
        )
      await sendDeletion(send, bounds)
    } catch (failure) {
      throw asApiError(failure, place)
    } finally {
      // Not awaited: a connection that is being opened closes after its timeout.
      void transport.close()
    }
  }

  return {
    /** API document, "List providers". */
    providers: (token: Secret, signal: AbortSignal): Promise<readonly Provider[]> =>
      read(tokenRequest(LIST_REQUEST, token), signal, decodeProviders),
    /** The user of a token, with its roles; undefined members where the system does not serve them. */
    account: (token: Secret, signal: AbortSignal): Promise<Account> =>
      read(tokenRequest(WHOAMI_REQUEST, token), signal, decodeAccount),
    /**
     * API document, "Delete provider": sent once, to the first endpoint without a cooldown, never repeated. The signal is
     * ignored as soon as the request is sent.
     * @throws {Abandoned} when the signal aborted before
     * @throws {UnknownOutcome} when it was sent, or may have been, and no response of the system came
     */
    deleteProvider: deleteOnce,
    /** A token for a name and a password. Not repeated where the system may have counted a refused login. */
    login: (username: string, password: Secret, signal: AbortSignal): Promise<Secret> =>
      read({ ...LOGIN, headers: basicHeader(username, password) }, signal, (_text, _baseUrl, response) =>
        tokenOf(response),
      ),
    logout: (token: Secret, signal: AbortSignal): Promise<void> =>
      read(tokenRequest(LOGOUT, token), signal, () => undefined),
    /** Closes the connections of reading requests at once; a deletion under way goes on. */
    close,
  }
}

function createRead(options: Parameters<typeof createOperate>[0]): Operate {
  const { system, timeoutMs } = options
  const operate = createOperate(options)
  /** The wait for a permit counts, because the caller waits, too. */
  return async (request, stop, decode) => {
    try {
      return await operate(request, AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]), decode)
    } catch (failure) {
      const { operation, path } = request
      throw asApiError(withTimeoutReason(failure), { system, operation, path })
    }
  }
}

/** The request may have been processed, but the response was lost. `reason` is the reason of the loss. */
export class UnknownOutcome extends ApiError {}

/** The caller closed the connection before the deletion was sent. Nothing was deleted. */
export class Abandoned extends ApiError {
  constructor(place?: RequestPlace) {
    super('local', 'the caller closed the connection before the deletion was sent', {}, place)
  }
}

/** @param onSend to be called right before the request is written */
export type SendDeletion = (signal: AbortSignal, onSend: () => void) => Promise<HttpResponse>

interface DeletionBounds {
  readonly limits: Limits
  /** Bound of the wait for a permit, and of the request itself, in milliseconds. */
  readonly timeoutMs: number
  /** Aborts when the caller is gone. Ignored as soon as the request is sent. */
  readonly stop: AbortSignal
  readonly place: RequestPlace
}

/** Statuses of a proxy or a node that got no response from another one: the deletion may still be done. */
const GATEWAY_STATUSES: readonly number[] = [502, 504]

/**
 * Sends a deletion once. There are no retries.
 * @throws {UnknownOutcome} if the request was sent, or may have been sent, and the system did not respond
 * @throws {Abandoned} if `stop` aborted before the request was sent
 * @throws {ApiError} if the provider was not deleted
 */
export async function sendDeletion(send: SendDeletion, bounds: DeletionBounds): Promise<void> {
  const { response, page } = await responseTo(send, bounds)
  const { status } = response
  const isSuccess = status >= 200 && status < 300
  // Real systems respond with 200 or 204, with or without a body.
  if (isSuccess && !page) return
  const words = `an HTML page came instead of the response of the system (HTTP ${status})`
  const refusal = refusalOf(response, 'deletion') ?? new ApiError('html', words, { status })
  const isUnknown = isSuccess || GATEWAY_STATUSES.includes(status)
  throw isUnknown ? unknownOutcome(refusal, bounds.place) : refusal.at(bounds.place)
}

/** The response, and whether its body is an HTML page. `stop` ends the request only while the connection is being opened. */
async function responseTo(send: SendDeletion, { limits, timeoutMs, stop, place }: DeletionBounds) {
  const waiting = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const { signal: unsent, detach } = detachable(stop)
  let isSent = false
  const onSend = () => {
    isSent = true
    detach()
  }
  const sendOnce = async () => {
    await limits.pace(waiting)
    return withDeadline(unsent, timeoutMs, async (signal) => {
      const response = await send(signal, onSend)
      return { response, page: await response.decode(isPage) }
    })
  }
  try {
    return await limits.withPermit(sendOnce, { signal: waiting })
  } catch (failure) {
    if (!isSent && stop.aborted) throw new Abandoned(place)
    const late = !isSent && waiting.aborted && !(failure instanceof ApiError)
    const apiError = asApiError(late ? exchangeFailure(waiting.reason) : failure, place)
    throw isSent ? unknownOutcome(apiError, place) : apiError
  } finally {
    detach()
  }
}

function unknownOutcome(failure: ApiError, place: RequestPlace): UnknownOutcome {
  const detail = `the response to the deletion was lost (${failure.detail}): it is not known whether the provider was deleted`
  const remedy = 'list the providers before you delete it again'
  return new UnknownOutcome(failure.reason, detail, { cause: failure, status: failure.status, remedy }, place)
}
