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

export type RejectedValues = ReturnType<typeof createRejectedValues>

/** Counts by attribute and reason, so that memory does not grow with the number of rejected values. */
export function createRejectedValues() {
  const byKind = new Map<string, RejectedValue>()
  let count = 0
  return {
    add(value: Omit<RejectedValue, 'times'>, times: number = 1): void {
      count += times
      const kind = `${value.attribute} ${value.reason}`
      const first = byKind.get(kind) ?? { ...value, times: 0 }
      byKind.set(kind, { ...first, times: first.times + times })
    },
    count: (): number => count,
    list: (): RejectedValue[] => [...byKind.values()],
  }
}
