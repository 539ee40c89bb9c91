import type { Context } from 'koa'
import { passwordFromText, Secret } from '../../config/values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import { refused } from './errors.ts'
import type { Pace } from './pace.ts'
import { callerToken, checkNoQuery, goneSignal, systemName, systemOf } from './request.ts'
import type { AdminSystems } from './systems.ts'

interface SessionRoutes {
  readonly systems: AdminSystems
  readonly pace: Pace
}

/**
 * A token for a name and a password, for the page: the system is asked, the token goes to the caller and is kept
 * nowhere here. The body is `{"username": "…", "password": "…"}`, the answer `{"token": "…"}`.
 */
export async function answerLogin(
  context: Context,
  { systems, pace }: SessionRoutes,
  body: Buffer,
): Promise<void> {
  checkNoQuery(context)
  if (!context.is('application/json'))
    throw refused('wrongType', 'A form of another site could send anything else')
  const { username, password } = credentialsOf(body)
  const client = systemOf(context, systems)
  const name = systemName(context, systems) ?? ''
  const token = await pace.withLogin(name, () => client.login(username, password, goneSignal(context)))
  context.body = JSON.stringify({ token: token.reveal() })
  context.set('Content-Type', 'application/json')
}

/** Ends the session of a token at the system. */
export async function answerLogout(context: Context, { systems, pace }: SessionRoutes): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  const client = systemOf(context, systems)
  await pace.withToken(clientAddress(context.req.socket), () =>
    client.logout(token, AbortSignal.timeout(CALLERS_LOGOUT_TIMEOUT_MS)),
  )
  context.status = 204
}

/** The page is closed meanwhile: nobody waits for it. */
const CALLERS_LOGOUT_TIMEOUT_MS = 10_000

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
    // Without the parser's words: they would quote the password.
    throw refused('badRequest', 'The body is not JSON')
  }
}
