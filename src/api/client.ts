import type { ForecastConfig, LimitsConfig, SystemConfig } from '../config/config.ts'
import type { Secret } from '../config/secret.ts'
import type { Log } from '../log.ts'
import { createBudget } from './budget.ts'
import { withDeadline } from './deadline.ts'
import { createEndpoints } from './endpoints.ts'
import { ApiError, asApiError, type RequestPlace } from './errors.ts'
import { exchangeFailure } from './failures.ts'
import { decodeFeed, type FeedReading } from './feed.ts'
import { CURRENT_QUERY, forecastQuery, nodesPath } from './paths.ts'
import { POOL_LISTS, type PoolRef } from './pools.ts'
import type { Reason } from './reasons.ts'
import { parseJson, refusalOf } from './refusals.ts'
import { repeated } from './repeat.ts'
import { createSession, TOKEN_HEADER } from './session.ts'
import { type Answer, createTransport } from './transport.ts'

/** The operations that are counted and timed, by the name that metrics and errors use. */
export type Operation = 'nodes' | 'forecast' | 'pools' | 'providers' | 'login' | 'logout'

/** What a client tells about its work while it works. */
export interface ClientObserver {
  /** After each exchange. `code` is the HTTP status, or the reason why no whole answer came. */
  exchanged(exchange: { operation: Operation; code: string; seconds: number }): void
  /** After each operation that was sent: whether the system answered in the end, whatever the answer. */
  answered?(answered: boolean): void
  loggedIn(result: Reason | 'ok'): void
  /** The system's clock minus ours, in seconds. */
  clockSkew(seconds: number): void
  /** End of validity of the system's certificate, in seconds since the epoch. */
  certificate(notAfterSeconds: number): void
}

/** One storage system with the exporter's own session. Every method throws {@link ApiError} with the place. */
export interface SystemClient {
  /** The nodes of a pool as they are now. API document, "Get nodes of a storage pool". */
  nodes(poolId: string, signal: AbortSignal): Promise<FeedReading>
  /** The same nodes with nothing but their capacity forecasts. */
  forecasts(poolId: string, forecast: ForecastConfig, signal: AbortSignal): Promise<FeedReading>
  /** The pools that the system lists. */
  pools(signal: AbortSignal): Promise<readonly PoolRef[]>
  /** Any other reading request, for rooms that decode their answers themselves. */
  read(
    request: { operation: Operation; path: string; headers?: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<string>
  /** Logs out and closes all connections. */
  close(): Promise<void>
}

export interface ClientOptions {
  readonly system: SystemConfig
  readonly limits: LimitsConfig
  /** Bound of one operation, login and repetitions included, in milliseconds. */
  readonly timeoutMs: number
  readonly observer: ClientObserver
  readonly log: Log
}

interface Request {
  readonly operation: Operation
  readonly path: string
  readonly query?: string
  readonly pool?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly headersOnly?: boolean
}

const JSON_HEADERS = { Accept: 'application/json', 'Accept-Encoding': 'gzip' } as const

export function createClient({ system, limits, timeoutMs, observer, log }: ClientOptions): SystemClient {
  const transport = createTransport({
    tls: system.tls,
    timeoutMs,
    concurrency: limits.concurrency,
    maxResponseBytes: limits.maxResponseBytes,
    onCertificate: observer.certificate,
  })
  const budget = createBudget(limits)
  const endpoints = createEndpoints(system.baseUrls)
  const session = createSession({
    system: system.name,
    auth: system.auth,
    timeoutMs,
    log,
    onLogin: observer.loggedIn,
    requests: {
      login: (baseUrl, headers, signal) =>
        exchange({ operation: 'login', path: '/login', headers, headersOnly: true }, baseUrl, signal),
      // Any node ends a session, so a dead one must not keep it alive.
      logout: (token, signal) =>
        endpoints.attempt((baseUrl) =>
          exchange(withToken({ operation: 'logout', path: '/logout' }, token), baseUrl, signal),
        ),
    },
  })

  /** One request and its answer, paced, timed and counted. */
  async function exchange(request: Request, baseUrl: string, signal: AbortSignal): Promise<Answer> {
    const { operation, headersOnly = false } = request
    // A logout does not queue: it comes at the end, when seconds are all that is left.
    if (operation !== 'logout') await budget.pace(signal)
    const began = performance.now()
    const finish = (code: string) =>
      observer.exchanged({ operation, code, seconds: (performance.now() - began) / 1000 })
    const path = request.query === undefined ? request.path : `${request.path}?${request.query}`
    const headers = { ...JSON_HEADERS, ...request.headers }
    try {
      const answer = await transport.send({ baseUrl, method: 'GET', path, headers, signal, headersOnly })
      finish(String(answer.status))
      reportClock(answer, observer)
      return answer
    } catch (failure) {
      if (failure instanceof ApiError) finish(failure.reason)
      throw failure
    }
  }

  /** One request with the session's token; a refused token is replaced once. */
  async function authorised(request: Request, baseUrl: string, signal: AbortSignal): Promise<Answer> {
    const token = await session.token(baseUrl, signal)
    try {
      return await withSession(request, token, baseUrl, signal)
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.reason !== 'auth') throw failure
      const newer = await session.renew(token, baseUrl, signal)
      if (newer === undefined) throw failure
      return await withNewToken(request, newer, baseUrl, signal)
    }
  }

  async function withNewToken(...request: Parameters<typeof withSession>): Promise<Answer> {
    try {
      const answer = await withSession(...request)
      session.renewed(true)
      return answer
    } catch (failure) {
      if (failure instanceof ApiError && failure.reason === 'auth') session.renewed(false)
      throw failure
    }
  }

  async function withSession(
    request: Request,
    token: Secret,
    baseUrl: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const answer = await exchange(withToken(request, token), baseUrl, signal)
    const refusal = refusalOf(answer)
    if (refusal !== undefined) throw refusal
    return answer
  }

  /**
   * A reading request: budget, fail-over, repetition. The time allowed begins when it is its turn, so that a pool
   * that does not answer takes nothing from those that wait for it.
   */
  async function read<T>(
    request: Request,
    stop: AbortSignal,
    decode: (answer: Answer, baseUrl: string) => T,
  ): Promise<T> {
    try {
      const result = await budget.withPlace(stop, () => attempts(request, stop, decode))
      observer.answered?.(true)
      return result
    } catch (cause) {
      if (stop.aborted) throw cause
      const failure = asApiError(cause, placeOf(system.name, request))
      if (failure.status !== undefined || WITH_ANSWER.includes(failure.reason)) observer.answered?.(true)
      else if (WITHOUT_ANSWER.includes(failure.reason)) observer.answered?.(false)
      throw failure
    }
  }

  /** As often as makes sense, at as many nodes as there are, within the time of one operation. */
  function attempts<T>(
    request: Request,
    stop: AbortSignal,
    decode: (answer: Answer, baseUrl: string) => T,
  ): Promise<T> {
    return withDeadline(stop, timeoutMs, async (signal) => {
      const deadline = performance.now() + timeoutMs
      const attempt = () =>
        endpoints.attempt(async (baseUrl) => decode(await authorised(request, baseUrl, signal), baseUrl))
      try {
        return await repeated(attempt, { signal, deadline })
      } catch (failure) {
        throw signal.aborted && !(failure instanceof ApiError) ? exchangeFailure(signal.reason) : failure
      }
    })
  }

  async function readFeed(
    operation: Operation,
    pool: string,
    query: string,
    signal: AbortSignal,
  ): Promise<FeedReading> {
    const request = { operation, pool, path: poolPath(system.name, operation, pool), query }
    return read(request, signal, ({ text }) => decodeFeed(parseJson(text)))
  }

  return {
    nodes: (poolId, signal) => readFeed('nodes', poolId, CURRENT_QUERY, signal),
    forecasts: (poolId, forecast, signal) => readFeed('forecast', poolId, forecastQuery(forecast), signal),
    async pools(signal) {
      const [first, second] = POOL_LISTS
      const list = ({ path, decode }: (typeof POOL_LISTS)[number]) =>
        read({ operation: 'pools', path }, signal, ({ text }, baseUrl) => decode(parseJson(text), baseUrl))
      try {
        return await list(first)
      } catch (failure) {
        // Older and newer systems know only one of the two lists.
        if (failure instanceof ApiError && NO_SUCH_LIST.includes(failure.reason)) return await list(second)
        throw failure
      }
    },
    read: (request, signal) => read(request, signal, ({ text }) => text),
    async close() {
      await session.close()
      await transport.close()
    },
  }
}

/** The system did answer, though not with anything of use. */
const WITH_ANSWER: readonly Reason[] = ['too_large', 'encoding', 'html', 'syntax', 'schema']
/** Nothing came. Other failures, such as a login that waits for its turn, say nothing of the system. */
const WITHOUT_ANSWER: readonly Reason[] = ['timeout', 'connect', 'dns', 'tls', 'reset']
const NO_SUCH_LIST: readonly Reason[] = ['not_found', 'client_error', 'schema']

/** The path of a pool's feed. @throws {ApiError} with the place, for an id that fits into no path */
function poolPath(system: string, operation: Operation, pool: string): string {
  try {
    return nodesPath(pool)
  } catch (failure) {
    throw asApiError(failure, { system, operation, pool, path: '/dashboard/storagepools/…/nodes' })
  }
}

function withToken(request: Request, token: Secret): Request {
  return { ...request, headers: { ...request.headers, [TOKEN_HEADER]: token.reveal() } }
}

function placeOf(system: string, { operation, path, pool }: Request): RequestPlace {
  return { system, operation, path, ...(pool !== undefined && { pool }) }
}

/** The Date header has whole seconds, cut off: in the mean it is half a second behind the clock that wrote it. */
const DATE_CUT_MS = 500

function reportClock(answer: Answer, observer: ClientObserver): void {
  const theirs = Date.parse(answer.header('date') ?? '') + DATE_CUT_MS
  if (Number.isFinite(theirs)) observer.clockSkew(Math.round((theirs - Date.now()) / 1000))
}
