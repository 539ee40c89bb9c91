import { setTimeout as sleep } from 'node:timers/promises'

export interface Waiting {
  /** Completes the sentence "waited 10 s for …". */
  readonly what: string
  /** Milliseconds; 10 s unless told. */
  readonly timeout?: number
  /** Milliseconds between two looks. */
  readonly interval?: number
  /** What to show when the wait was in vain, e.g. the log of the child. */
  readonly detail?: () => string
}

type Truthy<T> = Exclude<T, undefined | null | false | '' | 0>

/**
 * Looks until `condition` gives something truthy, and returns that. A condition that throws counts as not yet;
 * its last error is the cause of the error that says what was waited for.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, waiting: Waiting): Promise<Truthy<T>> {
  const { what, timeout = 10_000, interval = 25, detail = () => '' } = waiting
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
