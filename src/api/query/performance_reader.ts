import { inSlices } from '../../slices.ts'
import { ApiError } from '../errors/errors.ts'
import type { QueryAnswer } from './answer.ts'
import { createInterfaceRule, type InterfaceFilter } from './interfaces.ts'
import { type PerformanceReading, performanceSteps } from './performance.ts'
import { createPlan, isOfQuery, type Plan } from './plan.ts'
import type { Dialect, Query } from './queries.ts'
import { createRememberedPoints } from './remembered_points.ts'

/** A query that failed while others succeeded. */
export interface FailedQuery {
  readonly name: string
  readonly failure: ApiError
}

export interface PerformanceAnswers {
  readonly reading: PerformanceReading
  readonly failed: readonly FailedQuery[]
  /** Names of the queries that the system has no data for. */
  readonly empty: readonly string[]
}

/** Reads the performance of all nodes of one system. Remembers which queries the system supports. */
export interface PerformanceReader {
  /** @throws {ApiError} when the query interface fails, or each of the queries */
  read(signal: AbortSignal): Promise<PerformanceAnswers>
}

export interface PerformanceReaderOptions {
  readonly interfaces: InterfaceFilter
  readonly query: (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>
  /** Whether ranges of this system are wrong; undefined if its version cannot be read. */
  readonly hasRangeDefect: (signal: AbortSignal) => Promise<boolean | undefined>
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** An upgrade changes the version. */
const VERSION_CHECK_MS = 3_600_000

export function createPerformanceReader(options: PerformanceReaderOptions): PerformanceReader {
  const { now = () => performance.now() } = options
  const plan = createPlan()
  const remembered = createRememberedPoints()
  const interfaces = createInterfaceRule(options.interfaces)
  let checkAtMs = Number.NEGATIVE_INFINITY

  async function checkVersion(signal: AbortSignal): Promise<void> {
    if (now() < checkAtMs) return
    const hasDefect = await options.hasRangeDefect(signal)
    checkAtMs = now() + VERSION_CHECK_MS
    if (hasDefect !== undefined) plan.noteVersion(hasDefect)
  }

  /** In versions with the defect, ranges also have points outside of them, and the values inside are wrong. */
  function usable(answers: readonly QueryAnswer[]): readonly QueryAnswer[] {
    if (answers.some(({ outside }) => outside > 0)) plan.noteOutside()
    return plan.dialect().lastOnly ? remembered.add(answers) : answers
  }

  return {
    async read(signal) {
      await checkVersion(signal)
      const { answers, failed } = await askAll(plan, options.query, signal)
      const [first] = failed
      if (answers.size === 0 && first !== undefined) throw first.failure
      const failedFields = new Set(failed.flatMap(({ query }) => fieldsOf(query)))
      const steps = performanceSteps(usable([...answers.values()]), { interfaces, failedFields })
      const reading = await inSlices(steps, signal)
      const empty = [...answers].filter(([, { stop }]) => stop === undefined)
      return {
        reading,
        failed: failed.map(({ query: { name }, failure }) => ({ name, failure })),
        empty: empty.map(([{ name }]) => name),
      }
    },
  }
}

function fieldsOf({ selections }: Query): readonly string[] {
  return selections.flatMap(({ fields }) => fields ?? [])
}

interface Outcomes {
  readonly answers: ReadonlyMap<Query, QueryAnswer>
  readonly failed: readonly { readonly query: Query; readonly failure: ApiError }[]
}

/** One query after the other: they share one permit, and a refusal that concerns all of them ends the poll. */
async function askAll(
  plan: Plan,
  ask: PerformanceReaderOptions['query'],
  signal: AbortSignal,
): Promise<Outcomes> {
  const left = [...plan.queries()]
  const answers = new Map<Query, QueryAnswer>()
  const failed: { query: Query; failure: ApiError }[] = []
  for (let query = left.shift(); query !== undefined; query = left.shift()) {
    try {
      answers.set(query, await ask(query, plan.dialect(), signal))
    } catch (failure) {
      if (!(failure instanceof ApiError) || !isOfQuery(failure)) throw failure
      const instead = plan.adapt(query, failure)
      if (instead === undefined) failed.push({ query, failure })
      else left.unshift(...instead)
    }
  }
  return { answers, failed }
}
