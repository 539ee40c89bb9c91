import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'
import type { Fields, Log } from '../log.ts'
import { errorText } from '../values/errors.ts'
import { HttpError } from '../values/http_error.ts'
import { rawPath } from './auth/request_check.ts'

/** Errors of the client's own connection: it has left. */
const CLIENT_LEFT: readonly unknown[] = [
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]
/** Codes of the HTTP parser: the request was truncated, or was followed by data that is not HTTP. */
const NOT_HTTP = /^HPE_/

/** A client that left is no failure, and logged at level debug. @param fields without the failure */
function logFailure(log: Log, message: string, failure: unknown, fields: Fields = {}): void {
  const reason = errorText(failure)
  if (hasClientLeft(failure)) log.debug('client left', { ...fields, reason })
  else log.error(message, { ...fields, reason })
}

function hasClientLeft(failure: unknown): boolean {
  if (!(failure instanceof Error && 'code' in failure)) return false
  return CLIENT_LEFT.includes(failure.code) || NOT_HTTP.test(String(failure.code))
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
  logFailure(log, 'request failed', failure, { path: rawPath(request) })
  return internalError
}

interface Content {
  readonly type: string
  readonly text: string
}

/** Sends an error, or closes the connection if the response has already started. Default: as plain text. */
export function sendError(
  response: ServerResponse,
  { status, message, headers }: HttpError,
  { type, text }: Content = { type: 'text/plain; charset=utf-8', text: `${message}\n` },
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

/** @param send answers with what a handler has thrown */
export function createApp(log: Log, send: (context: Context, failure: unknown) => void): Koa {
  const app = new Koa()
  app.on('error', (failure: unknown) => logFailure(log, 'request failed', failure))
  app.use(async (context, next) => {
    try {
      await next()
    } catch (failure) {
      context.respond = false
      send(context, failure)
    }
  })
  return app
}

type Headers = Readonly<Record<string, string>>

/** Answers OPTIONS. @throws {HttpError} for every other method that a path does not have */
export function answerOtherMethod(
  context: Context,
  methods: readonly string[],
  error: (text: string, headers: Headers) => HttpError,
): void {
  const Allow = [...new Set([...methods, 'OPTIONS'])].sort().join(', ')
  if (context.method !== 'OPTIONS') throw error(`Supported methods: ${Allow}`, { Allow })
  context.status = 204
  context.set('Allow', Allow)
}

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
