import type { Secret } from '../../config/values/secret.ts'
import { createLoginPauses, type LoginPauses } from './login_pauses.ts'
import type { LoginOptions } from './session.ts'

/**
 * Keeps renewals that are of no use from being repeated at once: those for one asker, which may be refused for good
 * while others are not, and those for anybody while no answer at all came by a new token.
 */
export interface RenewalDoubts {
  /**
   * @param isProven whether the token that is to be replaced brought an answer to anybody
   * @throws {ApiError} `auth` while it is too early for another renewal
   */
  check(asker: string, password: Secret, isProven: boolean): void
  /** A newer token was of no use to the asker. */
  begin(asker: string, password: Secret, isProven: boolean): void
  /** A token was of use to the asker. */
  end(asker: string): void
}

/** More than there can be pools and operations at a time: the rest are pools of the past. */
const MAX_ASKERS = 5000
/** One pool that is refused for good says nothing of the others, though nobody else may have asked yet. */
const ASKERS_SPARED = 1

export function createRenewalDoubts(options: LoginOptions): RenewalDoubts {
  const byAsker = new Map<string, LoginPauses>()
  const ofAll = createLoginPauses({
    ...options,
    what: 'new tokens are refused, too: does the account have the role, do all nodes know its sessions?',
    spared: 0,
    // With one pause it may be over; who is refused for good gets here again.
    warnsAfter: 1,
  })
  /** For those that a new token did not help before, all together: while others are answered, each costs them theirs. */
  const ofDoubted = createLoginPauses({
    ...options,
    what: 'new tokens are refused for some requests',
    spared: 0,
    warnsAfter: Infinity,
  })
  /** Since the last answer. */
  const refused = new Set<string>()

  function pausesOf(asker: string): LoginPauses {
    if (byAsker.size > MAX_ASKERS) byAsker.clear()
    const what = `a new token is refused, too, for ${asker}`
    // The failure of the poll is in the log, and says so.
    const pauses =
      byAsker.get(asker) ?? createLoginPauses({ ...options, what, spared: 0, warnsAfter: Infinity })
    byAsker.set(asker, pauses)
    return pauses
  }

  return {
    check(asker, password, isProven) {
      if (!isProven) ofAll.check(password)
      if (byAsker.has(asker)) ofDoubted.check(password)
      byAsker.get(asker)?.check(password)
    },
    begin(asker, password, isProven) {
      ofDoubted.begin(password)
      pausesOf(asker).begin(password)
      refused.add(asker)
      if (!isProven && refused.size > ASKERS_SPARED) ofAll.begin(password)
    },
    end(asker) {
      byAsker.delete(asker)
      refused.clear()
      ofAll.forget()
    },
  }
}
