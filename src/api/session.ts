import { readFile } from 'node:fs/promises'
import type { AuthConfig } from '../config/config.ts'
import { passwordFromText, Secret, tokenFromText } from '../config/secret.ts'
import type { Log } from '../log.ts'
import { ApiError } from './errors.ts'
import type { Reason } from './reasons.ts'
import { refusalOf } from './refusals.ts'
import type { Answer } from './transport.ts'

/** The token of one system, however it is come by. One for all pools. */
export interface Session {
  /**
   * The token to send now.
   * @param baseUrl the node to log in at, where that is needed
   * @throws {ApiError} `auth` when the system refuses the login, or refused it a moment ago
   */
  token(baseUrl: string, signal: AbortSignal): Promise<Secret>
  /** A newer token than the one that was refused, or undefined where there is none. */
  renew(refused: Secret, baseUrl: string, signal: AbortSignal): Promise<Secret | undefined>
  /** Ends the session at the system, as far as the system answers. */
  close(): Promise<void>
}

/** What a session asks of the client: to send `/login` or `/logout`, counted and paced like any request. */
export interface SessionRequests {
  login(baseUrl: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer>
  logout(baseUrl: string, token: Secret, signal: AbortSignal): Promise<Answer>
}

export interface SessionOptions {
  readonly auth: AuthConfig
  readonly requests: SessionRequests
  readonly onLogin: (result: Reason | 'ok') => void
  readonly log: Log
  /** Milliseconds since the epoch; the session must also age while the machine sleeps. */
  readonly now?: () => number
}

/** The header that carries the token. API document, "Authentication", rule 1. */
export const TOKEN_HEADER = 'X-SDS-AUTH-TOKEN'

export function createSession(options: SessionOptions): Session {
  const { auth } = options
  switch (auth.kind) {
    case 'token':
      return fixedSession(auth.token)
    case 'token_file':
      return fileSession(auth.file)
    case 'login':
      return loginSession({ ...options, username: auth.username, readPassword: async () => auth.password })
    case 'login_file':
      return loginSession({
        ...options,
        username: auth.username,
        readPassword: () => readSecret(auth.file, 'password_file', passwordFromText),
      })
    default:
      return auth satisfies never
  }
}

function fixedSession(token: Secret): Session {
  return { token: async () => token, renew: async () => undefined, close: async () => undefined }
}

/** Reads the file for every request: it is small, and a rotated token counts at once. */
function fileSession(file: string): Session {
  let last: Secret | undefined
  const read = async (): Promise<Secret> => {
    try {
      last = await readSecret(file, 'token_file', tokenFromText)
    } catch (failure) {
      // A file that is being replaced, or was emptied: the token in memory may still be good.
      if (last === undefined) throw failure
    }
    return last
  }
  return {
    token: read,
    async renew(refused) {
      const token = await read()
      return token.equals(refused) ? undefined : token
    },
    close: async () => undefined,
  }
}

async function readSecret(
  file: string,
  key: string,
  make: (text: string) => Secret | string,
): Promise<Secret> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new ApiError('local', `the ${key} ${file} cannot be read`, { cause })
  }
  const secret = make(text)
  if (typeof secret === 'string') throw new ApiError('local', `the ${key} ${file} ${secret}`)
  return secret
}

/** Tokens live for 8 h, and 2 h without use, by the manufacturer's guide; renewed with a margin. */
const MAX_AGE_MS = 7.5 * 3_600_000
const MAX_IDLE_MS = 1.75 * 3_600_000
/** Real systems lock an address after ten refused logins. */
const FIRST_REFUSAL_PAUSE_MS = 30_000
const LONGEST_REFUSAL_PAUSE_MS = 600_000
/** What the end of a session may take; the exporter must not hang on a dead system. */
const LOGOUT_TIMEOUT_MS = 2000

interface LoginOptions extends Omit<SessionOptions, 'auth'> {
  readonly username: string
  readonly readPassword: () => Promise<Secret>
}

interface Ticket {
  readonly token: Secret
  readonly baseUrl: string
  readonly since: number
  usedAt: number
}

function loginSession({
  username,
  readPassword,
  requests,
  onLogin,
  log,
  now = Date.now,
}: LoginOptions): Session {
  let ticket: Ticket | undefined
  let pending: Promise<Ticket> | undefined
  let refusal: { readonly until: number; readonly pauseMs: number; readonly password: Secret } | undefined

  async function logIn(baseUrl: string, signal: AbortSignal): Promise<Ticket> {
    const password = await readPassword()
    if (refusal?.password.equals(password) && now() < refusal.until) {
      const seconds = Math.ceil((refusal.until - now()) / 1000)
      throw new ApiError('auth', `the login of ${username} was refused; it is tried again in ${seconds} s`)
    }
    try {
      const token = await requestToken(baseUrl, password, signal)
      refusal = undefined
      onLogin('ok')
      return { token, baseUrl, since: now(), usedAt: now() }
    } catch (failure) {
      if (failure instanceof ApiError) onLogin(failure.reason)
      if (failure instanceof ApiError && ['auth', 'forbidden'].includes(failure.reason)) refuse(password)
      throw failure
    }
  }

  function refuse(password: Secret): void {
    const again = refusal?.password.equals(password) ? refusal.pauseMs * 2 : FIRST_REFUSAL_PAUSE_MS
    const pauseMs = Math.min(again, LONGEST_REFUSAL_PAUSE_MS)
    refusal = { until: now() + pauseMs, pauseMs, password }
    log.warn('login refused: check username and password', {
      user: username,
      next_try_seconds: pauseMs / 1000,
    })
  }

  async function requestToken(baseUrl: string, password: Secret, signal: AbortSignal): Promise<Secret> {
    const credentials = Buffer.from(`${username}:${password.reveal()}`).toString('base64')
    const answer = await requests.login(baseUrl, { Authorization: `Basic ${credentials}` }, signal)
    const refused = refusalOf(answer)
    if (refused !== undefined) throw refused
    const token = tokenFromText(answer.header(TOKEN_HEADER) ?? '')
    if (token instanceof Secret) return token
    throw new ApiError(
      'schema',
      `the login was accepted, but the header ${TOKEN_HEADER} of the answer ${token}`,
    )
  }

  /** Logs in, once for all who ask meanwhile, and gives the old token back. */
  function replace(baseUrl: string, signal: AbortSignal): Promise<Ticket> {
    pending ??= (async () => {
      const old = ticket
      ticket = undefined
      if (old !== undefined) await logOut(old)
      ticket = await logIn(baseUrl, signal)
      return ticket
    })().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function logOut({ baseUrl, token }: Ticket): Promise<void> {
    try {
      await requests.logout(baseUrl, token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
    } catch {
      // The token dies by itself within two hours; the system could not be told.
      log.debug('logout not answered', { user: username })
    }
  }

  function isFresh({ since, usedAt }: Ticket): boolean {
    return now() - since < MAX_AGE_MS && now() - usedAt < MAX_IDLE_MS
  }

  return {
    async token(baseUrl, signal) {
      const valid = ticket !== undefined && isFresh(ticket) ? ticket : await replace(baseUrl, signal)
      valid.usedAt = now()
      return valid.token
    },
    async renew(refused, baseUrl, signal) {
      const newer =
        ticket !== undefined && !ticket.token.equals(refused) ? ticket : await replace(baseUrl, signal)
      return newer.token
    },
    async close() {
      const last = pending === undefined ? ticket : await pending.catch(() => undefined)
      ticket = undefined
      if (last !== undefined) await logOut(last)
    },
  }
}
