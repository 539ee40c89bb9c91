import type { Subject } from '../../query_catalogue.ts'
import { SECONDS_PER_DAY } from '../../time_units.ts'
import { ApiError, isOfSystem } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { createRejectedValues } from '../parse/json.ts'
import { type FieldSeries, isReadable, type QueryAnswer } from './answers/answer.ts'
import {
  createPlan,
  isRefused,
  type Plan,
  type QueryResults,
  requestAll,
  type SendQuery,
  type Windows,
} from './requests/plan.ts'
import {
  fieldsOf,
  type Query,
  SINGLE_QUERIES,
  subjectOf,
  subjectsOf,
  type TimeRange,
} from './requests/queries.ts'
import { createInterfaceRule, type InterfaceFilter } from './values/interfaces.ts'
import {
  boundsOf,
  groupByNode,
  type NodeOptions,
  type NodePerformance,
  nodePerformance,
  tagOf,
} from './values/performance.ts'

/** How far the Flux API reaches back. Source: configuration of the monitoring stack of ECS 3.6. */
export const KEPT_SECONDS: Readonly<Record<string, number>> = {
  monitoring_main: 60 * SECONDS_PER_DAY,
  monitoring_op: 5 * SECONDS_PER_DAY,
}
/** The longest range of a query. Source: administration guide, "Flux API": limited because of the resources. */
export const MAX_RANGE_SECONDS = 3600
/** The shortest range of a query whose longer ranges take too long: the time between two points. */
const MIN_RANGE_SECONDS = 300

export interface PastReaderOptions {
  readonly interfaces: InterfaceFilter
  readonly query: SendQuery
  /** Seconds since the epoch: what is deleted by now is not requested. */
  readonly nowSeconds: number
}

/** The answer has other points than those of the range: no answer of this system can be trusted. */
class WrongRangeError extends ApiError {}

/** The answers to one query for a window, in the order of their ranges. */
interface PastAnswers {
  /** For the points before the window. */
  readonly lead: readonly QueryAnswer[]
  readonly window: readonly QueryAnswer[]
}

/** Sends the queries of a window. @param hasPoints whether the points before a time are known */
function createRequest(send: SendQuery, plan: Plan, hasPoints: (query: Query, start: number) => boolean) {
  /** Longest ranges that are answered, in seconds, where they are shorter than a window. */
  const lengths = new Map<Query, number>()
  const lengthOf = (query: Query) => lengths.get(query) ?? MAX_RANGE_SECONDS

  async function requestRange(query: Query, range: TimeRange, signal: AbortSignal): Promise<QueryAnswer[]> {
    const answers: QueryAnswer[] = []
    for (let { start } = range; start < range.stop; ) {
      const part = { start, stop: Math.min(start + lengthOf(query), range.stop) }
      const answer = await send({ ...query, range: part }, plan.dialect(query), signal)
      checkRange(answer, part)
      answers.push(answer)
      start = part.stop
    }
    return answers
  }

  const leadOf = (query: Query, { start }: TimeRange): TimeRange => ({
    start: start - plan.dialect(query).windowSeconds,
    stop: start,
  })

  return async (window: TimeRange, isSent: (query: Query) => boolean, signal: AbortSignal) => {
    return requestAll<PastAnswers>(plan, {
      isSent,
      isEmpty: (answers) => [...answers.lead, ...answers.window].every(({ stop }) => stop === undefined),
      send: async (query) => ({
        lead: hasPoints(query, window.start) ? [] : await requestRange(query, leadOf(query, window), signal),
        window: await requestRange(query, window, signal),
      }),
      instead(query, failure, answers) {
        if (failure instanceof WrongRangeError) throw failure
        const seconds = lengthOf(query)
        if (!REASONS[failure.reason].rangeDependent || seconds <= MIN_RANGE_SECONDS) return undefined
        // A system that answers nothing may be down.
        if (answers.size > 0 || failure.reason === 'too_large')
          lengths.set(query, Math.ceil(seconds / 2 / MIN_RANGE_SECONDS) * MIN_RANGE_SECONDS)
        return [query]
      },
    })
  }
}

/** The newest points of each query, which the next window needs. */
function createCarriedPoints(plan: Plan) {
  const carried = new Map<Query, Required<Pick<QueryAnswer, 'stop' | 'series'>>>()
  const hasPoints = (query: Query, start: number) => query.isGauge || carried.get(query)?.stop === start
  return {
    hasPoints,
    /** The points of a window and before it. */
    seriesOf({ answers }: QueryResults<PastAnswers>, { start, stop }: TimeRange): readonly FieldSeries[] {
      const joined = [...answers].map(([query, { lead, window }]) => {
        const before = carried.get(query)
        const series = joinedSeries([...(before?.stop === start ? [before] : lead), ...window])
        carried.set(query, { stop, series: newestPart(series, stop - plan.dialect(query).windowSeconds) })
        return { series }
      })
      return [...joinedSeries(joined).values()]
    },
  }
}

/** Reads the past of all nodes of one system, window by window. Remembers which queries the system supports. */
export type PastReader = ReturnType<typeof createPastReader>

export function createPastReader({ query: send, nowSeconds, ...options }: PastReaderOptions) {
  const plan = createPlan()
  const interfaces = createInterfaceRule(options.interfaces)
  const carried = createCarriedPoints(plan)
  const request = createRequest(send, plan, carried.hasPoints)
  const refused = new Map<string, ApiError>()
  let hasRead = false

  /**
   * What was refused or is deleted by now is not requested: an end of a window that is shorter than the time between two
   * points may have none, and an empty answer to a combined query is followed by its parts.
   */
  function isServed({ name, bucket }: Query, { stop }: TimeRange): boolean {
    return !refused.has(name) && stop - MIN_RANGE_SECONDS > nowSeconds - (KEPT_SECONDS[bucket] ?? 0)
  }

  /** The subjects that lack an answer. Of the first window, queries that are refused are not served. */
  function noteFailures({ failures }: QueryResults<PastAnswers>): ReadonlyMap<Subject, ApiError> {
    const failed = new Map<Subject, ApiError>()
    for (const [query, failure] of failures)
      if (!hasRead && isRefused(failure) && failure.reason !== 'too_large') refused.set(query.name, failure)
      else for (const subject of subjectsOf(query)) failed.set(subject, failure)
    hasRead = true
    return failed
  }

  return {
    /**
     * The values at all points of a window, which is {@link MAX_RANGE_SECONDS} long at most. Of counters whose window
     * before was not read, the points before it are read too, as far back as the poller reads.
     * @returns with the subjects without values in this window, although the system serves them
     * @throws {ApiError} when nothing is answered; `schema` if the system does not answer for the range
     */
    async read(window: TimeRange, signal: AbortSignal) {
      const results = await request(window, (query) => isServed(query, window), signal)
      const failed = noteFailures(results)
      for (const [query, { lead, window }] of results.answers) plan.noteInterval(query, [...lead, ...window])
      const rejected = createRejectedValues()
      const nodes = calculatePast(carried.seriesOf(results, window), {
        interfaces,
        rejected,
        failedFields: new Set(SINGLE_QUERIES.filter(({ name }) => refused.has(name)).flatMap(fieldsOf)),
        isCalculated: (subject) => !failed.has(subject),
        start: window.start,
        end: window.stop,
        windowOf: plan.windows(),
      })
      const ofWindow = [...results.answers.values()].flatMap((of) => of.window)
      return { nodes, rejected: [...ofWindow.flatMap((one) => one.rejected), ...rejected.list()], failed }
    },
    /** How the system refused queries in the first window, by their names. */
    refused: (): ReadonlyMap<string, ApiError> => refused,
    /** Whether a failed read is worth a repetition. */
    isPassing: (failure: ApiError): boolean =>
      isOfSystem(failure) ||
      (hasRead && !REASONS[failure.reason].allQueries && !(failure instanceof WrongRangeError)),
  }
}

function checkRange({ outside, stop }: QueryAnswer, range: TimeRange): void {
  if (outside > 0)
    throw new WrongRangeError(
      'schema',
      'the answer has points outside of the range: this release serves wrong ranges',
    )
  if (stop !== undefined && Math.abs(stop - range.stop) >= 1)
    throw new WrongRangeError('schema', 'the answer is for another range than the requested one')
}

function newestPart(
  series: ReadonlyMap<string, FieldSeries>,
  start: number,
): ReadonlyMap<string, FieldSeries> {
  const parts = [...series].map(
    ([key, one]) => [key, { ...one, points: one.points.filter(({ t }) => t >= start) }] as const,
  )
  return new Map(parts.filter(([, { points }]) => points.length > 0))
}

/** What a poll would have read of a node at the time of a point. Values with other times are those of other moments. */
export interface Moment {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly t: number
  readonly performance: NodePerformance
}

export interface NodePast {
  /** At least one of the two is known. */
  readonly nodeId: string | undefined
  readonly host: string | undefined
  /** Number of points in the window. */
  readonly rows: number
  /** Of each subject in the order of time. */
  readonly moments: readonly Moment[]
}

interface PastOptions extends NodeOptions {
  /** Seconds since the epoch: the first one belongs to the window, the second one does not. */
  readonly start: number
  readonly end: number
  /** How far back the poller would have read at each time. */
  readonly windowOf: Windows
  /** By default every subject is calculated. */
  readonly isCalculated?: (subject: Subject) => boolean
}

/** Two for a rate, and two more for the interval of the series. */
const POINTS = 4

/**
 * The values of all nodes at the times of all points in the window. Each is what the poller would have exported when
 * this point was the newest one, so it has the same rates, sums and rules for resets and gaps.
 * @param series with the points that the poller reads before the window
 */
export function calculatePast(series: readonly FieldSeries[], options: PastOptions): readonly NodePast[] {
  const byNode = groupByNode(series)
  const bounds = boundsOf(byNode)
  const nodes: NodePast[] = []
  for (const ofNode of byNode) {
    const moments: Moment[] = []
    for (const [subject, ofSubject] of Map.groupBy(ofNode, subjectOf)) {
      if (options.isCalculated?.(subject) === false) continue
      const seriesAt = createMoments(ofSubject, options.windowOf(subject))
      for (const t of timesOf(ofSubject, options))
        moments.push({ t, performance: nodePerformance(seriesAt(t), bounds, options) })
    }
    const [nodeId, host] = [tagOf(ofNode, 'node_id'), tagOf(ofNode, 'host')]
    const rows = ofNode.reduce(
      (sum, { points }) => sum + points.filter(({ t }) => t >= options.start).length,
      0,
    )
    nodes.push({ moments, nodeId, host, rows })
  }
  return nodes
}

function timesOf(series: readonly FieldSeries[], { start, end }: PastOptions): readonly number[] {
  const times = new Set<number>()
  for (const { points } of series) for (const { t } of points) if (t >= start && t < end) times.add(t)
  return [...times].sort((a, b) => a - b)
}

/**
 * The series as a query at this time would have found them: their last points, without those that are older than its range.
 * To be called with ascending times.
 */
function createMoments(
  series: readonly FieldSeries[],
  windowSeconds: number,
): (t: number) => readonly FieldSeries[] {
  const cursors = series.map((one) => ({ one, first: 0, next: 0 }))
  return (t) => {
    const found: FieldSeries[] = []
    for (const cursor of cursors) {
      const { points } = cursor.one
      while ((points[cursor.next]?.t ?? Number.POSITIVE_INFINITY) <= t) cursor.next += 1
      cursor.first = Math.max(cursor.first, cursor.next - POINTS)
      while (cursor.first < cursor.next && t - (points[cursor.first]?.t ?? t) > windowSeconds)
        cursor.first += 1
      if (cursor.first === cursor.next) continue
      const { measurement, field, tags } = cursor.one
      found.push({ measurement, field, tags, points: points.slice(cursor.first, cursor.next) })
    }
    return found
  }
}

/** The series of several answers; those of the same key have the points of all of them, in the order of the answers. */
function joinedSeries(answers: readonly Pick<QueryAnswer, 'series'>[]): ReadonlyMap<string, FieldSeries> {
  const joined = new Map<string, FieldSeries>()
  for (const { series } of answers) {
    for (const [key, one] of series) {
      const before = joined.get(key)?.points.filter(isReadable)
      joined.set(key, before === undefined ? one : { ...one, points: [...before, ...one.points] })
    }
  }
  return joined
}
