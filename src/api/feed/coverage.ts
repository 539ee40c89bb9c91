import { COVERAGE_ATTRIBUTES, type CoverageAttribute } from '../../catalogue.ts'
import { MAX_REJECTED_CHARACTERS, type Read, type Reject } from '../parse/reads.ts'
import type { RejectedValues } from './rejected_values.ts'

/** Number of nodes by state of one attribute. */
export interface Coverage {
  served: number
  absent: number
  unreadable: number
}

export type CoverageCounter = ReturnType<typeof createCoverageCounter>
export type NodeCoverageCounter = ReturnType<CoverageCounter['forNode']>

/** Counts the attributes of the nodes of one response; rejected values are added to `rejected`. */
export function createCoverageCounter(rejected: RejectedValues) {
  const coverage = new Map<CoverageAttribute, Coverage>(
    COVERAGE_ATTRIBUTES.map((attribute) => [attribute, { served: 0, absent: 0, unreadable: 0 }]),
  )

  function count(attribute: CoverageAttribute, state: keyof Coverage): void {
    const counts = coverage.get(attribute)
    if (counts !== undefined) counts[state] += 1
  }

  function forNode(id: string) {
    const node = id.slice(0, MAX_REJECTED_CHARACTERS)
    return {
      /** Counts the state of an attribute; returns its value if it is served. */
      record<T>(attribute: CoverageAttribute, read: Read<T>): T | undefined {
        count(attribute, read.state)
        if (read.state === 'unreadable')
          rejected.add({ attribute, reason: read.rejection, node, text: read.text })
        return read.state === 'served' ? read.value : undefined
      },
      /** As {@link record}, for attributes with a list of values, which are rejected one by one. */
      recordList<T>(
        attribute: CoverageAttribute,
        read: (reject: Reject) => T,
        isServed: (value: T) => boolean,
      ): T {
        const before = rejected.count()
        const value = read((reason, text, times) => rejected.add({ attribute, reason, node, text }, times))
        count(attribute, isServed(value) ? 'served' : rejected.count() > before ? 'unreadable' : 'absent')
        return value
      },
    }
  }

  return { coverage, forNode }
}
