import type { Rejection } from '../parse/reads.ts'

/** Values of one answer that were not taken, of one attribute and for one reason. */
export interface RejectedValue {
  readonly attribute: string
  readonly reason: Rejection
  /** The node and the words of the first of them, for the log. */
  readonly node: string
  readonly text: string
  readonly times: number
}

export interface RejectedValues {
  add(value: Omit<RejectedValue, 'times'>, times?: number): void
  /** How many were added. */
  count(): number
  list(): RejectedValue[]
}

/** Counts by attribute and reason, so that an answer full of nonsense needs no more memory than one with a little. */
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
