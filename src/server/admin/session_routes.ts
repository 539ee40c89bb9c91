import type { Context } from 'koa'
import { refused } from '../../administration/errors.ts'
import { parseObject } from '../../api/parse/json.ts'
import { passwordFromText, Secret } from '../../values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import { goneSignal } from '../gone_signal.ts'
import { auditedLogin, type SystemRoutes, withToken } from './credentials_audit.ts'
import { checkNoQuery, systemOf } from './request.ts'

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
