import type { AuthConfig } from '../../config/config.ts'
import { readTextFile } from '../../values/files.ts'
import { passwordFromText, type Secret, tokenFromText } from '../../values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import { basicHeader, tokenHeader } from '../http/credentials.ts'
import { type Exchange, tokenRequest } from '../http/exchanges.ts'
import {
  createLoginSession,
  type Session,
  type SessionOptions,
  type SessionState,
  UNSTEADY_REMEDY,
} from './login_session.ts'

/** The session of the configuration: a token, a token file, or a login. */
export function createSession(options: SessionOptions): Session {
  const { auth } = options.system
  return 'username' in auth
    ? createLoginSession({ ...options, username: auth.username, readPassword: () => secretOf(auth) })
    : tokenSession(auth)
}

/**
 * The headers of the first request of a session: its token, or name and password.
 * @throws {ApiError} `local` if the file with the secret is unreadable
 */
export async function credentialHeaders(auth: AuthConfig): Promise<Readonly<Record<string, string>>> {
  const secret = await secretOf(auth)
  return 'username' in auth ? basicHeader(auth.username, secret) : tokenHeader(secret)
}

/** The configured token or password. @throws {ApiError} `local` if its file is unreadable */
async function secretOf(auth: AuthConfig): Promise<Secret> {
  if (auth.kind === 'token') return auth.token
  if (auth.kind === 'login') return auth.password
  return auth.kind === 'token_file'
    ? readSecret(auth.file, 'token_file', tokenFromText)
    : readSecret(auth.file, 'password_file', passwordFromText)
}

/** A session with a token that is made elsewhere. A file is read for every request, so that a rotated token is used at once. */
function tokenSession(auth: AuthConfig): Session {
  let state: SessionState['state'] = 'unused'
  let last: Secret | undefined
  const token = async (): Promise<Secret> => {
    try {
      last = await secretOf(auth)
    } catch (failure) {
      // The file is being replaced, or is empty: the token in memory may still be valid.
      if (last === undefined) throw failure
    }
    return last
  }
  return {
    token,
    async renew(refused) {
      state = 'refused'
      const newer = await token()
      return newer.equals(refused) ? undefined : newer
    },
    accepted() {
      state = 'open'
    },
    renewalRefused: () => undefined,
    isUnsteady: () => false,
    state: () => ({ state, loggedInAtMs: undefined, pauseMs: 0 }),
    close: async () => undefined,
  }
}

function readSecret(file: string, key: string, make: (text: string) => Secret | string): Secret {
  const read = readTextFile(file, 'secret')
  const secret = 'problem' in read ? read.problem : make(read.text)
  if (typeof secret === 'string') throw new ApiError('local', `the ${key} ${file} ${secret}`)
  return secret
}

/**
 * Sends requests with the session's token; a refused token is replaced, and the request repeated, once.
 * @throws {ApiError} for any refusal
 */
export function createAuthorised(exchange: Exchange, session: Session): Exchange {
  async function send(token: Secret, [request, baseUrl, signal]: Parameters<Exchange>) {
    const response = await exchange(tokenRequest(request, token), baseUrl, signal)
    session.accepted(token, request.path)
    return response
  }

  return async (...call) => {
    const [request, baseUrl, signal] = call
    const token = await session.token(baseUrl, signal)
    try {
      return await send(token, call)
    } catch (failure) {
      if (!mayBeExpired(failure)) throw failure
      const newer = await session.renew(token, request.path, baseUrl, signal)
      if (newer === undefined)
        throw session.isUnsteady() ? failure.with({ remedy: UNSTEADY_REMEDY }) : failure
      return await send(newer, call).catch((again: unknown) => {
        if (mayBeExpired(again)) session.renewalRefused(request.path)
        throw again
      })
    }
  }
}

/** In front of some systems a proxy turns the 401 of an expired token into this; elsewhere it is a missing role. */
const EXPIRED_OR_FORBIDDEN_CODE = 6401

function mayBeExpired(failure: unknown): failure is ApiError {
  if (!(failure instanceof ApiError)) return false
  return (
    failure.reason === 'auth' || (failure.status === 500 && failure.body?.code === EXPIRED_OR_FORBIDDEN_CODE)
  )
}
