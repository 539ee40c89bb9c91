import { BoundedMap } from '../../values/bounded_map.ts'
import type { Secret } from '../../values/secret.ts'
import { createCooldown } from '../http/cooldown.ts'

/** Bound of the memory: more requesters than a system can have at a time. */
const MAX_REQUESTERS = 10_000
/** A new token that is refused earlier was not refused for its age. */
const LEAST_AGE_MS = 60_000

/**
 * Decides whether a refused token is replaced. A new token that is refused, too, begins a cooldown: the account lacks a
 * role, or the refusal has another cause. During it, a token is replaced only if it was accepted before, and not for a
 * requester whose new token was refused: one pool that is always refused causes no repeated logins, and other pools
 * still get a new token. A new token that is refused within a minute, after others or the same requester were accepted
 * with it, begins a cooldown for all of them, which no success ends.
 * @param now monotonic clock in milliseconds
 * @param onUnsteady called when such a cooldown begins
 */
export function createRenewals(
  now: () => number = () => performance.now(),
  onUnsteady: (cooldownMs: number) => void = () => undefined,
) {
  const cooldown = createCooldown(now)
  const unsteady = createCooldown(now)
  let newest: { readonly token: Secret; readonly at: number; isRefusedEarly: boolean } | undefined
  const refusedAgain = new BoundedMap<string, true>(MAX_REQUESTERS)
  const gotPage = new BoundedMap<string, true>(MAX_REQUESTERS)
  let hadData = false
  let lastAccepted: Secret | undefined
  let expired: Secret | undefined

  function noteRefusal(refused: Secret): void {
    const isNewest = newest?.token.equals(refused) === true
    if (newest !== undefined && isNewest && now() - newest.at < LEAST_AGE_MS) {
      newest.isRefusedEarly = true
      if (unsteady.remainingMs() === 0) onUnsteady(unsteady.begin())
    } else if (!isNewest || newest?.isRefusedEarly !== true) unsteady.reset()
  }

  return {
    isAllowed(refused: Secret, requester: string): boolean {
      const isKnown = refusedAgain.has(requester)
      if (cooldown.remainingMs() > 0 && (isKnown || lastAccepted?.equals(refused) !== true)) return false
      if (!isKnown) noteRefusal(refused)
      return unsteady.remainingMs() === 0
    },
    /** Notes that the token replaces one that was refused; returns it. */
    renewed(token: Secret): Secret {
      if (newest?.token.equals(token) !== true) newest = { token, at: now(), isRefusedEarly: false }
      return token
    },
    /** Whether tokens are refused soon after they were accepted. */
    isUnsteady: (): boolean => unsteady.remainingMs() > 0,
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
