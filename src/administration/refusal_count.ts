import { AUDIT_PREFIX, type Log } from '../log.ts'

/** A request that was refused and has no audit line of its own. */
type UnauditedRefusal = { readonly address: string; readonly status: number }

const INTERVAL_MS = 60_000

/** Counts refusals and writes audit lines with their number: the first one at once, further ones once per minute. */
export function createRefusalCount(log: Log, message: string): (refusal: UnauditedRefusal) => void {
  let count = 0
  let last: UnauditedRefusal | undefined
  let isWaiting = false

  function report(): void {
    isWaiting = false
    if (last === undefined || count === 0) return
    const { address, status } = last
    log.warn(`${AUDIT_PREFIX}${message}`, { count, last_address: address, last_status: status })
    count = 0
    isWaiting = true
    setTimeout(report, INTERVAL_MS).unref()
  }

  return (refusal) => {
    count += 1
    last = refusal
    if (!isWaiting) report()
  }
}
