import { ApiError } from '../../errors/errors.ts'
import { REASONS, type Reason } from '../../errors/reasons.ts'
import type { QueryAnswer } from '../answers/answer.ts'
import type { Plan } from './plan.ts'
import type { Dialect, Query } from './queries.ts'

/** What became of the queries of a plan. */
export interface QueryResults {
  /** At least one. */
  readonly answers: ReadonlyMap<Query, QueryAnswer>
  readonly failures: ReadonlyMap<Query, ApiError>
}

export type SendQuery = (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>

/** Failures that every query would have. */
const OF_ALL: readonly Reason[] = ['forbidden', 'not_found', 'auth', 'throttled', 'local']
/** Failures of a node in a row, such as timeouts, after which the rest is not sent: the next poll comes soon. */
const MOST_IN_ROW = 2
/** If the first queries, which have no parts, fail, the others do too. */
const MOST_AT_FIRST = 2

/**
 * Sends one query after the other, so that they take one permit. One query may fail without an effect on the others.
 * @throws {ApiError} for a failure that concerns all queries, and when none is answered
 */
export async function requestAll(plan: Plan, send: SendQuery, signal: AbortSignal): Promise<QueryResults> {
  const sequence = createSequence(plan, send, signal)
  await sequence.run(plan.queries())
  await tryParts(plan, sequence)
  const isPlanned = new Set(plan.queries())
  const planned = <T>(results: ReadonlyMap<Query, T>) =>
    new Map([...results].filter(([query]) => isPlanned.has(query)))
  return { answers: planned(sequence.answers), failures: planned(sequence.failures) }
}

interface Sequence extends QueryResults {
  run(queries: readonly Query[]): Promise<void>
}

function createSequence(plan: Plan, send: SendQuery, signal: AbortSignal): Sequence {
  const answers = new Map<Query, QueryAnswer>()
  const failures = new Map<Query, ApiError>()
  let inRow = 0

  /** @returns the queries to send instead */
  function noteFailure(query: Query, failure: unknown): readonly Query[] {
    if (!(failure instanceof ApiError) || OF_ALL.includes(failure.reason)) throw failure
    const instead = plan.adapt(query, failure)
    if (instead === undefined) failures.set(query, failure)
    const isOfNode = REASONS[failure.reason].origin === 'endpoint'
    inRow = isOfNode ? inRow + 1 : 0
    // The first query is the probe of whether the interface works.
    if (answers.size === 0 && (isOfNode || failures.size >= MOST_AT_FIRST)) throw failure
    return instead ?? []
  }

  async function sendOne(query: Query): Promise<readonly Query[]> {
    try {
      answers.set(query, await send(query, plan.dialect(), signal))
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
        left.unshift(...(await sendOne(query)))
        const failure = failures.get(query)
        if (failure === undefined || inRow < MOST_IN_ROW) continue
        for (const rest of left.splice(0)) failures.set(rest, failure)
      }
    },
  }
}

/** A query of several measurements may be answered without rows although its parts have some, as by 3.8.1.1. */
async function tryParts(plan: Plan, { answers, run }: Sequence): Promise<void> {
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
