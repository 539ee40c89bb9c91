import type { Middleware } from 'koa'
import { type Operation, operationOf } from '../protocol/operations.ts'
import { TOKEN_HEADER } from './app.ts'

/** A request as received, for tests. The token is not masked: it is valid only for an emulator. */
export interface LoggedRequest {
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly query: string
  readonly token: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly time: number
  /** Status of the response; undefined before it exists. A fault may prevent its delivery. */
  status: number | undefined
}

export type RequestLog = ReturnType<typeof createRequestLog>['log']

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
    /** The newest requests, oldest first. */
    requests: (): readonly LoggedRequest[] => requests,
    /** Number of requests since the start or the last `clear`, of one operation or of all. */
    count: (operation?: Operation): number =>
      operation === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(operation) ?? 0),
    /** Maximum number of concurrent requests. */
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
    const { method, path, querystring: query, headers } = context
    const operation = operationOf(method, path, query)
    const token = context.get(TOKEN_HEADER) || undefined
    const request: LoggedRequest = {
      operation,
      method,
      path,
      query,
      token,
      headers,
      time: clock(),
      status: undefined,
    }
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
