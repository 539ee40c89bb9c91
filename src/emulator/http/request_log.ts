import type { Context, Middleware } from 'koa'
import { type Operation, operationOf } from '../protocol/operations.ts'
import { TOKEN_HEADER } from './app.ts'

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
export function createRequestLog(clock: () => number) {
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
