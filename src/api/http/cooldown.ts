import { backoffMs } from '../../values/timers.ts'

const FIRST_MS = 30_000
/** Storage systems lock an address after ten refused logins; with this limit, ten take 55 minutes. */
const LONGEST_MS = 600_000

/** A pause after a failure that a repetition would only make worse: 30 s, doubled after each further one, at most 10 minutes. */
export type Cooldown = ReturnType<typeof createCooldown>

/** @param now monotonic clock in milliseconds */
export function createCooldown(now: () => number = () => performance.now()) {
  let failures = 0
  let endsAt = Number.NEGATIVE_INFINITY
  const lengthMs = () => backoffMs(failures, FIRST_MS, LONGEST_MS)
  const remainingMs = () => Math.max(0, endsAt - now())

  return {
    /** Milliseconds left; 0 when it is over or never began. */
    remainingMs,
    /**
     * Begins, and gives its length in milliseconds. Does nothing while it runs: failures side by side count once.
     * @param requestedMs its length, if the other side says so: then it is no further failure
     */
    begin(requestedMs?: number): number {
      if (remainingMs() > 0) return remainingMs()
      if (requestedMs === undefined) failures += 1
      const ms = requestedMs ?? lengthMs()
      endsAt = now() + ms
      return ms
    },
    /** Ends it; the next one is short again. */
    reset(): void {
      failures = 0
      endsAt = Number.NEGATIVE_INFINITY
    },
  }
}
