import { inSlices } from '../../slices.ts'
import { ApiError } from '../errors/errors.ts'
import { createRejectedValues, type RejectedValue } from '../feed/rejected_values.ts'
import { pause } from '../http/deadline.ts'
import type { QueryAnswer, Series } from './answer.ts'
import { createInterfaceRule, type InterfaceFilter } from './interfaces.ts'
import { joinedSeries, LEAD_SECONDS, type NodePast, pastSteps } from './past.ts'
import type { FailedQuery } from './performance_reader.ts'
import { createPlan, isRefused, type Plan } from './plan.ts'
import { type Dialect, fieldsOf, type Query, type Range } from './queries.ts'
import { type QueryResults, requestAll, type SendQuery } from './request_all.ts'

/** How far the query interface reaches back. Source: configuration of the monitoring stack of ECS 3.6. */
const DAY_SECONDS = 86_400
export const KEPT_SECONDS: Readonly<Record<string, number>> = {
  monitoring_main: 60 * DAY_SECONDS,
  monitoring_op: 5 * DAY_SECONDS,
}
/** The longest range of a query. Source: administration guide, "Flux API": limited because of the resources. */
export const MAX_RANGE_SECONDS = 3600

/** The past of the nodes of a system in one window. */
export interface PastReading {
  readonly nodes: readonly NodePast[]
  readonly rejected: readonly RejectedValue[]
  /** Queries that the system refuses: their values are missing. */
  readonly failed: readonly FailedQuery[]
}

/** Reads the past of all nodes of one system, window by window. Remembers which queries the system supports. */
export interface PastReader {
  /** Number of requests for a window. `follows`: the one before ends where it starts. */
  requestsFor(window: Range, follows: boolean): number
  /**
   * The values at all points of a window, which is {@link MAX_RANGE_SECONDS} long at most. Of a window that does not
   * follow the one before, the points of 20 minutes before it are read first.
   * @throws {ApiError} when the query interface fails; `schema` if it does not answer for the range
   */
  read(window: Range, signal: AbortSignal): Promise<PastReading>
}

export interface PastReaderOptions {
  readonly interfaces: InterfaceFilter
  readonly query: SendQuery
  /** Seconds since the epoch: what is deleted by now is not requested. */
  readonly nowSeconds: number
}

export function createPastReader(options: PastReaderOptions): PastReader {
  const plan = createPlan()
  const interfaces = createInterfaceRule(options.interfaces)
  let carried: { readonly stop: number; readonly series: ReadonlyMap<string, Series> } | undefined

  /** Low priority: the system gets no request for as long as the answer took. */
  async function send(
    query: Query,
    range: Range,
    dialect: Dialect,
    signal: AbortSignal,
  ): Promise<QueryAnswer> {
    const beganMs = performance.now()
    const answer = await options.query({ ...query, range }, dialect, signal)
    await pause(performance.now() - beganMs, signal)
    return answer
  }

  async function request(range: Range, onlyCounters: boolean, signal: AbortSignal): Promise<QueryResults> {
    const results = await requestAll(
      restricted(plan, isSent(range, onlyCounters, options.nowSeconds)),
      (query, dialect, ofQuery) => send(query, range, dialect, ofQuery),
      signal,
    )
    for (const failure of results.failures.values()) if (isPassing(failure)) throw failure
    for (const answer of results.answers.values()) checkRange(answer, range)
    return results
  }

  async function seriesBefore(window: Range, signal: AbortSignal): Promise<ReadonlyMap<string, Series>> {
    if (carried?.stop === window.start) return carried.series
    return joinedSeries([...(await request(leadOf(window), true, signal)).answers.values()])
  }

  return {
    requestsFor(window, follows) {
      const count = (range: Range, onlyCounters: boolean) =>
        plan.queries().filter(isSent(range, onlyCounters, options.nowSeconds)).length
      return count(window, false) + (follows ? 0 : count(leadOf(window), true))
    },
    async read(window, signal) {
      const before = await seriesBefore(window, signal)
      const { answers, failures } = await request(window, false, signal)
      const series = joinedSeries([{ series: before }, ...answers.values()])
      const failedFields = new Set([...failures.keys()].flatMap(fieldsOf))
      const rejected = createRejectedValues()
      const span = { start: window.start, end: window.stop }
      const steps = pastSteps([...series.values()], { interfaces, failedFields, rejected, ...span })
      const nodes = await inSlices(steps, signal)
      carried = { stop: window.stop, series: newestPart(series, window.stop - LEAD_SECONDS) }
      return {
        nodes,
        rejected: [...[...answers.values()].flatMap((answer) => answer.rejected), ...rejected.list()],
        failed: [...failures].map(([{ name }, failure]) => ({ name, failure })),
      }
    },
  }
}

/** Which queries are sent for a range: those of what is not deleted yet. */
function isSent({ stop }: Range, onlyCounters: boolean, nowSeconds: number): (query: Query) => boolean {
  return ({ bucket, isGauge }) =>
    stop > nowSeconds - (KEPT_SECONDS[bucket] ?? 0) && !(onlyCounters && isGauge)
}

function leadOf({ start }: Range): Range {
  return { start: start - LEAD_SECONDS, stop: start }
}

function restricted(plan: Plan, isSent: (query: Query) => boolean): Plan {
  return { ...plan, queries: () => plan.queries().filter(isSent) }
}

/** Whether the same query, or one of a shorter range, may succeed: the values would be missing for ever. */
function isPassing(failure: ApiError): boolean {
  return !isRefused(failure) || failure.reason === 'too_large'
}

function checkRange({ outside, stop }: QueryAnswer, range: Range): void {
  if (outside > 0)
    throw new ApiError(
      'schema',
      'the answer has points outside of the range: this release serves wrong ranges',
    )
  if (stop !== undefined && Math.abs(stop - range.stop) >= 1)
    throw new ApiError('schema', 'the answer is for another range than the requested one')
}

function newestPart(series: ReadonlyMap<string, Series>, start: number): ReadonlyMap<string, Series> {
  const parts = [...series].map(
    ([key, one]) => [key, { ...one, points: one.points.filter(({ t }) => t >= start) }] as const,
  )
  return new Map(parts.filter(([, { points }]) => points.length > 0))
}
