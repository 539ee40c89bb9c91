import { BoundedMap } from '../../values/bounded_map.ts'
import type { Secret } from '../../values/secret.ts'
import { createCooldown } from '../http/cooldown.ts'

/** Bound of the memory: more requesters than a system can have at a time. */
const MAX_REQUESTERS = 10_000

/**
 * Decides whether a refused token is replaced. A new token that is refused, too, begins a cooldown: the account lacks a
 * role, or the refusal has another cause. During it, a token is replaced only if it was accepted before, and not for a
 * requester whose new token was refused: one pool that is always refused causes no repeated logins, and other pools
 * still get a new token.
 * @param now monotonic clock in milliseconds
 */
export function createRenewals(now?: () => number) {
  const cooldown = createCooldown(now)
  const refusedAgain = new BoundedMap<string, true>(MAX_REQUESTERS)
  const gotPage = new BoundedMap<string, true>(MAX_REQUESTERS)
  let hadData = false
  let lastAccepted: Secret | undefined
  let expired: Secret | undefined

  return {
    isAllowed(refused: Secret, requester: string): boolean {
      if (cooldown.remainingMs() === 0) return true
      return lastAccepted?.equals(refused) === true && !refusedAgain.has(requester)
    },
    accepted(token: Secret, requester: string): void {
      lastAccepted = token
      refusedAgain.delete(requester)
      if (refusedAgain.size === 0) cooldown.reset()
    },
    renewalRefused(requester: string): void {
      refusedAgain.set(requester, true)
      cooldown.begin()
    },
    decoded(): void {
      hadData = true
      gotPage.clear()
    },
    gotPage(token: Secret, requester: string): void {
      if (hadData && gotPage.has(requester)) {
        expired = token
        hadData = false
      }
      gotPage.set(requester, true)
    },
    /**
     * Whether requests get login pages with status 200: one requester got a page twice, and none had data since the first.
     * A proxy that responds to everything with pages causes one login only.
     */
    isExpired: (token: Secret): boolean => expired?.equals(token) === true,
  }
}
