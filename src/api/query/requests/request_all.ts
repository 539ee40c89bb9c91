import { ApiError } from '../../errors/errors.ts'
import { REASONS } from '../../errors/reasons.ts'
import type { QueryAnswer } from '../answers/answer.ts'
import type { Plan } from './plan.ts'
import type { Dialect, Query } from './queries.ts'

/** What became of queries. */
export interface QueryResults<Answer = QueryAnswer> {
  /** At least one. */
  readonly answers: ReadonlyMap<Query, Answer>
  readonly failures: ReadonlyMap<Query, ApiError>
}

export type SendQuery = (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>

/**
 * Failures after which the rest is not sent: if the first queries, which have no parts, fail, the others do too, and so
 * they do after failures of an endpoint in a row, such as timeouts.
 */
const MOST_FAILURES = 2

/** Sends one query after the other, so that they take one permit. One may fail without an effect on the others. */
export interface Sequence<Answer> extends QueryResults<Answer> {
  /** @throws {ApiError} for a failure that concerns all queries, and when none is answered */
  run(queries: readonly Query[]): Promise<void>
}

/** @param instead the queries to send last instead of one that failed; undefined: none */
export function createSequence<Answer>(
  send: (query: Query) => Promise<Answer>,
  instead: (query: Query, failure: ApiError) => readonly Query[] | undefined,
): Sequence<Answer> {
  const answers = new Map<Query, Answer>()
  const failures = new Map<Query, ApiError>()
  let inRow = 0

  /** @returns the queries to send instead */
  function noteFailure(query: Query, failure: unknown): readonly Query[] {
    if (!(failure instanceof ApiError) || REASONS[failure.reason].allQueries) throw failure
    inRow = REASONS[failure.reason].origin === 'endpoint' ? inRow + 1 : 0
    const others = inRow < MOST_FAILURES ? instead(query, failure) : undefined
    if (others === undefined) failures.set(query, failure)
    if (answers.size === 0 && Math.max(failures.size, inRow) >= MOST_FAILURES) throw failure
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
    async run(queries) {
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

/**
 * Sends the queries of a plan.
 * @throws {ApiError} for a failure that concerns all queries, and when none is answered
 */
export async function requestAll(plan: Plan, send: SendQuery, signal: AbortSignal): Promise<QueryResults> {
  const sequence = createSequence((query) => send(query, plan.dialect(), signal), plan.adapt)
  await sequence.run(plan.queries())
  await tryParts(plan, sequence)
  const isPlanned = new Set(plan.queries())
  const planned = <T>(results: ReadonlyMap<Query, T>) =>
    new Map([...results].filter(([query]) => isPlanned.has(query)))
  return { answers: planned(sequence.answers), failures: planned(sequence.failures) }
}

/** A query of several measurements may be answered without rows although its parts have some, as by 3.8.1.1. */
async function tryParts(plan: Plan, { answers, run }: Sequence<QueryAnswer>): Promise<void> {
  const isEmpty = (query: Query) => answers.has(query) && answers.get(query)?.stop === undefined
  if ([...answers.keys()].every(isEmpty)) return
  async function hasRows(query: Query): Promise<boolean> {
    if (!isEmpty(query)) return answers.has(query)
    if (!plan.triesParts(query)) return false
    await run(query.parts)
    let found = false
    for (const part of query.parts) found = (await hasRows(part)) || found
    if (found) plan.split(query)
    return found
  }
  for (const query of plan.queries()) await hasRows(query)
}
