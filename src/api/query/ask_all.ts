import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import type { QueryAnswer } from './answer.ts'
import { isOfQuery, type Plan } from './plan.ts'
import type { Dialect, Query } from './queries.ts'

export interface Outcomes {
  /** At least one. */
  readonly answers: ReadonlyMap<Query, QueryAnswer>
  readonly failed: readonly { readonly query: Query; readonly failure: ApiError }[]
}

/** Failures that every query would have. */
const OF_ALL: readonly Reason[] = ['forbidden', 'not_found', 'auth', 'throttled', 'local']
/** Other failures in a row, such as timeouts, after which the rest is not asked: the next poll comes soon. */
const MOST_IN_ROW = 2
/** If the first queries, which have no parts, are refused, the others are too. */
const MOST_REFUSED_AT_FIRST = 2

/**
 * Asks one query after the other, so that they take one permit. One query may fail, such as a slow one, without an
 * effect on the others.
 * @throws {ApiError} for a failure that concerns all queries, and when none is answered
 */
export async function askAll(
  plan: Plan,
  ask: (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>,
  signal: AbortSignal,
): Promise<Outcomes> {
  const left = [...plan.queries()]
  const answers = new Map<Query, QueryAnswer>()
  const failed: { query: Query; failure: ApiError }[] = []
  let inRow = 0
  for (let query = left.shift(); query !== undefined; query = left.shift()) {
    try {
      answers.set(query, await ask(query, plan.dialect(), signal))
      inRow = 0
    } catch (cause) {
      const failure = checked(cause, { answered: answers.size, failed: failed.length })
      const instead = plan.adapt(query, failure)
      left.unshift(...(instead ?? []))
      if (instead === undefined) failed.push({ query, failure })
      inRow = isOfQuery(failure) ? 0 : inRow + 1
      if (inRow >= MOST_IN_ROW) failed.push(...left.splice(0).map((rest) => ({ query: rest, failure })))
    }
  }
  return { answers, failed }
}

/** @throws the failure, unless it is of one query only */
function checked(failure: unknown, before: { readonly answered: number; readonly failed: number }): ApiError {
  if (!(failure instanceof ApiError) || OF_ALL.includes(failure.reason)) throw failure
  if (before.answered > 0) return failure
  // The first query is the probe of whether the interface works.
  if (!isOfQuery(failure) || before.failed + 1 >= MOST_REFUSED_AT_FIRST) throw failure
  return failure
}
