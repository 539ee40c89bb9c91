import type { FeedBandwidthUnit } from '../catalogue.ts'
import type { SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import { QUERY_PATH } from '../query_catalogue.ts'
import { decodeFeed, type FeedReading, type ForecastRequest, forecastQuery, nodesPath } from './feed/feed.ts'
import { decodeHistory, type HistoryReading, type Period } from './history/history.ts'
import { type ClientObserver, createAttempts, createExchanges } from './http/exchanges.ts'
import { type HttpLimits, respondedAt } from './http/transport.ts'
import { parseJson } from './parse/json.ts'
import { parseBody } from './parse/xml.ts'
import { type Account, decodeAccount, WHOAMI_REQUEST } from './providers/providers.ts'
import { decodeAnswer, type QueryAnswer } from './query/answers/answer.ts'
import { queryRefusalOf } from './query/answers/refusals.ts'
import { type Dialect, type Query, queryText, requiredTags } from './query/requests/queries.ts'
import { createBreaker } from './request/breaker.ts'
import { createLimits, createOperate, createRetryAfter, type Operate } from './request/operation.ts'
import { createDataPorts } from './resources/data_nodes.ts'
import { createPoolList } from './resources/pool_list.ts'
import type { SendResource } from './resources/requests.ts'
import { createAuthorised, createSession } from './session/session.ts'

export type { ClientObserver, ReceivedExchange, RequestOperation } from './http/exchanges.ts'

export interface ClientOptions {
  readonly system: SystemConfig
  readonly observer: ClientObserver
  readonly log: Log
  readonly httpLimits?: HttpLimits
}

/** One storage system with the exporter's own session. Every method throws {@link ApiError}. */
export type SystemClient = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const { system, observer } = options
  const { timeoutMs } = system.poll
  const limits = createLimits(system.limits)
  const attempts = createAttempts(system.baseUrls)
  const { tls, limits: bounds } = system
  const ofExchanges = { ...options, tls, limits: bounds, timeoutMs, isOwn: true, pace: limits.pace }
  const { exchange, close } = createExchanges(ofExchanges)
  const session = createSession({ ...options, exchange, attempts })
  const breaker = createBreaker({
    // More than can fail together for one cause, such as a connection that broke.
    failuresToOpen: bounds.concurrency + 1,
    onResponded: (responded) => observer.responded?.(responded),
  })
  const read = createOperate({
    system: system.name,
    timeoutMs,
    limits,
    breaker,
    retryAfter: createRetryAfter(),
    attempts,
    exchange: createAuthorised(exchange, session),
  })
  const resource = createSendResource(read)
  const bandwidthUnit = system.performance.feedBandwidthUnit
  const readFeed = createReadFeed(read, system)

  return {
    /** The nodes of a pool as they are now. API document, "Get nodes of a storage pool". */
    nodes: (poolId: string, signal: AbortSignal): Promise<FeedReading> =>
      readFeed('nodes', poolId, 'dataType=current', signal),
    /** The same nodes with nothing but their capacity forecasts of one time frame. */
    forecasts: (poolId: string, request: ForecastRequest, signal: AbortSignal): Promise<FeedReading> =>
      readFeed('forecast', poolId, forecastQuery(request), signal),
    history: createHistoryReader(read, bandwidthUnit),
    pools: createPoolList(resource),
    resource,
    openDataPorts: createDataPorts(options),
    query: createQuery(read),
    /** The account of the session. Systems may not support this request. */
    account: (signal: AbortSignal): Promise<Account> => read(WHOAMI_REQUEST, signal, decodeAccount),
    status: () => ({
      session: session.state(),
      /** Operations that run, and those that wait for `limits.concurrency`. */
      operations: limits.usage(),
      /** Milliseconds for which nothing is sent, because the system keeps failing. */
      pauseMs: breaker.pauseMs(),
      endpoints: attempts.endpoints(),
    }),
    async close(): Promise<void> {
      await session.close()
      await close()
    },
  }
}

function createReadFeed(read: Operate, { performance }: SystemConfig) {
  return async (operation: 'nodes' | 'forecast', pool: string, query: string, signal: AbortSignal) =>
    read({ operation, pool, path: nodesPath(pool), query }, signal, (text) =>
      decodeFeed(parseJson(text), performance.feedBandwidthUnit),
    )
}

function createHistoryReader(read: Operate, bandwidthUnit: FeedBandwidthUnit) {
  /** The past of a pool. `requested` is what is sent, by default the period itself; points outside of the period are dropped. */
  return async (
    poolId: string,
    period: Period,
    signal: AbortSignal,
    requested: Period = period,
  ): Promise<HistoryReading> => {
    const { start, end, interval } = requested
    const query = `dataType=historical&startTime=${start}&endTime=${end}&interval=${interval}`
    const request = { operation: 'history', pool: poolId, path: nodesPath(poolId), query } as const
    return read(request, signal, (text, _baseUrl, response) =>
      decodeHistory(parseJson(text), { period, bandwidthUnit, respondedAt: respondedAt(response) }),
    )
  }
}

function createSendResource(read: Operate): SendResource {
  return (request, decode, signal) =>
    read(request, signal, (text, baseUrl, response) =>
      decode(parseBody(text), { baseUrl, now: respondedAt(response) }),
    )
}

function createQuery(read: Operate) {
  return (query: Query, dialect: Dialect, signal: AbortSignal): Promise<QueryAnswer> => {
    const body = JSON.stringify({ query: queryText(query, dialect) })
    const operation = query.resource ?? 'query'
    const request = { operation, path: QUERY_PATH, body, refusalOf: queryRefusalOf } as const
    const { name, resource, parts } = query
    const isOfSystem = resource !== undefined
    const options = { name, tags: requiredTags(query), isOfSystem, isCombined: parts.length > 0 }
    return read(request, signal, (text) => decodeAnswer(parseJson(text), options))
  }
}
