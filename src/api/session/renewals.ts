import { BoundedMap } from '../../values/bounded_map.ts'
import type { Secret } from '../../values/secret.ts'
import { createCooldown } from '../http/waiting.ts'

/** Bound of the memory: more paths than a system is asked for at a time. */
const MAX_PATHS = 10_000
/** A new token that is refused earlier was not refused for its age, and one that was accepted since works. */
const RECENT_MS = 60_000

/**
 * Decides whether a refused token is replaced. A refusal belongs to the request that was refused, by its path: if the token
 * was accepted for other paths within a minute and not for this one, it is not replaced. A new token that is refused, too,
 * for the request it was renewed for, begins a cooldown: during it, only a token is replaced that was accepted for the same
 * path. So does a new token that is refused within a minute for a path that was accepted before: during it, this token is not
 * replaced for any path.
 * @param now monotonic clock in milliseconds
 * @param onUnsteady called when such a token is refused
 */
export function createRenewals(
  now: () => number = () => performance.now(),
  onUnsteady: (cooldownMs: number) => void = () => undefined,
) {
  const cooldown = createCooldown(now)
  let newest: { readonly token: Secret; readonly atMs: number; isUnsteady: boolean } | undefined
  const acceptedFor = new BoundedMap<string, Secret>(MAX_PATHS)
  let lastAccepted: { readonly token: Secret; readonly atMs: number } | undefined

  const isRecent = ({ atMs }: { readonly atMs: number }) => now() - atMs < RECENT_MS

  function isUnsteady(refused: Secret, wasAccepted: boolean): boolean {
    if (newest?.token.equals(refused) !== true) return false
    if (wasAccepted && !newest.isUnsteady && isRecent(newest)) {
      newest.isUnsteady = true
      onUnsteady(cooldown.begin())
    }
    return newest.isUnsteady
  }

  return {
    /** Whether a token that was refused for a path is replaced. */
    isAllowed(refused: Secret, path: string): boolean {
      const accepted = acceptedFor.get(path)
      if (!isUnsteady(refused, accepted !== undefined)) {
        if (accepted?.equals(refused) === true) {
          cooldown.reset()
          return true
        }
        if (lastAccepted?.token.equals(refused) === true && isRecent(lastAccepted)) return false
      }
      return cooldown.remainingMs() === 0
    },
    /** Notes that the token replaces one that was refused; returns it. */
    renewed(token: Secret): Secret {
      if (newest?.token.equals(token) !== true) newest = { token, atMs: now(), isUnsteady: false }
      return token
    },
    /** Whether the newest token was refused soon after it was accepted, so that it is not replaced at the moment. */
    isUnsteady: (): boolean => newest?.isUnsteady === true && cooldown.remainingMs() > 0,
    accepted(token: Secret, path: string): void {
      lastAccepted = { token, atMs: now() }
      acceptedFor.set(path, token)
    },
    renewalRefused(path: string): void {
      acceptedFor.delete(path)
      cooldown.begin()
    },
    ...createPages(),
  }
}

/** Notes requests that get login pages with status 200. A proxy that responds to everything with pages causes one login. */
function createPages() {
  const gotPage = new BoundedMap<string, true>(MAX_PATHS)
  let hadData = false
  let expired: Secret | undefined
  return {
    decoded(): void {
      hadData = true
      gotPage.clear()
    },
    gotPage(token: Secret, path: string): void {
      if (hadData && gotPage.has(path)) {
        expired = token
        hadData = false
      }
      gotPage.set(path, true)
    },
    /** Whether one path got a page twice, and none had data since the first. */
    isExpired: (token: Secret): boolean => expired?.equals(token) === true,
  }
}
