import type { Context } from 'koa'
import type { Audit } from '../../administration/audit.ts'
import { deleteProvider } from '../../administration/deletion.ts'
import { CONTENT_TYPES, type DocumentFormat, writeProviders } from '../../administration/documents.ts'
import { outcomeOf, refused, statusOf, TOO_MANY_STATUS } from '../../administration/errors.ts'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { TOKEN_HEADER } from '../../api/http/credentials.ts'
import { parseObject } from '../../api/parse/json.ts'
import { providerPath } from '../../api/providers/providers.ts'
import { passwordFromText, Secret, tokenFromText } from '../../values/secret.ts'
import { clientAddress, rawPath } from '../auth/request_check.ts'
import { ADMIN_PATHS, findPath, type PathRow } from '../paths.ts'
import { goneSignal } from '../response_slots.ts'
import type { RateLimits } from './rate_limits.ts'
import type { AdminSystems } from './systems.ts'

export interface SystemRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** API document, "List providers". */
export async function serveList(context: Context, routes: SystemRoutes): Promise<void> {
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
export async function serveDelete(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
): Promise<void> {
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
export function isUnauditedDeletion(context: Context): boolean {
  const isDeletion = context.method === 'DELETE' && pathOf(context)?.path.method === 'DELETE'
  return isDeletion && context.state[AUDITED] !== true
}

/**
 * Logs in at the system and returns the token, which the exporter does not keep. The request body is
 * `{"username": "…", "password": "…"}`, the response body `{"token": "…"}`. A login that fails is audited, and one that is
 * not sent because too many failed before.
 */
export async function serveLogin(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
): Promise<void> {
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

export async function serveLogout(context: Context, routes: SystemRoutes): Promise<void> {
  await withToken(context, routes, (client, token) =>
    client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS)),
  )
  context.status = 204
}

/**
 * The user of a token, and its roles: `{"user": "…", "roles": ["…"]}`, each null if the system does not report it. Whether
 * they suffice for a deletion is not said, because the API document does not show which role it needs.
 */
export async function serveAccount(context: Context, routes: SystemRoutes): Promise<void> {
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
