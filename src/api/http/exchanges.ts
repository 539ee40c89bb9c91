import type { LimitsConfig, TlsConfig } from '../../config/config.ts'
import type { Fields, Log } from '../../log.ts'
import type { ResourceName } from '../../system_catalogue.ts'
import type { Secret } from '../../values/secret.ts'
import { backoffMs } from '../../values/timers.ts'
import { ApiError, hasResponse } from '../errors/errors.ts'
import { REASONS, type Reason, type Result } from '../errors/reasons.ts'
import { tokenHeader } from './credentials.ts'
import { withTimeoutReason } from './failures.ts'
import { refusalOf, saidBy } from './refusals.ts'
import {
  clockSkewSeconds,
  createTransport,
  type HttpLimits,
  type HttpResponse,
  respondedAt,
} from './transport.ts'
import { type Cooldown, createCooldown, pause, withDeadline } from './waiting.ts'

interface RequestEnd {
  /** The HTTP status, or the reason why there is no complete response. */
  readonly code: string
  /** As {@link HttpResponse.bytes}; undefined without a response. */
  readonly bytes: number | undefined
  /** From the connection to the end of the body. */
  readonly seconds: number
  /** The words of a refusal, of which messages quote the beginning; empty for a 200. */
  readonly said?: () => string
}

/** What is logged of a request: never its headers, query or body, which have secrets. */
interface LoggedRequest extends RequestEnd {
  readonly system: string
  readonly operation: string
  readonly baseUrl: string
}

/** Sends a request, and calls `ended` with the response or the failure; not when the request is aborted. */
export async function measureRequest(
  send: () => Promise<HttpResponse>,
  ended: (end: RequestEnd) => void,
): Promise<HttpResponse> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  try {
    const response = await send()
    const { status, bytes } = response
    ended({ code: String(status), bytes, seconds: seconds(), said: () => saidBy(response) })
    return response
  } catch (failure) {
    if (failure instanceof ApiError) ended({ code: failure.reason, bytes: undefined, seconds: seconds() })
    throw failure
  }
}

/** Writes the line of a request. @param pool fields of the pool that it is about */
export function logRequest(log: Log, request: LoggedRequest, pool: () => Fields = () => ({})): void {
  log.debug('request', () => {
    const { system, operation, baseUrl, code, bytes, seconds, said } = request
    const host = new URL(baseUrl).host
    const isStatus = /^\d+$/.test(code)
    const end = isStatus ? { status: Number(code) } : { reason: code }
    const duration_ms = Math.round(seconds * 1000)
    return { system, operation, host, ...pool(), ...end, bytes, duration_ms, said: said?.() || undefined }
  })
}

/** The operations that are counted and timed, by their name in metrics and errors. */
export type RequestOperation =
  | ResourceName
  | 'nodes'
  | 'forecast'
  | 'history'
  | 'whoami'
  | 'query'
  | 'version'
  | 'login'
  | 'logout'

/** An exchange with its response, or with the reason why no whole response came. */
interface ExchangeEnd extends RequestEnd {
  readonly operation: RequestOperation
  readonly baseUrl: string
  /** Id of the pool, where the request is about one. */
  readonly pool: string | undefined
}

export interface ClientObserver {
  exchanged(exchange: ExchangeEnd): void
  /** After an operation: whether the system responded, whatever the response. */
  responded?(responded: boolean): void
  loggedIn?(result: Result): void
  /** The system's clock minus ours, in seconds. */
  clockSkew?(seconds: number): void
  /** End of validity of the system's certificate, in seconds since the epoch. */
  certificate?(notAfterSeconds: number): void
  /** Every exchange with its response, for a recording. The response to a login has no text. */
  received?(exchange: ReceivedExchange): void
}

/** A request as it was sent, and its response or the reason why no whole response came. */
export interface ReceivedExchange {
  readonly operation: RequestOperation
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query: string | undefined
  readonly body: string | undefined
  /** With the token or password. */
  readonly headers: Readonly<Record<string, string>>
  readonly outcome: ReceivedResponse | Reason
}

export interface ReceivedResponse extends Pick<HttpResponse, 'status' | 'header' | 'text'> {
  /** When its headers arrived, by the clock of the system, in seconds since the epoch. */
  readonly at: number
}

/** A request that only reads, to any endpoint of the system. */
export interface Request {
  readonly operation: RequestOperation
  /** Below the base URL, already encoded. */
  readonly path: string
  readonly query?: string
  readonly pool?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly headersOnly?: boolean
  /** JSON to send with POST; undefined: GET. */
  readonly body?: string
  /** How a response is judged, if not by `refusalOf`. */
  readonly refusalOf?: (response: HttpResponse) => ApiError | undefined
}

/** Sends one request to one base URL. @throws {ApiError} when no whole response came, and for a refusal */
export type Exchange = (request: Request, baseUrl: string, signal: AbortSignal) => Promise<HttpResponse>

export interface ExchangesOptions {
  readonly tls: TlsConfig
  readonly limits: LimitsConfig
  readonly timeoutMs: number
  readonly observer: ClientObserver
  /** Resolves when the request may be sent. */
  readonly pace: (signal: AbortSignal, operation: RequestOperation) => Promise<void>
  /** Whether all requests are the exporter's own, so that secrets of earlier requests are redacted, too. */
  readonly isOwn: boolean
  readonly httpLimits?: HttpLimits
}

/** API document, "Endpoints": the requested format, which real systems take from `Accept`, also where no body is sent. */
export const JSON_CONTENT = { 'Content-Type': 'application/json' } as const
const JSON_HEADERS = { Accept: 'application/json', ...JSON_CONTENT, 'Accept-Encoding': 'gzip' } as const

/** Exchanges with one system: rate-limited, timed and counted. */
export function createExchanges(options: ExchangesOptions) {
  const { limits, observer, pace } = options
  const transport = createTransport({
    ...options,
    ...limits,
    onCertificate: (notAfterSeconds) => observer.certificate?.(notAfterSeconds),
  })

  const exchange: Exchange = async (request, baseUrl, signal) => {
    const { operation, pool, path, query, body, headersOnly = false } = request
    // A logout does not wait for the rate limit: at the end it has two seconds.
    if (operation !== 'logout') await pace(signal, operation)
    const headers = { ...JSON_HEADERS, ...request.headers }
    const method = body === undefined ? 'GET' : 'POST'
    const target = query === undefined ? path : `${path}?${query}`
    const sent = { baseUrl, method, path: target, headers, headersOnly, body, signal } as const
    const send = () => transport.send(sent)
    const response = await measureRequest(
      () =>
        observer.received === undefined
          ? send()
          : recordExchange(send, (outcome) =>
              observer.received?.({ operation, method, path, query, body, headers, outcome }),
            ),
      (end) => observer.exchanged({ operation, baseUrl, pool, ...end }),
    )
    const skew = clockSkewSeconds(response)
    if (skew !== undefined) observer.clockSkew?.(skew)
    // Where no body is needed, every 2xx is a success.
    if (headersOnly && response.status < 300) return response
    const refusal = (request.refusalOf ?? refusalOf)(response)
    if (refusal !== undefined) throw refusal
    return response
  }

  return { exchange, close: transport.close }
}

/** Sends a request, and reports the failure or the response with its whole text, which is decoded before. */
async function recordExchange(
  send: () => Promise<HttpResponse>,
  report: (outcome: ReceivedExchange['outcome']) => void,
): Promise<HttpResponse> {
  try {
    const response = await send()
    const { status, header } = response
    const text = await response.decode((whole) => whole)
    report({ status, header, text, at: respondedAt(response) })
    return { ...response, decode: async (use) => use(text) }
  } catch (failure) {
    if (failure instanceof ApiError) report(failure.reason)
    throw failure
  }
}

/** Their bodies are not needed, and faults in them are ignored. */
export const LOGIN: Request = {
  operation: 'login',
  path: '/login',
  headersOnly: true,
  refusalOf: (response) => refusalOf(response, 'login'),
}
export const LOGOUT: Request = { operation: 'logout', path: '/logout', headersOnly: true }

export function tokenRequest(request: Request, token: Secret): Request {
  return { ...request, headers: { ...request.headers, ...tokenHeader(token) } }
}

const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 500
/** With less time left, another attempt would only replace the failure by a timeout. */
const LEAST_TIME_MS = 1000

type Send<T> = (baseUrl: string, signal: AbortSignal) => Promise<T>

interface AttemptBounds {
  readonly signal: AbortSignal
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly deadline: number
  /** Default true. If false, nothing is sent again, to any endpoint, after a request that may have been processed. */
  readonly isIdempotent?: boolean
  readonly maxAttempts?: number
}

/** Retry and fail-over among the endpoints of one system. */
export type Attempts = ReturnType<typeof createAttempts>

/** @param now monotonic clock of the cooldowns, in milliseconds */
export function createAttempts(baseUrls: readonly string[], now?: () => number) {
  const endpoints = baseUrls.map((baseUrl) => ({ baseUrl, cooldown: createCooldown(now) }))
  return {
    /**
     * At most three attempts within the deadline, each at the next endpoint that has no cooldown, or at the one
     * whose cooldown ends first.
     * @throws {ApiError} the failure of the last attempt
     */
    run: <T>(send: Send<T>, bounds: AttemptBounds): Promise<T> => run(endpoints, send, bounds),
    preferred: (): string => nextEndpoint(endpoints, new Set()).baseUrl,
    /** In the order of the configuration, with the milliseconds for which others are preferred, because it failed. */
    endpoints: () =>
      endpoints.map(({ baseUrl, cooldown }) => ({ baseUrl, cooldownMs: cooldown.remainingMs() })),
  }
}

async function run<T>(endpoints: readonly Endpoint[], send: Send<T>, bounds: AttemptBounds): Promise<T> {
  const { signal, deadline, maxAttempts = MAX_ATTEMPTS } = bounds
  const tried = new Set<Endpoint>()
  for (let count = 1; ; count += 1) {
    const endpoint = nextEndpoint(endpoints, tried)
    tried.add(endpoint)
    const hasOther = count < maxAttempts && tried.size < endpoints.length
    const leftMs = deadline - performance.now()
    try {
      // Half of the time left if there is another endpoint to try, because this one may hang.
      return await attempt(endpoint, send, signal, hasOther ? leftMs / 2 : leftMs)
    } catch (cause) {
      const failure = endpoints.length > 1 ? withEndpoint(cause, endpoint) : cause
      const waitMs = pauseBefore(count, failure, hasOther, bounds)
      if (performance.now() + waitMs + LEAST_TIME_MS > deadline || signal.aborted) throw failure
      await pause(waitMs, signal)
    }
  }
}

async function attempt<T>(
  { baseUrl, cooldown }: Endpoint,
  send: Send<T>,
  signal: AbortSignal,
  ms: number,
): Promise<T> {
  try {
    const result = await withDeadline(signal, ms, (ofAttempt) => send(baseUrl, ofAttempt))
    cooldown.reset()
    return result
  } catch (cause) {
    const failure = withTimeoutReason(cause)
    if (!(failure instanceof ApiError)) throw failure
    if (REASONS[failure.reason].origin === 'endpoint') cooldown.begin()
    else if (hasResponse(failure)) cooldown.reset()
    throw failure
  }
}

/** The failure with the endpoint, unless nothing was sent to it. */
function withEndpoint(failure: unknown, { baseUrl }: Endpoint): unknown {
  if (!(failure instanceof ApiError)) return failure
  const isSent = REASONS[failure.reason].origin === 'endpoint' || hasResponse(failure)
  return isSent ? failure.with({ endpoint: new URL(baseUrl).host }) : failure
}

interface Endpoint {
  readonly baseUrl: string
  readonly cooldown: Cooldown
}

/** The endpoint with the shortest cooldown left, among those not yet tried if there are any. */
function nextEndpoint(endpoints: readonly Endpoint[], tried: ReadonlySet<Endpoint>): Endpoint {
  const left = endpoints.filter((endpoint) => !tried.has(endpoint))
  const candidates = left.length > 0 ? left : endpoints
  const [first] = candidates.toSorted((a, b) => a.cooldown.remainingMs() - b.cooldown.remainingMs())
  if (first === undefined) throw new RangeError('a system has at least one base URL')
  return first
}

/** Milliseconds to wait before the next attempt; infinite when there is none. */
function pauseBefore(
  count: number,
  failure: unknown,
  hasOther: boolean,
  { isIdempotent = true, maxAttempts = MAX_ATTEMPTS }: AttemptBounds,
): number {
  if (count >= maxAttempts) return Number.POSITIVE_INFINITY
  if (!(failure instanceof ApiError) || failure.body?.retryable === false) return Number.POSITIVE_INFINITY
  const { origin, retry, response } = REASONS[failure.reason]
  if (!isIdempotent && response === 'lost') return Number.POSITIVE_INFINITY
  if (origin === 'endpoint' && hasOther) return 0
  if (!retry) return Number.POSITIVE_INFINITY
  const growingMs = backoffMs(count, FIRST_PAUSE_MS) * (0.5 + Math.random() / 2)
  return Math.max(growingMs, failure.retryAfterMs ?? 0)
}
