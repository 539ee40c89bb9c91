import type { Secret } from '../config/secret.ts'
import { createLoginPauses, type LoginPauses } from './login_pauses.ts'
import type { LoginOptions } from './session.ts'

/** By who asked for a newer token: those that it did not help wait before they get another. */
export interface RenewalDoubts {
  has(asker: string): boolean
  /** @throws {ApiError} `auth` while it is too early for another renewal for this asker */
  check(asker: string, password: Secret): void
  begin(asker: string, password: Secret): void
  end(asker: string): void
}

export function createRenewalDoubts(options: LoginOptions): RenewalDoubts {
  const byAsker = new Map<string, LoginPauses>()

  function pausesOf(asker: string): LoginPauses {
    const pauses =
      byAsker.get(asker) ??
      createLoginPauses({ ...options, what: 'a request was refused with a new token, too', spared: 0 })
    byAsker.set(asker, pauses)
    return pauses
  }

  return {
    has: (asker) => byAsker.has(asker),
    check: (asker, password) => byAsker.get(asker)?.check(password),
    begin: (asker, password) => pausesOf(asker).begin(password),
    end(asker) {
      byAsker.delete(asker)
    },
  }
}
