/** A computation; other tasks of the process may run at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Time after which other tasks get a turn. Short, because a listener accepts only one connection in each turn. */
const SLICE_MS = 1
/** A turn of the event loop that takes longer had other tasks. */
const IDLE_TURN_MS = 0.1
/** Longest pause between two slices, so that a computation goes on while clients send requests all the time. */
const MAX_PAUSE_MS = 30

/** Lets other tasks of the process run, such as requests that wait. @throws the reason of the signal when it is aborted */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

/** Runs a computation in slices of about 1 ms, after other tasks that are due. @throws the reason of the signal when it is aborted */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let beganMs = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - beganMs < SLICE_MS) continue
    beganMs = await whenIdle(performance.now() + MAX_PAUSE_MS, signal)
  }
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

/** Items that are handled before other tasks may run. */
const ITEMS_IN_STEP = 200

export function* eachInSteps<T>(items: Iterable<T>, use: (item: T) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    use(item)
    count += 1
    if (count % ITEMS_IN_STEP === 0) yield
  }
}

/** Runs a computation to its end without interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
