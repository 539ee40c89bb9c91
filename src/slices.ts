/** A turn of the event loop that takes longer had other tasks. */
const IDLE_TURN_MS = 0.1

/** Lets other tasks of the process run, such as requests that wait. @throws the reason of the signal when it is aborted */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

/**
 * Waits for the next turn of the event loop, and then until no other task is due.
 * @param deadlineMs when the wait ends although other tasks are due, by `performance.now()`
 * @returns the time by `performance.now()`
 * @throws the reason of the signal when it is aborted
 */
export async function whenIdle(deadlineMs: number, signal?: AbortSignal): Promise<number> {
  for (let turnMs = performance.now(); ; ) {
    await nextTurn(signal)
    const nowMs = performance.now()
    if (nowMs - turnMs < IDLE_TURN_MS || nowMs > deadlineMs) return nowMs
    turnMs = nowMs
  }
}
