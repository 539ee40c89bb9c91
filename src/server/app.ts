import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'
import type { Fields, Log } from '../log.ts'
import { errorText } from '../values/errors.ts'
import { HttpError } from '../values/http_error.ts'
import { rawPath } from './auth/request_check.ts'
import { PAGE_HEADERS } from './page/document.ts'
import { findPath, methodsOf, type PathRow } from './paths.ts'

/** Errors of the client's own connection: it has left. `HPE_…`: the request was truncated, or data that is not HTTP followed. */
const CLIENT_LEFT =
  /^(ECANCELED|ECONNABORTED|ECONNRESET|EPIPE|ERR_STREAM_DESTROYED|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/

/** A client that left is no failure, and logged at level debug. */
function logFailure(log: Log, failure: unknown, fields: Fields = {}): void {
  const reason = errorText(failure)
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : ''
  if (CLIENT_LEFT.test(code)) log.debug('client left', { ...fields, reason })
  else log.error('request failed', { ...fields, reason })
}

const INTERNAL_ERROR = new HttpError(500, 'internal server error')

/** The error of a failed request; a failure that is not meant for the client is logged. */
export function errorOf(
  failure: unknown,
  request: IncomingMessage,
  log: Log,
  internalError = INTERNAL_ERROR,
): HttpError {
  if (failure instanceof HttpError) return failure
  logFailure(log, failure, { path: rawPath(request) })
  return internalError
}

/** Sends an error, or closes the connection if the response has already started. Default: as plain text. */
export function sendError(
  response: ServerResponse,
  { status, message, headers }: HttpError,
  { type, text } = { type: 'text/plain; charset=utf-8', text: `${message}\n` },
): void {
  if (response.destroyed) return
  if (response.headersSent) {
    // Not response.destroy(): a reset would also discard what was sent before the failure.
    response.socket?.destroy()
    return
  }
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), ...headers })
  response.end(text)
}

type Headers = Readonly<Record<string, string>>

export type Handler = (context: Context) => unknown

interface AppOptions {
  readonly paths: Readonly<Record<string, { readonly row: PathRow; readonly handle: Handler }>>
  /** Headers of every response, errors included. */
  readonly headers?: Headers
  /** Checks a request whose path is not open. @param row undefined if nothing is served there @throws {HttpError} */
  readonly guard: (context: Context, row: PathRow | undefined) => unknown
  readonly unknownPath: HttpError
  readonly wrongMethod: (text: string, headers: Headers) => HttpError
  /** Answers with what was thrown. */
  readonly send: (context: Context, failure: unknown) => void
  readonly log: Log
}

/** The application of a listener. It answers OPTIONS, and sets the headers of the content that a path has. */
export function createApp(options: AppOptions): RequestListener {
  const { paths, headers = {}, guard, unknownPath, wrongMethod, send, log } = options
  const serve = async (context: Context) => {
    context.set(headers)
    const { path } = findPath(paths, rawPath(context.req)) ?? {}
    if (path?.row.isOpen !== true) await guard(context, path?.row)
    if (path === undefined) throw unknownPath
    const methods = methodsOf(path.row)
    if (methods.includes(context.method)) {
      context.set(CONTENT_HEADERS[path.row.content])
      await path.handle(context)
      return
    }
    const Allow = [...methods, 'OPTIONS'].sort().join(', ')
    if (context.method !== 'OPTIONS') throw wrongMethod(`Supported methods: ${Allow}`, { Allow })
    context.status = 204
    context.set('Allow', Allow)
  }
  const app = new Koa()
  app.on('error', (failure: unknown) => logFailure(log, failure))
  app.use(async (context) => {
    try {
      await serve(context)
    } catch (failure) {
      context.respond = false
      send(context, failure)
    }
  })
  return app.callback()
}

export function withHandlers<Name extends string>(
  table: Readonly<Record<Name, PathRow>>,
  handlers: Readonly<Record<Name, Handler>>,
) {
  const names = Object.keys(table) as Name[]
  const paths = names.map((name) => [name, { row: table[name], handle: handlers[name] }])
  return Object.fromEntries(paths) as Record<Name, AppOptions['paths'][string]>
}

const CONTENT_HEADERS = {
  // Set with the format that the client accepts.
  metrics: {},
  'API format': {},
  text: { 'Content-Type': 'text/plain; charset=utf-8' },
  json: { ...PAGE_HEADERS, 'Content-Type': 'application/json; charset=utf-8' },
  page: { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8' },
} as const satisfies Record<PathRow['content'], Headers>

const NOT_READY = new HttpError(503, 'Not every system has been polled yet.')

/** The handlers of the paths that every listener has. */
export function healthHandlers(ready: () => boolean) {
  return {
    '/-/healthy': (context: Context): void => {
      context.body = 'sds-exporter is healthy.\n'
    },
    '/-/ready': (context: Context): void => {
      if (!ready()) throw NOT_READY
      context.body = 'sds-exporter is ready.\n'
    },
  }
}
