import { inSlices, type Steps } from '../../slices.ts'
import type { ApiError } from '../errors/errors.ts'
import type { QueryAnswer } from './answer.ts'
import { askAll, type Outcomes } from './ask_all.ts'
import { withEarlier } from './earlier_values.ts'
import { createInterfaceRule, type InterfaceFilter } from './interfaces.ts'
import { type PerformanceReading, performanceSteps } from './performance.ts'
import { createPlan } from './plan.ts'
import { type Dialect, fieldsOf, type Query } from './queries.ts'
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
  /** Whether the values of the read before are kept for a query that fails, while they are not too old. */
  readonly keepsEarlier?: boolean
  readonly query: (query: Query, dialect: Dialect, signal: AbortSignal) => Promise<QueryAnswer>
  /** Whether ranges of this system are wrong; undefined if its version cannot be read. */
  readonly hasRangeDefect: (signal: AbortSignal) => Promise<boolean | undefined>
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** An upgrade changes the version. */
const VERSION_CHECK_MS = 3_600_000

export function createPerformanceReader(options: PerformanceReaderOptions): PerformanceReader {
  const { keepsEarlier = true, now = () => performance.now() } = options
  const plan = createPlan()
  const remembered = createRememberedPoints()
  const interfaces = createInterfaceRule(options.interfaces)
  let checkAtMs = Number.NEGATIVE_INFINITY
  let last: PerformanceReading | undefined

  async function checkVersion(signal: AbortSignal): Promise<void> {
    if (now() < checkAtMs) return
    const hasDefect = await options.hasRangeDefect(signal)
    checkAtMs = now() + VERSION_CHECK_MS
    if (hasDefect !== undefined) plan.noteVersion(hasDefect)
  }

  /** In versions with the defect, ranges also have points outside of them, and the values inside are wrong. */
  async function askUsable(signal: AbortSignal): Promise<Outcomes> {
    const outcomes = await askAll(plan, options.query, signal)
    const isDefective = [...outcomes.answers.values()].some(({ outside }) => outside > 0)
    if (!isDefective || plan.dialect().lastOnly) return outcomes
    plan.noteOutside()
    return askAll(plan, options.query, signal)
  }

  function* readingSteps(
    answers: readonly QueryAnswer[],
    failed: readonly Query[],
  ): Steps<PerformanceReading> {
    const failedFields = new Set(failed.flatMap(fieldsOf))
    const usable = plan.dialect().lastOnly ? yield* remembered.addSteps(answers) : answers
    return yield* performanceSteps(usable, { interfaces, failedFields })
  }

  return {
    async read(signal) {
      await checkVersion(signal)
      const { answers, failed } = await askUsable(signal)
      const queries = failed.map(({ query }) => query)
      const steps = readingSteps([...answers.values()], queries)
      const reading = withEarlier(await inSlices(steps, signal), keepsEarlier ? last : undefined, queries)
      last = reading
      const empty = [...answers].filter(([, { stop }]) => stop === undefined)
      return {
        reading,
        failed: failed.map(({ query: { name }, failure }) => ({ name, failure })),
        empty: empty.map(([{ name }]) => name),
      }
    },
  }
}
