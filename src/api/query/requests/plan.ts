import type { ApiError } from '../../errors/errors.ts'
import { LONGEST_INTERVAL_SECONDS, USUAL_INTERVAL_SECONDS, windowSeconds } from '../answers/intervals.ts'
import { refusalWords } from '../answers/refusals.ts'
import { type Dialect, QUERIES, type Query } from './queries.ts'

/** The queries of one system and what it supports, as far as is known. */
export type Plan = ReturnType<typeof createPlan>

export function createPlan() {
  const splits = new Set<Query>()
  const tried = new Set<Query>()
  let lastOnly = false
  let intervalSeconds = USUAL_INTERVAL_SECONDS

  const current = (query: Query): readonly Query[] =>
    splits.has(query) ? query.parts.flatMap(current) : [query]

  return {
    queries: (): readonly Query[] => QUERIES.flatMap(current),
    dialect: (): Dialect => ({ lastOnly, windowSeconds: windowSeconds(intervalSeconds) }),
    /** Whether ranges have wrong values, by the version of the system or by an answer with points outside of its range. */
    noteDefect(hasDefect: boolean): void {
      lastOnly = hasDefect
    },
    /**
     * Queries reach as far back as the interval of the points needs.
     * @param seconds undefined: the answers have no second point of any counter
     * @returns whether the queries did not reach far enough back for the rates
     */
    noteInterval(seconds: number | undefined): boolean {
      // With the newest points only, the second point comes with a later poll.
      const next = seconds ?? (lastOnly ? intervalSeconds : LONGEST_INTERVAL_SECONDS)
      const isLonger = next > intervalSeconds
      intervalSeconds = next
      return isLonger && !lastOnly
    },
    /** The queries to send instead of one that failed, now and later; undefined: it stays as it is. */
    adapt(query: Query, failure: ApiError): readonly Query[] | undefined {
      if (!isRefused(failure) || query.parts.length === 0) return undefined
      splits.add(query)
      return query.parts
    },
    /** From now on, the parts of a query are sent instead of it. */
    split: (query: Query): void => void splits.add(query),
    /** Whether this is the first call for this query: its parts are tried once. */
    triesParts(query: Query): boolean {
      const isFirst = query.parts.length > 0 && !tried.has(query)
      tried.add(query)
      return isFirst
    },
    /** Forgets what the system refused, which an upgrade or another load may have changed. */
    restart(): void {
      splits.clear()
      tried.clear()
    },
  }
}

/** Whether the system refuses this query, or its answer cannot be used, also when it is sent again. */
export function isRefused({ reason, detail }: Pick<ApiError, 'reason' | 'detail'>): boolean {
  return reason === 'too_large' || refusalWords(detail) !== undefined
}
