import type { Secret } from '../../config/values/secret.ts'
import type { LoginOptions } from './session.ts'

/** What one logout may take; the exporter must not hang on a dead system. */
export const LOGOUT_TIMEOUT_MS = 2000
/** More are not kept in mind: a token that could not be given back dies by itself within two hours. */
const MAX_RETURNING = 5

/** Gives a token back to the system, with those that it did not hear of before. Never rejects. */
export function createTokenReturns({
  system,
  username,
  requests,
  log,
}: Pick<LoginOptions, 'system' | 'username' | 'requests' | 'log'>): (
  last: Secret | undefined,
) => Promise<void> {
  let returning: readonly Secret[] = []

  /** Whether the system heard of it. */
  async function logOut(token: Secret): Promise<boolean> {
    try {
      await requests.logout(token, AbortSignal.timeout(LOGOUT_TIMEOUT_MS))
      return true
    } catch {
      log.debug('logout not answered', { system, user: username })
      return false
    }
  }

  return async (last) => {
    const all = last === undefined ? returning : [...returning, last].slice(-MAX_RETURNING)
    const heard = await Promise.all(all.map(logOut))
    returning = all.filter((_, index) => !heard[index])
  }
}
