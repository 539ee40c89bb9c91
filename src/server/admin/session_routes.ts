import type { Context } from 'koa'
import { passwordFromText, Secret } from '../../config/values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import { refused } from './errors.ts'
import type { RateLimits } from './rate_limits.ts'
import { callerToken, checkNoQuery, systemOf } from './request.ts'
import type { AdminSystems } from './systems.ts'

interface SessionRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
}

/**
 * Logs in at the system and returns the token, which the exporter does not keep. The request body is
 * `{"username": "…", "password": "…"}`, the response body `{"token": "…"}`.
 */
export async function answerLogin(
  context: Context,
  { systems, rateLimits }: SessionRoutes,
  body: Buffer,
): Promise<void> {
  checkNoQuery(context)
  if (!context.is('application/json'))
    throw refused('wrongType', 'Other content types are refused because forms of other sites can send them')
  const { username, password } = credentialsOf(body)
  const { name, client } = systemOf(context, systems)
  // Not aborted when the caller disconnects: a login that the system refuses must be counted.
  const login = () => client.login(username, password, new AbortController().signal)
  const token = await rateLimits.withLogin(name, login)
  if (context.res.closed) await client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
  context.body = JSON.stringify({ token: token.reveal() })
  context.set('Content-Type', 'application/json')
}

/** Ends the session of a token at the system. */
export async function answerLogout(context: Context, { systems, rateLimits }: SessionRoutes): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  await rateLimits.withToken(clientAddress(context.req.socket), name, () =>
    client.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS)),
  )
  context.status = 204
}

/** Independent of the caller's connection: the page sends the logout while it is being closed. */
const LOGOUT_TIMEOUT_MS = 10_000

function credentialsOf(body: Buffer): { username: string; password: Secret } {
  const { username, password } = parseObject(body)
  if (typeof username !== 'string' || !/^[^:\p{Cc}]{1,256}$/u.test(username)) {
    throw refused('badRequest', 'username must be a text without a colon')
  }
  const secret = typeof password === 'string' ? passwordFromText(password) : 'is missing'
  if (secret instanceof Secret) return { username, password: secret }
  throw refused('badRequest', `password ${secret}`)
}

function parseObject(body: Buffer): { readonly username?: unknown; readonly password?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // The parser's message would quote the password.
    throw refused('badRequest', 'The body is not JSON')
  }
}
