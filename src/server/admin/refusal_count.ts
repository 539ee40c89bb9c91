import { AUDIT_PREFIX, type Log } from '../../log.ts'

/** A deletion that was refused before it had an audit record. */
export interface UnauditedRefusal {
  /** IP address of the caller. */
  readonly address: string
  /** HTTP status of the response. */
  readonly status: number
}

const INTERVAL_MS = 60_000

/** Calls a task after {@link INTERVAL_MS}. */
export type Later = (task: () => void) => void

const afterInterval: Later = (task) => setTimeout(task, INTERVAL_MS).unref()

/** Counts refusals and logs their number: the first one at once, further ones once per minute. */
export function createRefusalCount(
  log: Log,
  later: Later = afterInterval,
): (refusal: UnauditedRefusal) => void {
  let count = 0
  let last: UnauditedRefusal | undefined
  let isWaiting = false

  function report(): void {
    isWaiting = false
    if (last === undefined || count === 0) return
    const { address, status } = last
    log.warn(`${AUDIT_PREFIX}deletions refused without an audit line`, {
      count,
      last_address: address,
      last_status: status,
    })
    count = 0
    isWaiting = true
    later(report)
  }

  return (refusal) => {
    count += 1
    last = refusal
    if (!isWaiting) report()
  }
}
