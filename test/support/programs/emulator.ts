import type { Context, Middleware } from 'koa'
import { createEmulator as create } from '../../../src/emulator/emulator.ts'
import { TOKEN_HEADER } from '../../../src/emulator/http/app.ts'
import { type EmulatedOperation, operationOf } from '../../../src/emulator/http/routes.ts'
import type { EmulatorOptions } from '../../../src/emulator/options.ts'

export type Emulator = ReturnType<typeof createEmulator>

/** An emulator with a log of its requests. */
export function createEmulator(options: EmulatorOptions = {}) {
  const { log, middleware: record } = createRequestLog(options.clock ?? Date.now)
  const inner = options.middleware ?? ((_context, next) => next())
  const middleware: Middleware = (context, next) => record(context, () => inner(context, next))
  return Object.assign(create({ ...options, middleware }), { log })
}

/** A request as received. */
type LoggedRequest = ReturnType<typeof loggedRequest>

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

/** The log, and the middleware that records requests. */
function createRequestLog(clock: () => number) {
  let requests: LoggedRequest[] = []
  let counts = new Map<EmulatedOperation, number>()
  let logins = { granted: 0, refused: 0 }
  let running = 0
  let mostAtOnce = 0
  const log = {
    requests: (): readonly LoggedRequest[] => requests,
    /** Number of requests since the start or the last `clear`, of one operation or of all. */
    count: (operation?: EmulatedOperation): number =>
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
