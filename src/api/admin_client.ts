import type { LimitsConfig, SystemConfig } from '../config/config.ts'
import { type Log, silentLog } from '../log.ts'
import type { Secret } from '../values/secret.ts'
import { asApiError } from './errors/errors.ts'
import { basicHeader, tokenHeader, tokenOf } from './http/credentials.ts'
import {
  createAttempts,
  createExchanges,
  type Exchange,
  JSON_CONTENT,
  logRequest,
  measureRequest,
  type Request,
  tokenRequest,
} from './http/exchanges.ts'
import { withTimeoutReason } from './http/failures.ts'
import { refusalOf } from './http/refusals.ts'
import { createTransport, type HttpLimits, type HttpResponse, type Transport } from './http/transport.ts'
import { sendDeletion } from './providers/deletion.ts'
import {
  decodeProviders,
  LIST_REQUEST,
  PROVIDERS_ACCEPT,
  PROVIDERS_PATH,
  type Provider,
  providerPath,
} from './providers/providers.ts'
import { type Account, decodeAccount, WHOAMI_PATH } from './providers/whoami.ts'
import { createLimits, createOperate, type Limits } from './request/operation.ts'

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

export function createAdminClient(options: AdminClientOptions) {
  const { log = silentLog } = options
  const { name: system, baseUrls, tls } = options.system
  const limits = createLimits(options.limits, ['other'])
  let responding = baseUrls[0] ?? ''
  const { read, close: closeReads } = createRead(options, limits, (baseUrl) => {
    responding = baseUrl
  })

  async function deleteOnce(token: Secret, id: string, stop: AbortSignal): Promise<void> {
    const baseUrl = responding
    const place = { system, operation: 'delete', path: `${PROVIDERS_PATH}/…` }
    const timeoutMs = Math.max(options.timeoutMs, SHORTEST_DELETE_TIMEOUT_MS)
    // A new connection: the system may close an idle one at the moment of the request.
    const { send, close } = createTransport({ ...options, ...boundedLimits(options), tls, timeoutMs })
    const logged: Transport['send'] = (request) =>
      measureRequest(
        () => send(request),
        (end) => logRequest(log, { system, operation: place.operation, baseUrl, ...end }),
      )
    try {
      const headers = { Accept: PROVIDERS_ACCEPT, ...JSON_CONTENT, ...tokenHeader(token) }
      const request = { baseUrl, path: providerPath(id), headers }
      await sendDeletion({ request, transport: { send: logged, close }, limits, timeoutMs, stop, place })
    } catch (failure) {
      throw asApiError(failure, place)
    } finally {
      // Not awaited: a connection that is being opened closes after its timeout.
      void close()
    }
  }

  return {
    /** API document, "List providers". */
    providers: (token: Secret, signal: AbortSignal): Promise<readonly Provider[]> =>
      read(tokenRequest(LIST_REQUEST, token), signal, (text) => decodeProviders(text)),
    /** The user of a token, with its roles; undefined members where the system does not serve them. */
    account: (token: Secret, signal: AbortSignal): Promise<Account> =>
      read(tokenRequest({ operation: 'whoami', path: WHOAMI_PATH }, token), signal, decodeAccount),
    /**
     * API document, "Delete provider": sent once, to the endpoint that responded last, never repeated. The signal is ignored
     * as soon as the request is sent.
     * @throws {Abandoned} when the signal aborted before
     * @throws {UnknownOutcome} when it was sent, or may have been, and no response of the system came
     */
    deleteProvider: deleteOnce,
    /** A token for a name and a password. Not repeated where the system may have counted a refused login. */
    login: (username: string, password: Secret, signal: AbortSignal): Promise<Secret> =>
      read({ ...LOGIN, headers: basicHeader(username, password) }, signal, (_, response) =>
        tokenOf(response),
      ),
    logout: (token: Secret, signal: AbortSignal): Promise<void> =>
      read(tokenRequest(LOGOUT, token), signal, () => undefined),
    /** Closes the connections of reading requests at once; a deletion under way goes on. */
    close: closeReads,
  }
}

const LOGIN = { operation: 'login', path: '/login', headersOnly: true } as const
const LOGOUT = { operation: 'logout', path: '/logout', headersOnly: true } as const

/** A list of {@link decodeProviders} is shorter, and the responses of several callers are in memory at once. */
const MAX_RESPONSE_BYTES = 10_000_000

function boundedLimits({ limits }: AdminClientOptions): LimitsConfig {
  return { ...limits, maxResponseBytes: Math.min(limits.maxResponseBytes, MAX_RESPONSE_BYTES) }
}

/** @param onResponse called with the base URL of each usable response */
function createRead(options: AdminClientOptions, limits: Limits, onResponse: (baseUrl: string) => void) {
  const { system, timeoutMs, log = silentLog } = options
  const { exchange, close } = createExchanges({
    ...options,
    limits: boundedLimits(options),
    tls: system.tls,
    isOwn: false,
    pace: limits.pace,
    observer: { exchanged: (end) => logRequest(log, { system: system.name, ...end }) },
  })
  const accepted: Exchange = async (...call) => {
    const response = await exchange(...call)
    const refusal = refusalOf(response, call[0].operation === 'login' ? 'login' : undefined)
    if (refusal !== undefined) throw refusal
    return response
  }
  const attempts = createAttempts(system.baseUrls)
  const operate = createOperate({ system: system.name, timeoutMs, limits, attempts, exchange: accepted })

  /** The wait for a permit counts, because the caller waits, too. */
  async function read<T>(
    request: Request,
    stop: AbortSignal,
    decode: (text: string, response: HttpResponse) => T,
  ): Promise<T> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    try {
      return await operate(request, signal, (text, baseUrl, response) => {
        const decoded = decode(text, response)
        onResponse(baseUrl)
        return decoded
      })
    } catch (failure) {
      const { operation, path } = request
      throw asApiError(withTimeoutReason(failure), { system: system.name, operation, path })
    }
  }
  return { read, close }
}
