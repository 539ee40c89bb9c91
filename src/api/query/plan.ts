import type { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import { type Dialect, QUERIES, type Query } from './queries.ts'

/** The queries of one system and what it supports, as far as is known. */
export interface Plan {
  queries(): readonly Query[]
  dialect(): Dialect
  /** What the version of the system says about the range defect. An upgrade may have removed it. */
  noteVersion(hasDefect: boolean): void
  /** An answer had points outside of its range. */
  noteOutside(): void
  /**
   * Changes the plan after a failure of a query, for this poll and all later ones.
   * @returns the queries to ask instead; undefined: the query stays as it is
   */
  adapt(query: Query, failure: ApiError): readonly Query[] | undefined
}

/** Failures that smaller queries may not have. */
const OF_QUERY: readonly Reason[] = ['client_error', 'too_large', 'schema']

/** Whether other queries may succeed all the same. */
export function isOfQuery({ reason }: ApiError): boolean {
  return OF_QUERY.includes(reason) || reason === 'syntax' || reason === 'encoding'
}

export function createPlan(): Plan {
  let queries = QUERIES
  let lastOnly = false

  return {
    queries: () => queries,
    dialect: () => ({ lastOnly }),
    noteVersion(hasDefect) {
      lastOnly = hasDefect
    },
    noteOutside() {
      lastOnly = true
    },
    adapt(query, failure) {
      if (!OF_QUERY.includes(failure.reason) || query.parts.length === 0) return undefined
      queries = queries.flatMap((one) => (one === query ? query.parts : one))
      return query.parts
    },
  }
}
