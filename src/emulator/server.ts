import type { Context, Middleware } from 'koa'
import { createFaults, faultMiddleware, type NamedPool } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/table.ts'
import { createApp, type Service, TOKEN_HEADER } from './http/app.ts'
import { createListener } from './listener.ts'
import type { resolveOptions } from './options.ts'
import { type Operation, operationOf } from './protocol/operations.ts'
import type { ExpiredToken } from './protocol/profiles.ts'

interface ServerOptions extends Service {
  readonly settings: ReturnType<typeof resolveOptions>
  readonly pools: readonly NamedPool[]
  readonly expiredToken: ExpiredToken
  /** Runs for requests that no fault answers. */
  readonly middleware?: (stopping: () => AbortSignal) => Middleware
}

/** A listener that answers as a storage system, with faults and a log. @throws RangeError for an invalid fault */
export function createSystemServer(options: ServerOptions) {
  const { settings, pools, sessions, expiredToken, middleware } = options
  const { clock } = settings
  const faults = createFaults(pools, () => Math.floor(clock() / 1_000), sessions.limitUses)
  const setFaults = (list: readonly (string | Fault)[]): void =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const recorder = createRequestLog(clock)
  const listener = createListener(settings.listenAddress, settings.tls)
  const app = createApp(options, expiredToken, [
    recorder.middleware,
    faultMiddleware(faults, clock, listener.stopping),
    ...(middleware === undefined ? [] : [middleware(listener.stopping)]),
  ])
  return {
    /** Base URL, such as `http://127.0.0.1:4443`; empty while it is not listening. */
    get url(): string {
      return listener.url()
    },
    /** The certificate created on start, in PEM; empty without `tls: true`. */
    get certificate(): string {
      return listener.certificate()
    },
    log: recorder.log,
    /** Number of valid tokens of a user that were created by logins. */
    liveSessions: sessions.live,
    /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
    setFaults,
    start: (): Promise<void> => listener.open(app.callback()),
    /** Also destroys the connections that are open. */
    stop: listener.close,
  }
}

/** A request as received, for tests. */
export type LoggedRequest = ReturnType<typeof loggedRequest>

function loggedRequest({ method, path, querystring: query, headers }: Context, time: number) {
  return {
    operation: operationOf(method, path, query),
    method,
    path,
    query,
    /** Not masked: it is valid only for an emulator. */
    token: headers[TOKEN_HEADER]?.toString() || undefined,
    headers,
    /** Milliseconds since the epoch, by the emulator's clock. */
    time,
    /** Status of the response; undefined before it exists. A fault may prevent its delivery. */
    status: undefined as number | undefined,
  }
}

/** Older requests are removed; the counts remain. */
const MAX_REQUESTS = 10_000

/** The log, and the middleware that records requests and sets `context.state.operation`. */
function createRequestLog(clock: () => number) {
  let requests: LoggedRequest[] = []
  let counts = new Map<Operation, number>()
  let logins = { granted: 0, refused: 0 }
  let running = 0
  let mostAtOnce = 0
  const log = {
    requests: (): readonly LoggedRequest[] => requests,
    /** Number of requests since the start or the last `clear`, of one operation or of all. */
    count: (operation?: Operation): number =>
      operation === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(operation) ?? 0),
    mostAtOnce: (): number => mostAtOnce,
    /** The tokens of the newest requests, valid or not. */
    tokens: (): ReadonlySet<string> => new Set(requests.flatMap(({ token }) => token ?? [])),
    logins: () => logins,
    clear: (): void => {
      requests = []
      counts = new Map()
      logins = { granted: 0, refused: 0 }
      mostAtOnce = running
    },
  }
  const middleware: Middleware = async (context, next) => {
    const request = loggedRequest(context, clock())
    const { operation } = request
    requests.push(request)
    if (requests.length > MAX_REQUESTS) requests.shift()
    counts.set(operation, (counts.get(operation) ?? 0) + 1)
    running++
    mostAtOnce = Math.max(mostAtOnce, running)
    context.state['operation'] = operation
    try {
      await next()
      request.status = context.status
      if (operation === 'login') logins[request.status === 200 ? 'granted' : 'refused']++
    } finally {
      running--
    }
  }
  return { log, middleware }
}
