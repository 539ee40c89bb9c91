import { largest } from '../../values/largest.ts'
import { ApiError } from '../errors/errors.ts'
import type { QueryAnswer } from './answers/answer.ts'
import { createPlan, type Plan } from './requests/plan.ts'
import { fieldsOf, type Query } from './requests/queries.ts'
import { type QueryResults, requestAll, type SendQuery } from './requests/request_all.ts'
import { createInterfaceRule, type InterfaceFilter } from './values/interfaces.ts'
import { calculatePerformance, type PerformanceReading } from './values/performance.ts'
import { createRememberedPoints } from './values/remembered_points.ts'

export type PerformancePoll = Awaited<ReturnType<PerformanceReader['read']>>

export interface PerformanceReaderOptions {
  readonly interfaces: InterfaceFilter
  /** Whether values that the answers lack are those of the answers before, while they are not too old. */
  readonly keepsEarlier?: boolean
  readonly query: SendQuery
  /** Limit of all answers together. A series takes 800 bytes of memory, and a node has 70. */
  readonly maxSeries?: number
  /** Whether ranges of this system are wrong; undefined if its version cannot be read. */
  readonly hasRangeDefect: (signal: AbortSignal) => Promise<boolean | undefined>
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** 740 nodes. */
const DEFAULT_MAX_SERIES = 52_428

/** Reads the performance of all nodes of one system. Remembers which queries the system supports. */
export type PerformanceReader = ReturnType<typeof createPerformanceReader>

export function createPerformanceReader(options: PerformanceReaderOptions) {
  const { keepsEarlier = true, maxSeries = DEFAULT_MAX_SERIES, now = () => performance.now() } = options
  const plan = createPlan()
  const recheck = createRecheck(plan, options, now)
  const stopOf = createStopTime(now)
  const request = createRequest(plan, options.query, maxSeries)
  const remembered = createRememberedPoints(keepsEarlier, maxSeries)
  const interfaces = createInterfaceRule(options.interfaces)

  function readingOf({ answers, failures }: QueryResults): PerformanceReading {
    const list = [...answers.values()]
    const stop = stopOf(list)
    const windowOf = plan.windows()
    const complete = stop === undefined ? list : remembered.add(list, stop, windowOf)
    if (plan.isLastOnly())
      plan.noteIntervals(
        new Map([...answers.keys()].map((query, index) => [query, complete.slice(index, index + 1)])),
      )
    const failedFields = new Set([...failures.keys()].flatMap(fieldsOf))
    return calculatePerformance(complete, { interfaces, failedFields, windowOf })
  }

  return {
    /** @throws {ApiError} when the Flux API fails, or each of the queries */
    async read(signal: AbortSignal) {
      await recheck(signal)
      const results = await request(signal)
      const reading = readingOf(results)
      const empty = [...results.answers].filter(([, { stop }]) => stop === undefined)
      return {
        reading,
        /** The queries that failed while others succeeded. */
        failed: [...results.failures].map(([{ name }, failure]) => ({ name, failure })),
        /** Names of the queries that the system has no data for. */
        empty: empty.map(([{ name }]) => name),
      }
    },
  }
}

/** Requests the answers to all queries of a plan. */
function createRequest(plan: Plan, query: SendQuery, maxSeries: number) {
  async function request(signal: AbortSignal, isSent?: (query: Query) => boolean): Promise<QueryResults> {
    const send = bounded(query, maxSeries)
    const sendOne = (one: Query) => send(one, plan.dialect(one), signal)
    return requestAll(plan, {
      send: sendOne,
      isEmpty: ({ stop }) => stop === undefined,
      ...(isSent && { isSent }),
    })
  }

  /** In versions with the defect, ranges also have points outside of them, and the values inside are wrong. */
  async function requestUsable(
    signal: AbortSignal,
    isSent?: (query: Query) => boolean,
  ): Promise<QueryResults> {
    const results = await request(signal, isSent)
    const isDefective = [...results.answers.values()].some(({ outside }) => outside > 0)
    if (!isDefective || plan.isLastOnly()) return results
    plan.noteDefect(true)
    return request(signal)
  }

  /** The interval of the points is not known before the first answers: they may have one point of each counter. */
  async function withLonger(first: QueryResults, signal: AbortSignal): Promise<QueryResults> {
    if (plan.isLastOnly()) return first
    const queries = [...first.answers.keys()]
    const before = new Map(queries.map((query) => [query, plan.dialect(query).windowSeconds]))
    plan.noteIntervals(new Map([...first.answers].map(([query, answer]) => [query, [answer]])))
    const isLonger = (query: Query) => plan.dialect(query).windowSeconds > (before.get(query) ?? Infinity)
    if (!queries.some(isLonger)) return first
    const again = await requestUsable(signal, isLonger).catch((failure: unknown) => {
      if (!(failure instanceof ApiError) || signal.aborted || plan.isLastOnly()) throw failure
      return first
    })
    if (plan.isLastOnly()) return again
    const answers = new Map([...first.answers, ...again.answers])
    return { answers, failures: first.failures }
  }

  return async (signal: AbortSignal): Promise<QueryResults> => withLonger(await requestUsable(signal), signal)
}

/** Refuses the answers with which there are too many series. */
function bounded(send: SendQuery, maxSeries: number): SendQuery {
  let count = 0
  return async (...query) => {
    const answer = await send(...query)
    if (count + answer.series.size > maxSeries)
      throw new ApiError('too_large', `the answers to the queries have more than ${maxSeries} series`)
    count += answer.series.size
    return answer
  }
}

/** After this time the version is read again, and what was refused is tried again: an upgrade may have changed both. */
const RECHECK_MS = 3_600_000

/** A version that could not be read is read with the next poll. */
function createRecheck(plan: Plan, { hasRangeDefect }: PerformanceReaderOptions, now: () => number) {
  let nextMs = Number.NEGATIVE_INFINITY
  let isVersionKnown = false
  return async (signal: AbortSignal): Promise<void> => {
    if (now() >= nextMs) {
      nextMs = now() + RECHECK_MS
      isVersionKnown = false
      plan.restart()
    }
    if (isVersionKnown) return
    const hasDefect = await hasRangeDefect(signal)
    if (hasDefect === undefined) return
    isVersionKnown = true
    plan.noteDefect(hasDefect)
  }
}

/** Time of the answers by the clock of the system, also if they have no rows; undefined before the first rows. */
function createStopTime(now: () => number): (answers: readonly QueryAnswer[]) => number | undefined {
  let last: { readonly stop: number; readonly atMs: number } | undefined
  return (answers) => {
    const stop = largest(answers.map((answer) => answer.stop))
    // An answer that is repeated is not newer.
    if (stop !== undefined && stop !== last?.stop) last = { stop, atMs: now() }
    return last && last.stop + (now() - last.atMs) / 1000
  }
}
