import { readFile } from 'node:fs/promises'
import { passwordFromText, type Secret, tokenFromText } from '../../config/values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import { createLoginSession } from './login_session.ts'
import type { Session, SessionOptions } from './session.ts'

/** The session that the configuration asks for: a token that is there, one in a file, or one that a login brings. */
export function createSession(options: SessionOptions): Session {
  const { auth, now = Date.now } = options
  switch (auth.kind) {
    case 'token':
      return fixedSession(auth.token)
    case 'token_file':
      return fileSession(auth.file)
    case 'login':
      return createLoginSession({
        ...options,
        now,
        username: auth.username,
        readPassword: async () => auth.password,
      })
    case 'login_file':
      return createLoginSession({
        ...options,
        now,
        username: auth.username,
        readPassword: () => readSecret(auth.file, 'password_file', passwordFromText),
      })
    default:
      return auth satisfies never
  }
}

/** Of sessions whose tokens others make. */
const NOT_RENEWING = {
  noteAccepted: () => undefined,
  noteUseless: () => undefined,
  close: async () => undefined,
} as const

function fixedSession(token: Secret): Session {
  return {
    ...NOT_RENEWING,
    token: async () => ({ token, number: 0 }),
    renew: async () => undefined,
  }
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
    ...NOT_RENEWING,
    token: async () => ({ token: await read(), number: 0 }),
    async renew(refused) {
      const token = await read()
      return token.equals(refused.token) ? undefined : { token, number: 0 }
    },
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
