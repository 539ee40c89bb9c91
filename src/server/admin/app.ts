import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import type { Context } from 'koa'
import type { Audit } from '../../administration/audit.ts'
import { deleteProvider } from '../../administration/deletion.ts'
import {
  CONTENT_TYPES,
  type DocumentFormat,
  writeError,
  writeProviders,
} from '../../administration/documents.ts'
import {
  fromApiError,
  outcomeOf,
  refused,
  statusOf,
  TOO_MANY_STATUS,
  UNKNOWN_OUTCOME_CODE,
} from '../../administration/errors.ts'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { TOKEN_HEADER } from '../../api/http/credentials.ts'
import { readUpTo } from '../../api/http/transport.ts'
import { parseObject } from '../../api/parse/json.ts'
import { providerPath } from '../../api/providers/providers.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE } from '../../text.ts'
import { passwordFromText, Secret, tokenFromText } from '../../values/secret.ts'
import { createApp, errorOf, type Handler, healthHandlers, sendError, withHandlers } from '../app.ts'
import {
  clientAddress,
  hasExpectedHost,
  isCrossSite,
  type OriginRules,
  rawPath,
} from '../auth/request_check.ts'
import { createDocument, PAGE_HEADERS } from '../page/document.ts'
import { html, trusted } from '../page/html.ts'
import { listenerLink } from '../page/listener_link.ts'
import { ADMIN_PATHS, findPath, type PathRow } from '../paths.ts'
import { goneSignal } from '../response_slots.ts'
import { createRateLimits, type RateLimits } from './rate_limits.ts'
import type { AdminSystems } from './systems.ts'

export interface AdminAppOptions extends Omit<SystemRoutes, 'rateLimits'> {
  readonly origin: OriginRules
  readonly ready: () => boolean
  /** The status page; undefined if its address is not known. */
  readonly statusUrl: () => string | undefined
  readonly log: Log
  readonly rateLimits?: RateLimits
}

/** The application for provider administration: page, login, list and deletion, with the token of the caller. */
export function createAdminApp(options: AdminAppOptions): RequestListener {
  const { origin, log, ready, statusUrl } = options
  const routes = { rateLimits: createRateLimits(), ...options }
  return createApp({
    paths: withHandlers(ADMIN_PATHS, { ...createHandlers(routes, statusUrl), ...healthHandlers(ready) }),
    headers: RESPONSE_HEADERS,
    guard: async ({ req, state }) => {
      routes.rateLimits.admit(clientAddress(req.socket))
      // Koa ends the path at a fragment or an invalid character, which would shorten the id of a provider.
      if (!/^[!"$-[\]-~]+$/.test(req.url ?? ''))
        throw refused('badRequest', 'The path has characters that must be percent-encoded')
      // Protects against DNS rebinding and against cross-site requests.
      if (!hasExpectedHost(req, origin))
        throw refused('foreignHost', 'To allow this name, start the exporter with --admin.allowed-hosts=NAME')
      if (isCrossSite(req, origin))
        throw refused('foreignOrigin', 'Browsers may send this request only from the page of this exporter')
      state['body'] = await readRequestBody(req)
    },
    unknownPath: refused('unknownPath', 'The page is at GET /, the list of systems at GET /systems'),
    wrongMethod: (text, headers) => refused('wrongMethod', text, headers),
    send: (context, failure) => {
      if (isUnauditedDeletion(context))
        routes.audit.countRefusal({ address: clientAddress(context.req.socket), status: statusOf(failure) })
      answer(context, failure, log)
    },
    log,
  })
}

/** For every response, errors included. */
const RESPONSE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Only the login has a body, and it is short. */
const MAX_BODY_BYTES = 4096

/** @throws {HttpError} 413 if the body is longer than 4096 bytes; the connection is then closed */
async function readRequestBody(request: Context['req']): Promise<Buffer> {
  const tooLarge = () => refused('tooLarge', `The limit is ${MAX_BODY_BYTES} bytes`, { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  // The error is sent on the same connection.
  const { bytes, whole } = await readUpTo(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES)
  if (!whole) throw tooLarge()
  return bytes
}

/** In the format of the storage system. */
function answer(context: Context, failure: unknown, log: Log): void {
  const known = failure instanceof ApiError ? fromApiError(failure) : failure
  const error = errorOf(known, context.req, log, refused('failed', 'See the log of the exporter'))
  const format = formatOf(context)
  // Errors of health have no body of the API.
  const content = error.body && { type: CONTENT_TYPES[format], text: writeError(error.body, format) }
  sendError(context.res, error, content)
}

function createHandlers(routes: SystemRoutes, statusUrl: AdminAppOptions['statusUrl']) {
  const list: Handler = (context) => serveList(context, routes)
  const deletion: Handler = (context) => serveDelete(context, routes)
  return {
    '/': createPage(statusUrl),
    '/systems': (context: Context) => {
      context.body = JSON.stringify({ systems: routes.systems.names() })
    },
    '/systems/:system/login': (context: Context) => serveLogin(context, routes),
    '/systems/:system/logout': (context: Context) => serveLogout(context, routes),
    '/systems/:system/account': (context: Context) => serveAccount(context, routes),
    '/systems/:system/vdc/admin/authnproviders': list,
    '/systems/:system/vdc/admin/authnproviders.json': list,
    '/systems/:system/vdc/admin/authnproviders/:id': deletion,
    '/vdc/admin/authnproviders': list,
    '/vdc/admin/authnproviders.json': list,
    '/vdc/admin/authnproviders/:id': deletion,
  }
}

const pageFile = (name: string) => new URL(`page/${name}`, import.meta.url)

function createPage(statusUrl: AdminAppOptions['statusUrl']): Handler {
  const document = createDocument({ script: pageFile('script.js') })
  const content = trusted(readFileSync(pageFile('page.html'), 'utf8').trim())
  return (context) => {
    const url = statusUrl()
    const status = url === undefined ? 'sds-exporter' : listenerLink(context, url, 'Status page')
    context.set(document.headers)
    context.body = document.render({
      title: 'Authentication providers – sds-exporter',
      attributes: html` data-unknown-outcome-code="${UNKNOWN_OUTCOME_CODE}" data-invisible="${trusted(INVISIBLE)}"`,
      body: html`<main>\n<nav class="quiet" aria-label="Breadcrumb">${status} / Administration</nav>\n${content}\n</main>`,
    })
  }
}

interface SystemRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** API document, "List providers". */
async function serveList(context: Context, routes: SystemRoutes): Promise<void> {
  const format = formatOf(context)
  const offered = format === 'json' ? ['application/json'] : ['application/xml', 'text/xml']
  if (context.accepts(offered) === false) {
    throw refused(
      'notAcceptable',
      'The list is served as application/xml, and as application/json if the path ends in .json',
    )
  }
  const signal = goneSignal(context.res)
  const providers = await withToken(context, routes, (client, token) => client.providers(token, signal))
  context.body = writeProviders(providers, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** API document, "Delete provider". */
async function serveDelete(context: Context, { systems, rateLimits, audit }: SystemRoutes): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  const id = providerId(context)
  const address = clientAddress(context.req.socket)
  const signal = goneSignal(context.res)
  await rateLimits.withToken(address, name, () => {
    context.state[AUDITED] = true
    return deleteProvider({ client, system: name, token, id, address, signal }, audit)
  })
  context.status = 200
  context.body = ''
  context.set('Content-Type', CONTENT_TYPES[formatOf(context)])
}

/** The id, decoded once and otherwise opaque. @throws {HttpError} 400 if it cannot be one path segment */
function providerId(context: Context): string {
  const id = decoded(pathOf(context)?.parameters['id']?.replace(/\.json$/, '') ?? '')
  try {
    providerPath(id)
  } catch (failure) {
    throw refused('badRequest', failure instanceof ApiError ? failure.detail : 'The id cannot be sent')
  }
  return id
}

/** The member of `context.state` that is set when the deletion has an audit line. */
const AUDITED = 'isAudited'

/** Whether the request is a deletion, valid or not, that was refused before it had an audit line. */
function isUnauditedDeletion(context: Context): boolean {
  const isDeletion = context.method === 'DELETE' && pathOf(context)?.path.method === 'DELETE'
  return isDeletion && context.state[AUDITED] !== true
}

/**
 * Logs in at the system and returns the token, which the exporter does not keep. The request body is
 * `{"username": "…", "password": "…"}`, the response body `{"token": "…"}`. A login that fails is audited, and one that is
 * not sent because too many failed before.
 */
async function serveLogin(context: Context, { systems, rateLimits, audit }: SystemRoutes): Promise<void> {
  checkNoQuery(context)
  if (!context.is('application/json'))
    throw refused('wrongType', 'Other content types are refused because forms of other sites can send them')
  const { username: user, password } = credentialsOf(context.state['body'] as Buffer)
  const { name: system, client } = systemOf(context, systems)
  const time = new Date().toISOString()
  const address = clientAddress(context.req.socket)
  // Not aborted when the caller disconnects: a login that the system refuses must be counted.
  const login = () => client.login(user, password, new AbortController().signal)
  const token = await rateLimits.withLogin(system, login).catch((failure: unknown) => {
    const status = statusOf(failure)
    const outcome = outcomeOf(failure) === 'refused' ? 'refused' : 'failed'
    if (failure instanceof ApiError) audit.failedLogin({ time, system, user, address }, outcome, status)
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address, status })
    throw failure
  })
  if (context.res.closed) await client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
  context.body = JSON.stringify({ token: token.reveal() })
}

/** Independent of the caller's connection: the page sends the logout while it is being closed. */
const LOGOUT_TIMEOUT_MS = 10_000

async function serveLogout(context: Context, routes: SystemRoutes): Promise<void> {
  await withToken(context, routes, (client, token) =>
    client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS)),
  )
  context.status = 204
}

/**
 * The user of a token, and its roles: `{"user": "…", "roles": ["…"]}`, each null if the system does not report it. Whether
 * they suffice for a deletion is not said, because the API document does not show which role it needs.
 */
async function serveAccount(context: Context, routes: SystemRoutes): Promise<void> {
  const signal = goneSignal(context.res)
  const { user, roles } = await withToken(context, routes, (client, token) => client.account(token, signal))
  context.body = JSON.stringify({ user: user ?? null, roles: roles ?? null })
}

function credentialsOf(body: Buffer): { username: string; password: Secret } {
  const credentials = parseObject(body.toString('utf8'))
  if (credentials === undefined) throw refused('badRequest', 'The body is not a JSON object')
  const { username, password } = credentials
  if (typeof username !== 'string' || !/^[^:\p{Cc}]{1,256}$/u.test(username)) {
    throw refused(
      'badRequest',
      'username must have 1 to 256 characters, none of them a colon or a control character',
    )
  }
  const secret = typeof password === 'string' ? passwordFromText(password) : 'is missing'
  if (secret instanceof Secret) return { username, password: secret }
  throw refused('badRequest', `password ${secret}`)
}

/** Within the rate limits. Counts tokens that are refused, or not sent because too many were refused before. */
async function withToken<T>(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
  send: (client: AdminClient, token: Secret) => Promise<T>,
): Promise<T> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  const address = clientAddress(context.req.socket)
  try {
    return await rateLimits.withToken(address, name, () => send(client, token))
  } catch (failure) {
    const status = statusOf(failure)
    if (failure instanceof ApiError && failure.reason === 'auth') audit.countRefusedToken({ address, status })
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address, status })
    throw failure
  }
}

const pathOf = ({ req }: Context) => findPath<PathRow>(ADMIN_PATHS, rawPath(req))

/** The format of lists and errors: JSON if the path ends in `.json` or the caller prefers JSON, otherwise XML. */
export function formatOf(context: Context): DocumentFormat {
  if (rawPath(context.req).endsWith('.json') || pathOf(context)?.path.content === 'json') return 'json'
  return context.accepts('application/xml', 'text/xml', 'application/json') === 'application/json'
    ? 'json'
    : 'xml'
}

/** The API defines no query parameters here; ignoring one could mislead the caller. @throws {HttpError} 400 */
function checkNoQuery(context: Context): void {
  if (context.querystring !== '') throw refused('badRequest', 'This path takes no query parameters')
}

/** @throws {HttpError} 401 if the token is missing or not valid in a header, 400 if it is repeated */
function callerToken({ req }: Context): Secret {
  const values = req.headersDistinct[TOKEN_HEADER.toLowerCase()] ?? []
  const [value] = values
  if (value === undefined)
    throw refused('noToken', `Send a token of the storage system in the header ${TOKEN_HEADER}`)
  if (values.length > 1) throw refused('badRequest', `The header ${TOKEN_HEADER} is sent more than once`)
  const token = tokenFromText(value)
  if (token instanceof Secret) return token
  throw refused('noToken', `The header ${TOKEN_HEADER} ${token}`)
}

const MAX_LISTED = 20

/**
 * The system of the path, or the only one.
 * @throws {HttpError} 400 or 404; the details list the configured systems, not all, because the request needs no valid token
 */
function systemOf(context: Context, systems: AdminSystems) {
  const segment = pathOf(context)?.parameters['system']
  const names = systems.names()
  const name = segment === undefined && names.length === 1 ? names[0] : segment && decoded(segment)
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more: see GET /systems` : ''
  const choices = `Systems: ${names.slice(0, MAX_LISTED).join(', ')}${more}`
  if (name === undefined) throw refused('chooseSystem', `Prefix the path with /systems/NAME. ${choices}`)
  const client = systems.get(name)
  if (client === undefined) throw refused('unknownSystem', choices)
  return { name, client }
}

/** A segment of a path, decoded once. @throws {HttpError} 400 */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refused('badRequest', 'The path has a malformed percent-encoding')
  }
}
