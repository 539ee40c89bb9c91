import type { LimitsConfig, SystemConfig } from '../config/config.ts'
import { type Log, silentLog } from '../log.ts'
import { inSlices } from '../slices.ts'
import type { Secret } from '../values/secret.ts'
import { ApiError, asApiError, type RequestPlace } from './errors/errors.ts'
import type { Reason } from './errors/reasons.ts'
import { exchangeFailure } from './http/failures.ts'
import { refusalOf } from './http/refusals.ts'
import { logRequest, timed } from './http/request_log.ts'
import { tokenHeader } from './http/token_header.ts'
import { type Answer, createTransport, type HttpLimits, type Transport } from './http/transport.ts'
import { sendDeletion } from './providers/deletion.ts'
import {
  PROVIDERS_ACCEPT,
  PROVIDERS_PATH,
  type Provider,
  providerPath,
  providerSteps,
} from './providers/providers.ts'
import { type Account, decodeAccount, WHOAMI_PATH } from './providers/whoami.ts'
import { type Attempts, createAttempts } from './request/attempts.ts'
import { createLimits, type Limits } from './request/limits.ts'
import { basicHeader, tokenOf, UNANSWERED } from './session/login.ts'

/**
 * One storage system, asked with the tokens of others: every method takes the caller's own, and nothing of it is
 * kept. The exporter's session is not within reach. Every method throws {@link ApiError} with the place.
 */
export interface AdminClient {
  /** API document, "List providers". */
  providers(token: Secret, signal: AbortSignal): Promise<readonly Provider[]>
  /** The user of a token, with its roles; undefined members where the system does not serve them. */
  account(token: Secret, signal: AbortSignal): Promise<Account>
  /** The user name alone. */
  user(token: Secret, signal: AbortSignal): Promise<string | undefined>
  /**
   * API document, "Delete provider": sent once, to the node that answered last, never repeated. The signal is ignored
   * as soon as the request is sent.
   * @throws {Abandoned} when the signal aborted before
   * @throws {UnknownOutcome} when it was sent, or may have been, and no answer of the system came
   */
  deleteProvider(token: Secret, id: string, signal: AbortSignal): Promise<void>
  /** A token for a name and a password. Not repeated where the system may have counted a refused login. */
  login(username: string, password: Secret, signal: AbortSignal): Promise<Secret>
  logout(token: Secret, signal: AbortSignal): Promise<void>
  /** Closes the connections of reading requests at once; a deletion under way goes on. */
  close(): Promise<void>
}

export interface AdminClientOptions {
  /** Without the exporter's credentials, on purpose. */
  readonly system: Pick<SystemConfig, 'name' | 'baseUrls' | 'tls'>
  readonly limits: LimitsConfig
  /** Bound of one reading request, fail-over included, in milliseconds. */
  readonly timeoutMs: number
  readonly httpLimits?: HttpLimits
  readonly log?: Log
}

type Headers = Readonly<Record<string, string>>

/** The outcome of an aborted deletion is unknown, so a short `poll.timeout` does not apply to it. */
const SHORTEST_DELETE_TIMEOUT_MS = 30_000

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const { system, timeoutMs } = options
  const { baseUrls } = system
  const transport = openTransport(options, timeoutMs)
  const limits = createLimits(options.limits)
  const attempts = createAttempts(baseUrls)
  let answering = baseUrls[0] ?? ''
  const read = createAdminReader({
    transport,
    limits,
    attempts,
    timeoutMs,
    log: options.log ?? silentLog,
    onAnswer: (baseUrl) => {
      answering = baseUrl
    },
  })

  const placeOf = (operation: string, path: string): RequestPlace => ({
    system: system.name,
    operation,
    path,
  })

  const account: AdminClient['account'] = (token, signal) =>
    read(placeOf('whoami', WHOAMI_PATH), withToken(token, JSON_TYPE), signal, ({ decode }) =>
      decode(decodeAccount),
    )

  return {
    providers: (token, signal) =>
      read(placeOf('providers', PROVIDERS_PATH), withToken(token, PROVIDERS_ACCEPT), signal, ({ decode }) =>
        decode((text) => inSlices(providerSteps(text), signal)),
      ),
    account,
    user: async (token, signal) => (await account(token, signal)).user,
    deleteProvider: (token, id, signal) =>
      deleteOnce(options, { baseUrl: answering, token, id, limits, stop: signal }),
    login(username, password, signal) {
      const headers = { Accept: JSON_TYPE, ...basicHeader(username, password) }
      return read(placeOf('login', '/login'), headers, signal, tokenOf, UNANSWERED)
    },
    logout: (token, signal) =>
      read(placeOf('logout', '/logout'), withToken(token, JSON_TYPE), signal, () => undefined),
    close: transport.close,
  }
}

/** A list of {@link providerSteps} is shorter, and the responses of several callers are in memory at once. */
const MAX_RESPONSE_BYTES = 10_000_000

function openTransport(options: AdminClientOptions, timeoutMs: number): Transport {
  const { system, limits, httpLimits } = options
  const maxResponseBytes = Math.min(limits.maxResponseBytes, MAX_RESPONSE_BYTES)
  const { tls } = system
  return createTransport({
    ...limits,
    maxResponseBytes,
    tls,
    timeoutMs,
    onCertificate: () => undefined,
    ...(httpLimits !== undefined && { httpLimits }),
  })
}

/** The transport, with a line in the log for each request. */
function logged(transport: Transport, { system, operation }: RequestPlace, log: Log): Transport {
  return {
    ...transport,
    send: (request) =>
      timed(
        () => transport.send(request),
        (end) => logRequest(log, { system, operation, baseUrl: request.baseUrl, ...end }),
      ),
  }
}

interface RequestedDeletion {
  readonly baseUrl: string
  readonly token: Secret
  readonly id: string
  readonly limits: Limits
  readonly stop: AbortSignal
}

async function deleteOnce(options: AdminClientOptions, deletion: RequestedDeletion): Promise<void> {
  const { baseUrl, token, id, limits, stop } = deletion
  const place = { system: options.system.name, operation: 'delete', path: `${PROVIDERS_PATH}/…` }
  const timeoutMs = Math.max(options.timeoutMs, SHORTEST_DELETE_TIMEOUT_MS)
  // A connection of its own: one that rested may be closed by the other side at the very moment of the request.
  const transport = logged(openTransport(options, timeoutMs), place, options.log ?? silentLog)
  try {
    const headers = withToken(token, PROVIDERS_ACCEPT)
    const request = { baseUrl, path: providerPath(id), headers }
    await sendDeletion({ request, transport, limits, timeoutMs, stop, place })
  } catch (failure) {
    throw asApiError(failure, place)
  } finally {
    // Not awaited: a connection that is being opened closes after its timeout.
    void transport.close()
  }
}

interface AdminReaderOptions {
  readonly transport: Transport
  readonly limits: Limits
  readonly attempts: Attempts
  readonly timeoutMs: number
  readonly log: Log
  readonly onAnswer: (baseUrl: string) => void
}

/** GET requests within the limits and the deadline, with fail-over and retry. */
function createAdminReader({ transport, limits, attempts, timeoutMs, log, onAnswer }: AdminReaderOptions) {
  return async <T>(
    place: RequestPlace,
    headers: Headers,
    stop: AbortSignal,
    decode: (answer: Answer) => T | Promise<T>,
    lastReasons: readonly Reason[] = [],
  ): Promise<T> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const bounds = { signal, deadline: performance.now() + timeoutMs, lastReasons }
    const { path } = place
    const send = async (baseUrl: string, ofNode: AbortSignal) => {
      await limits.pace(ofNode)
      const answer = await logged(transport, place, log).send({
        baseUrl,
        method: 'GET',
        path,
        headers,
        signal: ofNode,
      })
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      const decoded = await decode(answer)
      onAnswer(baseUrl)
      return decoded
    }
    try {
      return await limits.withPermit(() => attempts.run(send, bounds), { signal })
    } catch (failure) {
      const late = signal.aborted && !(failure instanceof ApiError)
      throw asApiError(late ? exchangeFailure(signal.reason) : failure, place)
    }
  }
}

const JSON_TYPE = 'application/json'

function withToken(token: Secret, accept: string): Headers {
  return { Accept: accept, ...tokenHeader(token) }
}
