/** A computation; other tasks of the process may run at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Time after which other tasks get a turn. Short, because a listener accepts only one connection in each turn. */
const SLICE_MS = 1

/** Lets other tasks of the process run, such as requests that wait. @throws the reason of the signal when it is aborted */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

/** Runs a computation in slices of about 1 ms. @throws the reason of the signal when it is aborted */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let beganMs = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - beganMs < SLICE_MS) continue
    await nextTurn(signal)
    beganMs = performance.now()
  }
}

/** Runs a computation to its end without interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
