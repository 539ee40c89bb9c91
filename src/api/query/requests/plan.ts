import type { ApiError } from '../../errors/errors.ts'
import { LONGEST_INTERVAL_SECONDS, USUAL_INTERVAL_SECONDS, windowSeconds } from '../answers/intervals.ts'
import { refusalWords } from '../answers/refusals.ts'
import { type Dialect, QUERIES, type Query } from './queries.ts'

/** The queries of one system and what it supports, as far as is known. */
export interface Plan {
  queries(): readonly Query[]
  dialect(): Dialect
  /** Whether ranges have wrong values, by the version of the system or by an answer with points outside of its range. */
  noteDefect(hasDefect: boolean): void
  /**
   * Queries ask as far back as the interval of the points needs.
   * @param seconds undefined: the answers have no second point of any counter
   * @returns whether the queries asked not far enough back for the rates
   */
  noteInterval(seconds: number | undefined): boolean
  /**
   * Changes the plan after a failure of a query.
   * @returns the queries to send instead; undefined: the query stays as it is
   */
  adapt(query: Query, failure: ApiError): readonly Query[] | undefined
  /** From now on, the parts of a query are sent instead of it. */
  split(query: Query): void
  /** Whether this is the first call for this query: its parts are tried once. */
  triesParts(query: Query): boolean
  /** Forgets what the system refused, which an upgrade or another load may have changed. */
  restart(): void
}

export function createPlan(): Plan {
  const splits = new Set<Query>()
  const tried = new Set<Query>()
  let lastOnly = false
  let intervalSeconds = USUAL_INTERVAL_SECONDS

  const current = (query: Query): readonly Query[] =>
    splits.has(query) ? query.parts.flatMap(current) : [query]

  return {
    queries: () => QUERIES.flatMap(current),
    dialect: () => ({ lastOnly, windowSeconds: windowSeconds(intervalSeconds) }),
    noteDefect(hasDefect) {
      lastOnly = hasDefect
    },
    noteInterval(seconds) {
      // With the newest points only, the second point comes with a later poll.
      const next = seconds ?? (lastOnly ? intervalSeconds : LONGEST_INTERVAL_SECONDS)
      const isLonger = next > intervalSeconds
      intervalSeconds = next
      return isLonger && !lastOnly
    },
    adapt(query, failure) {
      if (!isRefused(failure) || query.parts.length === 0) return undefined
      splits.add(query)
      return query.parts
    },
    split: (query) => void splits.add(query),
    triesParts(query) {
      const isFirst = query.parts.length > 0 && !tried.has(query)
      tried.add(query)
      return isFirst
    },
    restart() {
      splits.clear()
      tried.clear()
    },
  }
}

/** Whether the system refuses this query, or its answer cannot be used, also when it is sent again. */
export function isRefused({ reason, detail }: Pick<ApiError, 'reason' | 'detail'>): boolean {
  return reason === 'too_large' || refusalWords(detail) !== undefined
}
