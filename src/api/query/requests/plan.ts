import type { Subject } from '../../../query_catalogue.ts'
import { largest } from '../../../values/largest.ts'
import type { ApiError } from '../../errors/errors.ts'
import type { QueryAnswer } from '../answers/answer.ts'
import {
  LONGEST_INTERVAL_SECONDS,
  longestInterval,
  USUAL_INTERVAL_SECONDS,
  windowSeconds,
} from '../answers/rates.ts'
import { refusalWords } from '../answers/refusals.ts'
import { type Dialect, QUERIES, type Query, subjectsOf } from './queries.ts'

/** The queries of one system and what it supports, as far as is known. */
export type Plan = ReturnType<typeof createPlan>

/** How far back queries reach, in seconds. */
export type Windows = (subject: Subject) => number

export function createPlan() {
  const splits = new Set<Query>()
  const tried = new Set<Query>()
  let lastOnly = false
  const intervals = new Map<Query, number>()

  const current = (query: Query): readonly Query[] =>
    splits.has(query) ? query.parts.flatMap(current) : [query]

  const queries = () => QUERIES.flatMap(current)

  /** Gauges of which one point is known have the interval of the counters of their bucket, which the same agent serves. */
  function windowOf(query: Query): number {
    const similar = query.isGauge ? queries().filter(({ bucket }) => bucket === query.bucket) : []
    const seconds = intervals.get(query) ?? largest(similar.map((one) => intervals.get(one)))
    return windowSeconds(seconds ?? USUAL_INTERVAL_SECONDS)
  }

  return {
    queries: (): readonly Query[] => queries(),
    isLastOnly: (): boolean => lastOnly,
    dialect: (query: Query): Dialect => ({ lastOnly, windowSeconds: windowOf(query) }),
    /** How far back the queries reach, by what their values are about. */
    windows(): Windows {
      const seconds = new Map<Subject, number>()
      for (const query of queries())
        for (const subject of subjectsOf(query))
          seconds.set(subject, Math.max(seconds.get(subject) ?? 0, windowOf(query)))
      return (subject) => seconds.get(subject) ?? windowSeconds(USUAL_INTERVAL_SECONDS)
    },
    /** Whether ranges have wrong values, by the version of the system or by an answer with points outside of its range. */
    noteDefect(hasDefect: boolean): void {
      lastOnly = hasDefect
    },
    /**
     * Each query reaches as far back as the interval of its points needs. Without a second point of any counter this is
     * the longest interval; with the newest points only, the second point comes with a later poll.
     */
    noteIntervals(all: ReadonlyMap<Query, readonly QueryAnswer[]>): void {
      for (const [query, answers] of all) {
        const needsSecond = !query.isGauge && !lastOnly && answers.some(({ stop }) => stop !== undefined)
        const seconds = longestInterval(answers) ?? (needsSecond ? LONGEST_INTERVAL_SECONDS : undefined)
        if (seconds !== undefined) intervals.set(query, seconds)
      }
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
