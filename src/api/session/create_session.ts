import { readTextFile } from '../../config/values/files.ts'
import { passwordFromText, type Secret, tokenFromText } from '../../config/values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import { createLoginSession } from './login_session.ts'
import type { Session, SessionOptions, SessionState } from './session.ts'

/** The session of the configuration: a fixed token, a token file, or a login. */
export function createSession(options: SessionOptions): Session {
  const { auth } = options
  switch (auth.kind) {
    case 'token':
      return fixedSession(auth.token)
    case 'token_file':
      return fileSession(auth.file)
    case 'login':
      return createLoginSession({
        ...options,
        username: auth.username,
        readPassword: async () => auth.password,
      })
    case 'login_file':
      return createLoginSession({
        ...options,
        username: auth.username,
        readPassword: () => readSecret(auth.file, 'password_file', passwordFromText),
      })
    default:
      return auth satisfies never
  }
}

/** A session with a token that is made elsewhere. */
function withoutLogin({ token, renew }: Pick<Session, 'token' | 'renew'>): Session {
  let state: SessionState['state'] = 'unused'
  return {
    token,
    renew(...parameters) {
      state = 'refused'
      return renew(...parameters)
    },
    accepted() {
      state = 'open'
    },
    renewedInVain: () => undefined,
    state: () => ({ state, loggedInAtMs: undefined, pauseMs: 0 }),
    close: async () => undefined,
  }
}

function fixedSession(token: Secret): Session {
  return withoutLogin({ token: async () => token, renew: async () => undefined })
}

/** Reads the file for every request, so that a rotated token is used at once. */
function fileSession(file: string): Session {
  let last: Secret | undefined
  const read = async (): Promise<Secret> => {
    try {
      last = await readSecret(file, 'token_file', tokenFromText)
    } catch (failure) {
      // The file is being replaced, or is empty: the token in memory may still be valid.
      if (last === undefined) throw failure
    }
    return last
  }
  return withoutLogin({
    token: read,
    async renew(refused) {
      const token = await read()
      return token.equals(refused) ? undefined : token
    },
  })
}

async function readSecret(
  file: string,
  key: string,
  make: (text: string) => Secret | string,
): Promise<Secret> {
  const read = readTextFile(file, 'secret')
  const secret = 'problem' in read ? read.problem : make(read.text)
  if (typeof secret === 'string') throw new ApiError('local', `the ${key} ${file} ${secret}`)
  return secret
}
