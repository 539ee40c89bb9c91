import { COVERAGE_ATTRIBUTES, type CoverageAttribute } from '../../catalogue.ts'
import { MAX_QUOTED_CHARACTERS, type Read, type Reject } from '../parse/reads.ts'
import type { RejectedValues } from './rejected_values.ts'

/** In how many nodes an attribute is in which state. */
export interface Coverage {
  served: number
  absent: number
  unreadable: number
}

/** Takes what was read of one node, and counts it. */
export interface NodeTally {
  /** Counts the state, and gives the value where there is one. */
  settle<T>(attribute: CoverageAttribute, read: Read<T>): T | undefined
  /** As {@link settle}, for attributes of many values, which are rejected one by one. */
  settleMany<T>(attribute: CoverageAttribute, read: (reject: Reject) => T, isServed: (value: T) => boolean): T
}

export interface Tally {
  readonly coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>
  ofNode(id: string): NodeTally
}

/** Counts what the nodes of one answer serve; what had to be left out is added to `rejected`. */
export function createTally(rejected: RejectedValues): Tally {
  const coverage = new Map<CoverageAttribute, Coverage>(
    COVERAGE_ATTRIBUTES.map((attribute) => [attribute, { served: 0, absent: 0, unreadable: 0 }]),
  )

  function count(attribute: CoverageAttribute, state: keyof Coverage): void {
    const counts = coverage.get(attribute)
    if (counts !== undefined) counts[state] += 1
  }

  function ofNode(id: string): NodeTally {
    const node = id.slice(0, MAX_QUOTED_CHARACTERS)
    return {
      settle(attribute, read) {
        count(attribute, read.state)
        if (read.state === 'unreadable')
          rejected.add({ attribute, reason: read.rejection, node, text: read.text })
        return read.state === 'served' ? read.value : undefined
      },
      settleMany(attribute, read, isServed) {
        const before = rejected.count()
        const value = read((reason, text, times) => rejected.add({ attribute, reason, node, text }, times))
        count(attribute, isServed(value) ? 'served' : rejected.count() > before ? 'unreadable' : 'absent')
        return value
      },
    }
  }

  return { coverage, ofNode }
}
