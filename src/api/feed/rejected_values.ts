import type { Rejection } from '../parse/reads.ts'

/** The rejected values of one response with the same attribute and reason. */
export interface RejectedValue {
  readonly attribute: string
  readonly reason: Rejection
  /** Node and text of the first of them, for the log. */
  readonly node: string
  readonly text: string
  readonly times: number
}

export interface RejectedValues {
  add(value: Omit<RejectedValue, 'times'>, times?: number): void
  /** Number of values added. */
  count(): number
  list(): RejectedValue[]
}

/** Counts by attribute and reason, so that memory does not grow with the number of rejected values. */
export function createRejectedValues(): RejectedValues {
  const byKind = new Map<string, RejectedValue>()
  let count = 0
  return {
    add(value, times = 1) {
      count += times
      const kind = `${value.attribute} ${value.reason}`
      const first = byKind.get(kind) ?? { ...value, times: 0 }
      byKind.set(kind, { ...first, times: first.times + times })
    },
    count: () => count,
    list: () => [...byKind.values()],
  }
}
