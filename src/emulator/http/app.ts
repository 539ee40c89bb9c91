import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import Koa, { type Context, type Next } from 'koa'
import { EmulatedError } from '../protocol/errors.ts'
import { CONTENT_TYPES, formatOf, writeDocument } from '../protocol/format.ts'
import { type AuthorizedRequest, type Route, type RouteResponse, routesOf } from './routes.ts'
import { checkRole, type Sessions, type User } from './sessions.ts'

export const TOKEN_HEADER = 'x-sds-auth-token'
const MAX_BODY_CHARACTERS = 1_000_000

/** What answers the requests whose path, token and role are valid. */
export interface Service {
  readonly sessions: Sessions
  readonly handle: (route: Route, request: AuthorizedRequest) => RouteResponse
  /** As on real systems: whether GET requests with an unknown or expired token are redirected to /login?service=…. */
  readonly redirectsToLogin: boolean
}

/** @param middleware runs before the routes and sets `now` (epoch seconds) and `settings` of `context.state` */
export function createApp(service: Service, middleware: readonly Koa.Middleware[]): Koa {
  const app = new Koa()
  // Errors that reach Koa are those of broken connections, which faults cause on purpose.
  app.silent = true
  for (const one of middleware) app.use(one)
  app.use(writeErrors)
  app.use(async (context) => {
    const route = findRoute(context)
    const parameters = route.parameters.map(decodeURIComponent)
    const caller = authenticate(context, service, route)
    if (caller === undefined) return
    const body = context.method === 'POST' ? await readBody(context.req) : ''
    const { now, settings } = context.state
    const query = new URLSearchParams(context.querystring)
    const { sessions } = service
    const request = { ...caller, sessions, context, query, parameters, body, now, settings }
    send(context, service.handle(route, request))
  })
  return app
}

/** @throws EmulatedError 400 for a malformed path, 404 for an unknown path, 405 for an unknown method */
function findRoute({ path, method }: Context): Route {
  try {
    decodeURIComponent(path)
  } catch {
    throw new EmulatedError('badParameter', `The path contains a malformed percent-encoding: ${path}`)
  }
  const routes = routesOf(path)
  const methodsOf = ({ row }: Route) => (row.method === 'GET' ? ['GET', 'HEAD'] : [row.method])
  const found = routes.find((route) => methodsOf(route).includes(method))
  if (found !== undefined) return found
  if (routes.length === 0) throw new EmulatedError('notFound', `There is nothing under ${path}`)
  const allowed = [...new Set(routes.flatMap(methodsOf))].sort().join(', ')
  throw new EmulatedError('wrongMethod', `${method} is not one of ${allowed}`, { Allow: allowed })
}

/** @throws EmulatedError 400 with code 1014 for a body that is too long */
async function readBody(request: IncomingMessage): Promise<string> {
  const body = await text(request)
  if (body.length > MAX_BODY_CHARACTERS)
    throw new EmulatedError('badRange', `The body exceeds ${MAX_BODY_CHARACTERS} characters`)
  return body
}

/** The user and token of the request; undefined when the response is a redirect to the login. */
function authenticate(
  context: Context,
  { sessions, redirectsToLogin }: Service,
  { row: { roles, refusal } }: Route,
): { user: User; token: string } | undefined {
  if (roles === 'public') return { user: 'monitor', token: '' }
  const token = context.get(TOKEN_HEADER)
  const user = token === '' ? undefined : sessions.userOf(token)
  if (user === undefined) {
    if (redirectsToLogin && context.method === 'GET') return redirectToLogin(context)
    const missing = `The request has no header ${TOKEN_HEADER.toUpperCase()}`
    throw new EmulatedError('unauthenticated', token === '' ? missing : 'The token is unknown or has expired')
  }
  checkRole(user, roles, refusal)
  return { user, token }
}

function redirectToLogin(context: Context): undefined {
  context.status = 302
  context.set('Location', `/login?service=${encodeURIComponent(context.originalUrl)}`)
  context.body = ''
}

function send(context: Context, response: RouteResponse): void {
  const { status = 200, headers = {} } = response
  context.status = status
  context.set(headers)
  if ('text' in response) {
    const { text, long, mediaType = CONTENT_TYPES.json } = response
    context.body = long ? Readable.from(withPauses(text)) : [...text].join('')
    context.set('Content-Type', mediaType)
  } else if ('root' in response) {
    const format = formatOf(context)
    context.body = writeDocument(response, format)
    context.set('Content-Type', CONTENT_TYPES[format])
  } else {
    context.body = ''
    context.remove('Content-Type')
  }
}

/** Yields to the event loop after each piece: a year of a large pool takes many seconds to compute. */
async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}

/** Writes an error as a body in the requested format. That of a login is always XML. */
async function writeErrors(context: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (cause) {
    const error = cause instanceof EmulatedError ? cause : new EmulatedError('failure', String(cause))
    const isLogin = context.path.startsWith('/login')
    const format = error.format ?? (isLogin ? 'xml' : formatOf(context))
    context.status = error.status
    context.set(error.headers)
    if (isLogin) context.set('WWW-Authenticate', 'basic realm="ViPR"')
    context.body = writeDocument({ root: 'error', members: error.members }, format)
    context.set('Content-Type', CONTENT_TYPES[format])
  }
}
