import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Router, type RouterContext } from '@koa/router'
import Koa, { type Context, type Next } from 'koa'
import { ApiError, type ApiErrorName, bodyOf, QueryError } from '../protocol/errors.ts'
import { CONTENT_TYPES, flatDocument, formatOf, writeDocument } from '../protocol/format.ts'
import type { ExpiredToken } from '../protocol/profiles.ts'
import { ACCOUNTS, type Role, type User } from './accounts.ts'
import { type AuthorizedRequest, ROUTES, type RouteResponse, type System } from './routes.ts'

export const TOKEN_HEADER = 'x-sds-auth-token'
const MAX_BODY_BYTES = 65_536

export interface AppOptions {
  readonly system: System
  readonly expiredToken: ExpiredToken
  /** Runs before the routes. One of them sets `context.state.now`, in epoch seconds. */
  readonly middleware: readonly Koa.Middleware[]
}

/** The HTTP interface of the storage system. */
export function createApp({ system, expiredToken, middleware }: AppOptions): Koa {
  const app = new Koa()
  // Errors that reach Koa are those of broken connections, which faults cause on purpose.
  app.silent = true
  for (const one of middleware) app.use(one)
  app.use(writeErrors)
  app.use(refuseMalformedPath)
  app.use(createRouter(system, expiredToken).routes())
  app.use(refuseUnknown)
  return app
}

/** Paths with `.json` are registered first: otherwise the parameter `:id` would include the suffix. */
function createRouter(system: System, expiredToken: ExpiredToken): Router {
  const router = new Router()
  for (const suffix of ['.json', '']) {
    for (const route of ROUTES) {
      router.register(`${route.path}${suffix}`, [route.method], async (context: RouterContext) => {
        const access = { roles: route.roles, refusal: route.refusal ?? 'forbidden', expiredToken }
        const caller = authenticate(context, system, access)
        if (caller === undefined) return
        const body = route.method === 'POST' ? await readBody(context.req) : ''
        send(context, route.handle(system, requestOf(context, caller, body)))
      })
    }
  }
  return router
}

function requestOf(
  context: RouterContext,
  caller: Pick<AuthorizedRequest, 'user' | 'token'>,
  body: string,
): AuthorizedRequest {
  return {
    ...caller,
    body,
    id: context.params['id'] ?? '',
    path: context.path,
    query: context.querystring,
    authorization: context.get('authorization') || undefined,
    contentType: context.get('content-type'),
    accept: context.get('accept'),
    accepts: (...types) => context.accepts(types) as string | false,
    address: context.socket.remoteAddress ?? '',
    now: Number(context.state['now']),
    querySettings: context.state['querySettings'],
    historySettings: context.state['historySettings'],
  }
}

/** @throws ApiError 400 with code 1014 for a body that is too long */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new ApiError('badRange', `The body exceeds ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

interface Access {
  readonly roles: readonly Role[] | 'public'
  readonly refusal: ApiErrorName
  readonly expiredToken: ExpiredToken
}

/** The user and token of the request; undefined when the response is a redirect to the login. */
function authenticate(
  context: Context,
  { sessions }: System,
  { roles, refusal, expiredToken }: Access,
): { user: User; token: string } | undefined {
  if (roles === 'public') return { user: 'monitor', token: '' }
  const token = context.get(TOKEN_HEADER)
  const user = token === '' ? undefined : sessions.userOf(token)
  if (user === undefined) {
    if (expiredToken === '200') return sendLoginPage(context)
    if (expiredToken === '302' && context.method === 'GET') return redirectToLogin(context)
    const missing = `The request has no header ${TOKEN_HEADER.toUpperCase()}`
    throw new ApiError('unauthenticated', token === '' ? missing : 'The token is unknown or has expired')
  }
  if (!roles.includes(ACCOUNTS[user].role)) {
    const details = `Insufficient permissions for user ${user}. It needs ${roles.join(' or ')}.`
    // Real systems send no details with this code.
    throw new ApiError(refusal, refusal === 'noPermission' ? '' : details)
  }
  return { user, token }
}

function sendLoginPage(context: Context): undefined {
  context.type = 'text/html'
  context.body = '<!DOCTYPE html><html><title>Login</title><form></form></html>'
}

function redirectToLogin(context: Context): undefined {
  context.status = 302
  context.set('Location', `/login?service=${encodeURIComponent(context.originalUrl)}`)
  context.body = ''
}

function send(context: Context, { headers = {}, body }: RouteResponse): void {
  context.status = 200
  context.set(headers)
  if (body === undefined) {
    context.body = ''
    context.remove('Content-Type')
  } else if ('text' in body) {
    context.body = body.long ? Readable.from(withPauses(body.text)) : [...body.text].join('')
    context.set('Content-Type', body.mediaType ?? CONTENT_TYPES.json)
  } else {
    const format = formatOf(context.path, (...types) => context.accepts(types))
    context.body = writeDocument(body, format)
    context.set('Content-Type', CONTENT_TYPES[format])
  }
}

/** Yields to the event loop after each piece: a year of a large pool takes many seconds to compute. */
async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}

/** Writes an error as a body in the requested format. */
async function writeErrors(context: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (cause) {
    if (cause instanceof QueryError) return writeQueryError(context, cause)
    const error = cause instanceof ApiError ? cause : new ApiError('failure', String(cause))
    // The error body of a login is always XML.
    const format = context.path.startsWith('/login')
      ? 'xml'
      : formatOf(context.path, (...types) => context.accepts(types))
    context.status = error.row.status
    context.set(error.headers)
    if (context.path.startsWith('/login')) context.set('WWW-Authenticate', 'basic realm="ViPR"')
    context.body = writeDocument(flatDocument('error', { ...bodyOf(error) }), format)
    context.set('Content-Type', CONTENT_TYPES[format])
  }
}

/** The query service has error bodies of its own, in JSON only. */
function writeQueryError(context: Context, { status, message }: QueryError): void {
  context.status = status
  context.body = JSON.stringify({ error: message })
  context.set('Content-Type', CONTENT_TYPES.json)
}

async function refuseMalformedPath(context: Context, next: Next): Promise<void> {
  try {
    decodeURIComponent(context.path)
  } catch {
    throw new ApiError('badParameter', `The path contains a malformed percent-encoding: ${context.path}`)
  }
  await next()
}

function refuseUnknown(context: Context): void {
  // A matched path that was not served does not have the method.
  const matched: readonly { methods: readonly string[] }[] = context['matched'] ?? []
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].sort()
  if (allowed.length === 0) throw new ApiError('notFound', `There is nothing under ${context.path}`)
  throw new ApiError('wrongMethod', `${context.method} is not one of ${allowed.join(', ')}`, {
    Allow: allowed.join(', '),
  })
}
