import type { Secret } from '../../config/values/secret.ts'
import { createCooldown } from '../http/cooldown.ts'

/** Bound of the memory: more requesters than a system can have at a time. */
const MAX_IN_VAIN = 10_000

/**
 * Decides whether a refused token is replaced. A new token that is refused, too, begins a cooldown: the account lacks a
 * role, or the refusal has another cause. During it no token is replaced that was never accepted, nor one for a
 * requester whose renewal was in vain; so one pool that is refused for good neither logs in all the time nor keeps
 * the others from a new token.
 */
export interface Renewals {
  allowed(refused: Secret, requester: string): boolean
  accepted(token: Secret, requester: string): void
  inVain(requester: string): void
}

/** @param now monotonic clock in milliseconds */
export function createRenewals(now?: () => number): Renewals {
  const cooldown = createCooldown(now)
  const inVain = new Set<string>()
  let lastAccepted: Secret | undefined

  return {
    allowed(refused, requester) {
      if (cooldown.remainingMs() === 0) return true
      return lastAccepted?.equals(refused) === true && !inVain.has(requester)
    },
    accepted(token, requester) {
      lastAccepted = token
      inVain.delete(requester)
      if (inVain.size === 0) cooldown.reset()
    },
    inVain(requester) {
      if (inVain.size >= MAX_IN_VAIN) inVain.clear()
      inVain.add(requester)
      cooldown.begin()
    },
  }
}

/**
 * Detects an expired token that is answered with a login page and status 200. If a requester gets a page twice, and none
 * had data since the first one, then all get pages. The next page is counted when an answer had data again, so a proxy
 * that answers everything with a page causes one login.
 */
export function createPageCount() {
  const requesters = new Set<string>()
  let hadData = false
  return {
    decoded(): void {
      hadData = true
      requesters.clear()
    },
    isExpired(requester: string): boolean {
      if (!hadData) return false
      if (requesters.size >= MAX_IN_VAIN) requesters.clear()
      const isSecond = requesters.has(requester)
      requesters.add(requester)
      if (isSecond) hadData = false
      return isSecond
    },
  }
}
