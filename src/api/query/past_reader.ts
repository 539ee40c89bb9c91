import { inSlices } from '../../slices.ts'
import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import { createRejectedValues, type RejectedValue } from '../feed/rejected_values.ts'
import type { QueryAnswer, Series } from './answers/answer.ts'
import { joinedSeries, LEAD_SECONDS, type NodePast, pastSteps } from './past.ts'
import type { FailedQuery } from './performance_reader.ts'
import { createPlan, isRefused, type Plan } from './requests/plan.ts'
import { fieldsOf, type Query, type Range } from './requests/queries.ts'
import type { SendQuery } from './requests/request_all.ts'
import { type Subject, subjectsOf } from './subjects.ts'
import { createInterfaceRule, type InterfaceFilter } from './values/interfaces.ts'

/** How far the query interface reaches back. Source: configuration of the monitoring stack of ECS 3.6. */
const DAY_SECONDS = 86_400
export const KEPT_SECONDS: Readonly<Record<string, number>> = {
  monitoring_main: 60 * DAY_SECONDS,
  monitoring_op: 5 * DAY_SECONDS,
}
/** The longest range of a query. Source: administration guide, "Flux API": limited because of the resources. */
export const MAX_RANGE_SECONDS = 3600
/** The shortest range of a query whose longer ranges take too long: the time between two points. */
const MIN_RANGE_SECONDS = 300

/** The past of the nodes of a system in one window. */
export interface PastReading {
  readonly nodes: readonly NodePast[]
  readonly rejected: readonly RejectedValue[]
  /** Subjects without values in this window, although the system serves them. */
  readonly unanswered: ReadonlyMap<Subject, ApiError>
}

/** Reads the past of all nodes of one system, window by window. Remembers which queries the system supports. */
export interface PastReader {
  /** Number of requests for a window. `follows`: the one before ends where it starts. */
  requestsFor(window: Range, follows: boolean): number
  /**
   * The values at all points of a window, which is {@link MAX_RANGE_SECONDS} long at most. Of counters whose window
   * before was not read, the points of 20 minutes before it are read too.
   * @param only the subjects to read; undefined: all
   * @throws {ApiError} when nothing is answered; `schema` if the system does not answer for the range
   */
  read(window: Range, signal: AbortSignal, only?: ReadonlySet<string>): Promise<PastReading>
  /** Queries that the system refused in the first window, so they are not sent any more. */
  refused(): readonly FailedQuery[]
  /** Whether a failed read is worth a repetition. */
  isPassing(failure: ApiError): boolean
}

export interface PastReaderOptions {
  readonly interfaces: InterfaceFilter
  readonly query: SendQuery
  /** Seconds since the epoch: what is deleted by now is not requested. */
  readonly nowSeconds: number
}

/** Failures that every query would have. */
const OF_ALL: readonly Reason[] = ['forbidden', 'not_found', 'auth', 'local']
/** Failures that a shorter range may avoid. */
const TOO_LONG: readonly Reason[] = ['too_large', 'timeout']
/** Failures after which the system gets no more requests, if nothing was answered. */
const MAX_FAILURES = 2

/** The answer has other points than those of the range: no answer of this system can be trusted. */
class WrongRangeError extends ApiError {}

/** A query to be sent for ranges of limited length. */
interface Task {
  readonly query: Query
  readonly seconds: number
}

/** The newest points of a query. */
interface Carried {
  readonly stop: number
  readonly series: ReadonlyMap<string, Series>
}

/** The answers to one query for a window, in the order of their ranges. */
interface PastAnswers {
  /** For the points before the window. */
  readonly lead: readonly QueryAnswer[]
  readonly window: readonly QueryAnswer[]
}

interface Outcomes {
  readonly answers: ReadonlyMap<Query, PastAnswers>
  readonly failed: readonly { readonly query: Query; readonly failure: ApiError }[]
}

type Request = (isSent: (query: Query) => boolean, window: Range, signal: AbortSignal) => Promise<Outcomes>

/** Sends the queries of a plan, for shorter ranges where an answer is too large or takes too long. */
function createRequest(send: SendQuery, plan: Plan, carried: ReadonlyMap<Query, Carried>): Request {
  /** Longest ranges that are answered, in seconds, where they are shorter than a window. */
  const lengths = new Map<Query, number>()

  async function requestRange(task: Task, range: Range, signal: AbortSignal): Promise<QueryAnswer[]> {
    const answers: QueryAnswer[] = []
    for (let { start } = range; start < range.stop; ) {
      const part = { start, stop: Math.min(start + task.seconds, range.stop) }
      const answer = await send({ ...task.query, range: part }, plan.dialect(), signal)
      checkRange(answer, part)
      answers.push(answer)
      start = part.stop
    }
    return answers
  }

  async function requestTask(task: Task, window: Range, signal: AbortSignal): Promise<PastAnswers> {
    const { query, seconds } = task
    const needsLead = !query.isGauge && carried.get(query)?.stop !== window.start
    const lead = needsLead ? await requestRange(task, leadOf(window), signal) : []
    const answers = { lead, window: await requestRange(task, window, signal) }
    lengths.set(query, seconds)
    return answers
  }

  /** Changes what is sent after a failure. @returns undefined: nothing else is worth sending */
  function instead({ query, seconds }: Task, failure: ApiError): readonly Task[] | undefined {
    if (TOO_LONG.includes(failure.reason) && seconds > MIN_RANGE_SECONDS)
      return [{ query, seconds: Math.ceil(seconds / 2 / MIN_RANGE_SECONDS) * MIN_RANGE_SECONDS }]
    return plan.adapt(query, failure)?.map((part) => ({ query: part, seconds }))
  }

  async function request(
    isSent: (query: Query) => boolean,
    window: Range,
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const taskOf = (query: Query): Task => ({ query, seconds: lengths.get(query) ?? MAX_RANGE_SECONDS })
    const left = plan.queries().filter(isSent).map(taskOf)
    const answers = new Map<Query, PastAnswers>()
    const failed: Outcomes['failed'][number][] = []
    for (let failures = 0, task = left.shift(); task !== undefined; task = left.shift()) {
      const { query } = task
      const answer = await requestTask(task, window, signal).catch(asFailure)
      if (!(answer instanceof ApiError)) {
        answers.set(query, answer)
        continue
      }
      failures += 1
      const others = instead(task, answer)
      if (others === undefined) failed.push({ query, failure: answer })
      // Last: the other queries show whether the system answers at all.
      left.push(...(others ?? []).filter((other) => isSent(other.query)))
      if (answers.size === 0 && (failures >= MAX_FAILURES || left.length === 0)) throw answer
    }
    return { answers, failed }
  }

  return request
}

export function createPastReader(options: PastReaderOptions): PastReader {
  const plan = createPlan()
  const interfaces = createInterfaceRule(options.interfaces)
  const carried = new Map<Query, Carried>()
  const refused = new Map<Query, ApiError>()
  let hasRead = false
  const isServed = (query: Query, window: Range) =>
    !refused.has(query) && isKept(query, window, options.nowSeconds)
  const request = createRequest(options.query, plan, carried)

  /** The points of a window and before it, of which the last ones are kept for the next window. */
  function seriesOf({ answers }: Outcomes, window: Range): ReadonlyMap<string, Series> {
    const joined = [...answers].map(([query, { lead, window: ofWindow }]) => {
      const before = carried.get(query)
      const series = joinedSeries([...(before?.stop === window.start ? [before] : lead), ...ofWindow])
      carried.set(query, { stop: window.stop, series: newestPart(series, window.stop - LEAD_SECONDS) })
      return { series }
    })
    return joinedSeries(joined)
  }

  /** The subjects that lack an answer. Of the first window, queries that are refused are not served. */
  function noteFailures({ failed }: Outcomes): ReadonlyMap<Subject, ApiError> {
    const unanswered = new Map<Subject, ApiError>()
    for (const { query, failure } of failed)
      if (!hasRead && isRefused(failure) && failure.reason !== 'too_large') refused.set(query, failure)
      else for (const subject of subjectsOf(query)) unanswered.set(subject, failure)
    hasRead = true
    return unanswered
  }

  return {
    requestsFor(window, follows) {
      const sent = plan.queries().filter((query) => isServed(query, window))
      const leads = follows ? [] : sent.filter(({ isGauge }) => !isGauge)
      return sent.length + leads.length
    },
    async read(window, signal, only) {
      const isSent = (query: Query) => isServed(query, window) && isAbout(query, only)
      const outcomes = await request(isSent, window, signal)
      const unanswered = noteFailures(outcomes)
      const rejected = createRejectedValues()
      const steps = pastSteps([...seriesOf(outcomes, window).values()], {
        interfaces,
        rejected,
        failedFields: new Set([...refused.keys()].flatMap(fieldsOf)),
        isCalculated: (subject) => !unanswered.has(subject) && (only === undefined || only.has(subject)),
        start: window.start,
        end: window.stop,
      })
      return {
        nodes: await inSlices(steps, signal),
        rejected: [...rejectedIn(outcomes), ...rejected.list()],
        unanswered,
      }
    },
    refused: () => [...refused].map(([{ name }, failure]) => ({ name, failure })),
    isPassing: (failure) => !isOfAll(failure) && (hasRead || !isRefused(failure)),
  }
}

/** @throws the failure, unless it is of one query only */
function asFailure(failure: unknown): ApiError {
  if (failure instanceof ApiError && failure.reason !== 'throttled' && !isOfAll(failure)) return failure
  throw failure
}

function isOfAll(failure: ApiError): boolean {
  return failure instanceof WrongRangeError || OF_ALL.includes(failure.reason)
}

/** What is deleted by now is not requested. */
function isKept({ bucket }: Query, { stop }: Range, nowSeconds: number): boolean {
  return stop > nowSeconds - (KEPT_SECONDS[bucket] ?? 0)
}

function isAbout(query: Query, only: ReadonlySet<string> | undefined): boolean {
  return only === undefined || [...subjectsOf(query)].some((subject) => only.has(subject))
}

function rejectedIn({ answers }: Outcomes): readonly RejectedValue[] {
  return [...answers.values()].flatMap(({ window }) => window.flatMap(({ rejected }) => rejected))
}

function leadOf({ start }: Range): Range {
  return { start: start - LEAD_SECONDS, stop: start }
}

function checkRange({ outside, stop }: QueryAnswer, range: Range): void {
  if (outside > 0)
    throw new WrongRangeError(
      'schema',
      'the answer has points outside of the range: this release serves wrong ranges',
    )
  if (stop !== undefined && Math.abs(stop - range.stop) >= 1)
    throw new WrongRangeError('schema', 'the answer is for another range than the requested one')
}

function newestPart(series: ReadonlyMap<string, Series>, start: number): ReadonlyMap<string, Series> {
  const parts = [...series].map(
    ([key, one]) => [key, { ...one, points: one.points.filter(({ t }) => t >= start) }] as const,
  )
  return new Map(parts.filter(([, { points }]) => points.length > 0))
}
