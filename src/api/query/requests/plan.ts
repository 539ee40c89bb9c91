import type { Subject } from '../../../query_catalogue.ts'
import { largest } from '../../../values/largest.ts'
import { ApiError } from '../../errors/errors.ts'
import { REASONS } from '../../errors/reasons.ts'
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
     * A query reaches as far back as the interval of its points needs. Without a second point of any counter this is
     * the longest interval; with the newest points only, the second point comes with a later poll.
     */
    noteInterval(query: Query, answers: readonly QueryAnswer[]): void {
      const needsSecond = !query.isGauge && !lastOnly && answers.some(({ stop }) => stop !== undefined)
      const seconds = longestInterval(answers) ?? (needsSecond ? LONGEST_INTERVAL_SECONDS : undefined)
      if (seconds !== undefined) intervals.set(query, seconds)
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

export interface QueryResults<Answer = QueryAnswer> {
  /** At least one. */
  readonly answers: ReadonlyMap<Query, Answer>
  readonly failures: ReadonlyMap<Query, ApiError>
}

/** Sends a query. @throws {ApiError} */
export type SendQuery = (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>

/** Failures of an endpoint in a row, such as timeouts, after which the other queries are not sent. */
const MOST_FAILURES = 2

export type IsSent = (query: Query) => boolean

interface RequestOptions<Answer> {
  readonly send: (query: Query) => Promise<Answer>
  /** Whether an answer has no rows. */
  readonly isEmpty: (answer: Answer) => boolean
  readonly isSent: IsSent
  /** The queries to send last instead of one that failed; undefined: those of the plan. */
  readonly instead?: (
    query: Query,
    failure: ApiError,
    answers: ReadonlyMap<Query, Answer>,
  ) => readonly Query[] | undefined
}

/**
 * Sends the queries of a plan one after the other, so that they take one permit. One may fail without an effect on the
 * others.
 * @throws {ApiError} for a failure that concerns all queries, and when none is answered
 */
export async function requestAll<Answer>(
  plan: Plan,
  options: RequestOptions<Answer>,
): Promise<QueryResults<Answer>> {
  const sequence = createSequence(plan, options)
  await sequence.run(plan.queries().filter(options.isSent))
  await tryParts(plan, sequence, options)
  const isPlanned = new Set(plan.queries())
  const planned = <T>(results: ReadonlyMap<Query, T>) =>
    new Map([...results].filter(([query]) => isPlanned.has(query)))
  return { answers: planned(sequence.answers), failures: planned(sequence.failures) }
}

type Sequence<Answer> = ReturnType<typeof createSequence<Answer>>

function createSequence<Answer>(plan: Plan, { send, isSent, instead }: RequestOptions<Answer>) {
  const answers = new Map<Query, Answer>()
  const failures = new Map<Query, ApiError>()
  let inRow = 0

  /** Whether the others will fail, too: a store may lack one bucket, or fail for it, and have the others. */
  function othersWillFail(): boolean {
    const buckets = new Set([...failures.keys()].map(({ bucket }) => bucket))
    return answers.size === 0 && (inRow >= MOST_FAILURES || buckets.size > 1)
  }

  /** @returns the queries to send instead */
  function noteFailure(query: Query, failure: unknown): readonly Query[] {
    if (!(failure instanceof ApiError) || REASONS[failure.reason].allQueries) throw failure
    inRow = REASONS[failure.reason].origin === 'endpoint' ? inRow + 1 : 0
    const others =
      inRow < MOST_FAILURES
        ? (instead?.(query, failure, answers) ?? plan.adapt(query, failure)?.filter(isSent))
        : undefined
    if (others === undefined) failures.set(query, failure)
    if (othersWillFail()) throw failure
    return others ?? []
  }

  async function sendOne(query: Query): Promise<readonly Query[]> {
    try {
      answers.set(query, await send(query))
      inRow = 0
      return []
    } catch (failure) {
      return noteFailure(query, failure)
    }
  }

  return {
    answers,
    failures,
    async run(queries: readonly Query[]): Promise<void> {
      const left = [...queries]
      for (let query = left.shift(); query !== undefined; query = left.shift()) {
        left.push(...(await sendOne(query)))
        const failure = failures.get(query)
        if (failure !== undefined && inRow >= MOST_FAILURES)
          for (const rest of left.splice(0)) failures.set(rest, failure)
      }
      const [first] = failures.values()
      if (answers.size === 0 && first !== undefined) throw first
    },
  }
}

/** A query of several measurements may be answered without rows although its parts have some, as by 3.8.1.1. */
async function tryParts<Answer>(
  plan: Plan,
  { answers, run }: Sequence<Answer>,
  { isEmpty, isSent }: RequestOptions<Answer>,
): Promise<void> {
  const hasNoRows = (query: Query) => {
    const answer = answers.get(query)
    return answer !== undefined && isEmpty(answer)
  }
  if ([...answers.keys()].every(hasNoRows)) return
  async function hasRows(query: Query): Promise<boolean> {
    if (!hasNoRows(query)) return answers.has(query)
    if (!plan.triesParts(query)) return false
    const parts = query.parts.filter(isSent)
    await run(parts)
    let found = false
    for (const part of parts) found = (await hasRows(part)) || found
    if (found) plan.split(query)
    return found
  }
  for (const query of plan.queries()) await hasRows(query)
}
