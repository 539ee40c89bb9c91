import type { Context, Next } from 'koa'
import type { Audit, LoginFacts } from '../../administration/audit.ts'
import { deleteProvider } from '../../administration/deletion.ts'
import { CONTENT_TYPES, writeProviders } from '../../administration/documents.ts'
import { outcomeOf, refused, statusOf, TOO_MANY_STATUS } from '../../administration/errors.ts'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { parseObject } from '../../api/parse/json.ts'
import { providerPath } from '../../api/providers/providers.ts'
import { passwordFromText, Secret } from '../../values/secret.ts'
import { clientAddress } from '../auth/request_check.ts'
import { goneSignal } from '../response_slots.ts'
import type { RateLimits } from './rate_limits.ts'
import {
  callerToken,
  checkAcceptable,
  checkNoQuery,
  decoded,
  formatOf,
  routeOf,
  systemOf,
} from './request.ts'
import type { AdminSystems } from './systems.ts'

/** API document, "List providers". */
export async function serveList(context: Context, routes: SystemRoutes): Promise<void> {
  checkAcceptable(context)
  const signal = goneSignal(context.res)
  const providers = await withToken(context, routes, (client, token) => client.providers(token, signal))
  const format = formatOf(context)
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
  const id = decoded(routeOf(context)?.parameters['id']?.replace(/\.json$/, '') ?? '')
  try {
    providerPath(id)
  } catch (failure) {
    throw refused('badRequest', failure instanceof ApiError ? failure.detail : 'The id cannot be sent')
  }
  return id
}

/** The member of `context.state` that is set when the deletion has an audit record. */
const AUDITED = 'isAudited'

/** Whether the request is a deletion, valid or not. */
export function isDeletion(context: Context): boolean {
  return context.method === 'DELETE' && routeOf(context)?.row.method === 'DELETE'
}

/** Counts a deletion that is refused before it has an audit record. */
export async function countRefusals(context: Context, audit: Audit, next: Next): Promise<void> {
  try {
    await next()
  } catch (failure) {
    if (context.state[AUDITED] !== true) {
      audit.countRefusal({ address: clientAddress(context.req.socket), status: statusOf(failure) })
    }
    throw failure
  }
}

/**
 * Logs in at the system and returns the token, which the exporter does not keep. The request body is
 * `{"username": "…", "password": "…"}`, the response body `{"token": "…"}`.
 */
export async function serveLogin(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
  body: Buffer,
): Promise<void> {
  checkNoQuery(context)
  if (!context.is('application/json'))
    throw refused('wrongType', 'Other content types are refused because forms of other sites can send them')
  const { username, password } = credentialsOf(body)
  const { name, client } = systemOf(context, systems)
  // Not aborted when the caller disconnects: a login that the system refuses must be counted.
  const login = () => client.login(username, password, new AbortController().signal)
  const facts = {
    time: new Date().toISOString(),
    system: name,
    user: username,
    address: clientAddress(context.req.socket),
  }
  const token = await auditedLogin(audit, facts, () => rateLimits.withLogin(name, login))
  if (context.res.closed) await client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
  context.body = JSON.stringify({ token: token.reveal() })
  context.set('Content-Type', 'application/json')
}

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
  context.set('Content-Type', 'application/json')
}

/** Independent of the caller's connection: the page sends the logout while it is being closed. */
const LOGOUT_TIMEOUT_MS = 10_000

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

interface SystemRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** Audits a login that fails, and one that is not sent because too many failed before. */
async function auditedLogin<T>(audit: Audit, facts: LoginFacts, login: () => Promise<T>): Promise<T> {
  try {
    return await login()
  } catch (failure) {
    const status = statusOf(failure)
    if (failure instanceof ApiError)
      audit.failedLogin(facts, outcomeOf(failure) === 'refused' ? 'refused' : 'failed', status)
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address: facts.address, status })
    throw failure
  }
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
