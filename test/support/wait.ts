import { setTimeout as sleep } from 'node:timers/promises'

export interface Waiting {
  /** Completes the sentence "waited 10 s for …". */
  readonly what: string
  /** Milliseconds; `DEFAULT_WAIT_MS` by default. */
  readonly timeout?: number
  /** Milliseconds between two checks. */
  readonly interval?: number
  /** Text to add to the error after the timeout, such as the log of a child process. */
  readonly detail?: () => string
}

/**
 * An upper bound for a condition that a loaded machine still meets. A test that fails because of it shows a fault; a
 * test that passes never waits so long.
 */
export const DEFAULT_WAIT_MS = 100_000

type Truthy<T> = Exclude<T, undefined | null | false | '' | 0>

/**
 * Repeats `condition` until it returns a truthy value, and returns that value. Errors of the condition are ignored until
 * the timeout; the last one is the cause of the error.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, waiting: Waiting): Promise<Truthy<T>> {
  const { what, timeout = DEFAULT_WAIT_MS, interval = 25, detail = () => '' } = waiting
  const deadline = performance.now() + timeout
  let cause: unknown
  do {
    try {
      const value = await condition()
      if (value) return value as Truthy<T>
    } catch (failure) {
      cause = failure
    }
    await sleep(interval)
  } while (performance.now() < deadline)
  const last = cause instanceof Error ? `; last error: ${cause.message}` : ''
  throw new Error(`waited ${timeout / 1000} s for ${what}${last}\n${detail()}`.trimEnd(), { cause })
}

/** Repeats an assertion until it holds. At the deadline its last error is the cause of the error. */
export async function waitForAssertion(
  assertion: () => unknown,
  waiting: Partial<Waiting> = {},
): Promise<void> {
  const holds = async () => {
    await assertion()
    return true
  }
  await waitFor(holds, { what: 'an assertion to hold', ...waiting })
}
