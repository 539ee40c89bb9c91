import { ApiError } from '../../errors/errors.ts'
import { REASONS } from '../../errors/reasons.ts'
import type { QueryAnswer } from '../answers/answer.ts'
import type { Plan } from './plan.ts'
import type { Dialect, Query } from './queries.ts'

export interface QueryResults<Answer = QueryAnswer> {
  /** At least one. */
  readonly answers: ReadonlyMap<Query, Answer>
  readonly failures: ReadonlyMap<Query, ApiError>
}

/** Sends a query. @throws {ApiError} */
export type SendQuery = (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>

/** Failures of an endpoint in a row, such as timeouts, after which the other queries are not sent. */
const MOST_FAILURES = 2

export interface RequestOptions<Answer> {
  readonly send: (query: Query) => Promise<Answer>
  /** Whether an answer has no rows. */
  readonly isEmpty: (answer: Answer) => boolean
  /** Whether a query of the plan is sent; by default all are. */
  readonly isSent?: (query: Query) => boolean
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
  const { isSent = () => true } = options
  const sequence = createSequence(plan, options)
  await sequence.run(plan.queries().filter(isSent))
  await tryParts(plan, sequence, options)
  const isPlanned = new Set(plan.queries())
  const planned = <T>(results: ReadonlyMap<Query, T>) =>
    new Map([...results].filter(([query]) => isPlanned.has(query)))
  return { answers: planned(sequence.answers), failures: planned(sequence.failures) }
}

type Sequence<Answer> = ReturnType<typeof createSequence<Answer>>

function createSequence<Answer>(plan: Plan, { send, isSent = () => true, instead }: RequestOptions<Answer>) {
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
  { isEmpty, isSent = () => true }: RequestOptions<Answer>,
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
