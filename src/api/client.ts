import type { ForecastConfig, LimitsConfig, SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import { asApiError } from './errors/errors.ts'
import { CURRENT_QUERY, forecastQuery, nodesPath } from './errors/paths.ts'
import type { Reason } from './errors/reasons.ts'
import { decodeFeed, type FeedReading } from './feed/feed.ts'
import { createPoolList } from './feed/pool_list.ts'
import type { PoolRef } from './feed/pools.ts'
import { refusalOf } from './http/refusals.ts'
import { parseJson } from './parse/json.ts'
import { createAuthorised } from './request/authorised.ts'
import { createBudget } from './request/budget.ts'
import { createEndpoints, type Endpoints } from './request/endpoints.ts'
import {
  type ClientObserver,
  createExchanges,
  type Exchange,
  type Operation,
  withToken,
} from './request/exchanges.ts'
import { createReachability } from './request/reachability.ts'
import { createReader } from './request/reader.ts'
import { createSession } from './session/create_session.ts'
import type { Session } from './session/session.ts'
import { LOGOUT_TIMEOUT_MS } from './session/token_returns.ts'

export type { ClientObserver, Operation } from './request/exchanges.ts'

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

const DEAD_ALREADY: readonly Reason[] = ['auth', 'forbidden']

/** What a login may take of the time of an operation: of several nodes, the second one needs time for its own. */
const LOGIN_SHARES = { only: 0.8, several: 0.3 } as const

export function createClient(options: ClientOptions): SystemClient {
  const { system, limits, timeoutMs, observer } = options
  const budget = createBudget(limits)
  const endpoints = createEndpoints(system.baseUrls)
  const { exchange, close } = createExchanges({ system, limits, timeoutMs, observer, budget })
  const session = openSession(options, exchange, endpoints)
  const read = createReader({
    system: system.name,
    timeoutMs,
    budget,
    endpoints,
    exchange: createAuthorised(exchange, session),
    reachability: createReachability((answered) => observer.answered?.(answered)),
  })

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
    pools: createPoolList(({ path, decode }, signal) =>
      read({ operation: 'pools', path }, signal, ({ text }, baseUrl) => decode(parseJson(text), baseUrl)),
    ),
    read: (request, signal) => read(request, signal, ({ text }) => text),
    async close() {
      await session.close()
      await close()
    },
  }
}

/** The session of the exporter, whose logins and logouts are exchanges like any other. */
function openSession(
  { system, timeoutMs, observer, log }: ClientOptions,
  exchange: Exchange,
  endpoints: Endpoints,
): Session {
  return createSession({
    system: system.name,
    auth: system.auth,
    // Less than a node's share of an operation: a login that hangs must be over when the next node is asked.
    timeoutMs: timeoutMs * (system.baseUrls.length === 1 ? LOGIN_SHARES.only : LOGIN_SHARES.several),
    log,
    onLogin: observer.loggedIn,
    requests: {
      login: (baseUrl, headers, signal) =>
        exchange({ operation: 'login', path: '/login', headers, headersOnly: true }, baseUrl, signal),
      // Any node ends a session, so a dead one must not keep it alive.
      logout: (token, signal) =>
        endpoints.attempt(
          async (baseUrl, ofNode) => {
            const logout = withToken({ operation: 'logout', path: '/logout' }, token)
            const answer = await exchange(logout, baseUrl, ofNode)
            const refusal = answer.status < 300 ? undefined : refusalOf(answer)
            // That the token was dead already is an answer, too, which some systems give as a missing role.
            if (refusal !== undefined && !DEAD_ALREADY.includes(refusal.reason)) throw refusal
          },
          { signal, deadline: performance.now() + LOGOUT_TIMEOUT_MS },
        ),
    },
  })
}

/** The path of a pool's feed. @throws {ApiError} with the place, for an id that fits into no path */
function poolPath(system: string, operation: Operation, pool: string): string {
  try {
    return nodesPath(pool)
  } catch (failure) {
    throw asApiError(failure, { system, operation, pool, path: '/dashboard/storagepools/…/nodes' })
  }
}
