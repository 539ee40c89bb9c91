import { largest } from '../../values/largest.ts'
import { ApiError } from '../errors/errors.ts'
import { type FieldSeries, isReadable, type Point, type QueryAnswer } from './answers/answer.ts'
import {
  createPlan,
  type IsSent,
  type Plan,
  type QueryResults,
  requestAll,
  type SendQuery,
  type Windows,
} from './requests/plan.ts'
import { fieldsOf, type Query, subjectOf, type TimeRange } from './requests/queries.ts'
import { createInterfaceRule, type InterfaceFilter } from './values/interfaces.ts'
import { calculatePerformance, type PerformanceReading } from './values/performance.ts'

export type PerformancePoll = Awaited<ReturnType<PerformanceReader['read']>>

export interface PerformanceReaderOptions {
  readonly interfaces: InterfaceFilter
  /** Whether values that the answers lack are those of the answers before, while they are not too old. */
  readonly keepsEarlier: boolean
  readonly query: SendQuery
  /** Limit of all answers together. A series takes 800 bytes of memory, and a node has 70. */
  readonly maxSeries: number
  /** Whether ranges of this system are wrong; undefined if its version cannot be read. */
  readonly hasRangeDefect: (signal: AbortSignal) => Promise<boolean | undefined>
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Reads the performance of all nodes of one system. Remembers which queries the system supports. */
export type PerformanceReader = ReturnType<typeof createPerformanceReader>

export function createPerformanceReader(options: PerformanceReaderOptions) {
  const { keepsEarlier, maxSeries, now = () => performance.now() } = options
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
      for (const [index, query] of [...answers.keys()].entries())
        plan.noteInterval(query, complete.slice(index, index + 1))
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

function createRequest(plan: Plan, query: SendQuery, maxSeries: number) {
  async function request(signal: AbortSignal, isSent: IsSent): Promise<QueryResults> {
    const send = bounded(query, maxSeries)
    return requestAll(plan, {
      send: (one) => send(one, plan.dialect(one), signal),
      isEmpty: ({ stop }) => stop === undefined,
      isSent,
    })
  }

  /** In versions with the defect, ranges also have points outside of them, and the values inside are wrong. */
  async function requestUsable(signal: AbortSignal, isSent: IsSent = () => true): Promise<QueryResults> {
    const results = await request(signal, isSent)
    const isDefective = [...results.answers.values()].some(({ outside }) => outside > 0)
    if (!isDefective || plan.isLastOnly()) return results
    plan.noteDefect(true)
    return request(signal, () => true)
  }

  /** The interval of the points is not known before the first answers: they may have one point of each counter. */
  async function withLonger(first: QueryResults, signal: AbortSignal): Promise<QueryResults> {
    if (plan.isLastOnly()) return first
    const queries = [...first.answers.keys()]
    const before = new Map(queries.map((query) => [query, plan.dialect(query).windowSeconds]))
    for (const [query, answer] of first.answers) plan.noteInterval(query, [answer])
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

interface Remembered {
  readonly series: FieldSeries
  /** Time of the last answer that had it, in seconds by the clock of the system. */
  readonly seen: number
}

/**
 * The newest points of all series of a system. An answer may lack queries, nodes or series, may have the newest point of
 * each series only, and may be older than the one before.
 * @param suppliesLacking whether series that the answers lack have their remembered points; otherwise they have an
 *   unreadable one, so that what is calculated from several series is absent without one of them
 * @param maxSeries series that the answers lack are forgotten where there are more
 */
function createRememberedPoints(suppliesLacking: boolean, maxSeries: number) {
  let remembered: ReadonlyMap<string, Remembered> = new Map()
  return {
    /**
     * The answers with remembered points, and the series that they lack as another answer.
     * @param stop time of the answers, in seconds by the clock of the system
     */
    add(answers: readonly QueryAnswer[], stop: number, windowOf: Windows): readonly QueryAnswer[] {
      const rangeOf = (one: FieldSeries) => ({ start: stop - windowOf(subjectOf(one)), stop })
      const next = new Map<string, Remembered>()
      const added = answers.map((answer) => {
        const series = new Map<string, FieldSeries>()
        for (const [key, one] of answer.series) {
          const joined = withRemembered(one, remembered.get(key)?.series, rangeOf(one))
          series.set(key, joined)
          next.set(key, { series: joined, seen: stop })
        }
        return { ...answer, series }
      })
      const lacking = [...remembered].filter(
        ([key, one]) => !next.has(key) && isLacking(one, rangeOf(one.series)),
      )
      const series = new Map<string, FieldSeries>()
      for (const [key, { series: one, seen }] of lacking.slice(0, Math.max(maxSeries - next.size, 0))) {
        next.set(key, { series: { ...one, isLacking: true }, seen })
        const isSupplied = suppliesLacking && isCurrent(one, rangeOf(one))
        const points = isSupplied ? one.points : [{ t: stop, value: Number.NaN }]
        series.set(key, { ...one, points, isLacking: true })
      }
      remembered = next
      return [...added, { series, stop, outside: 0, rejected: [] }]
    },
  }
}

/**
 * A series that has ended stays in answers until its points are older than their range. One that is missing before may
 * come back: it is lacking for as long as a range after the last answer that had it.
 */
function isLacking({ series, seen }: Remembered, range: TimeRange): boolean {
  const { start, stop } = range
  return Math.abs(stop - seen) <= stop - start && (series.isLacking === true || isCurrent(series, range))
}

/**
 * Points after the time of the answer are those of an address whose clock is ahead, unless they are so far ahead that the
 * clock of the system was set back.
 */
function latestOf({ start, stop }: TimeRange): number {
  return stop + (stop - start)
}

function isCurrent({ points }: FieldSeries, range: TimeRange): boolean {
  const { t } = points.findLast(isReadable) ?? { t: Number.NaN }
  return t >= range.start && t <= latestOf(range)
}

/** The points of an answer between those that are older, one of them from before the range for a rate, and those that are newer. */
function withRemembered(
  series: FieldSeries,
  remembered: FieldSeries | undefined,
  range: TimeRange,
): FieldSeries {
  const [oldest, newest] = [series.points[0], series.points.at(-1)]
  if (remembered === undefined || oldest === undefined || newest === undefined) return series
  const before: Point[] = []
  const after: Point[] = []
  for (const [index, point] of remembered.points.entries()) {
    if (!isReadable(point)) continue
    const nextTime = remembered.points[index + 1]?.t ?? oldest.t
    if (point.t < oldest.t && nextTime >= range.start) before.push(point)
    else if (point.t > newest.t && point.t <= latestOf(range)) after.push(point)
  }
  return before.length + after.length === 0
    ? series
    : { ...series, points: [...before, ...series.points, ...after] }
}
