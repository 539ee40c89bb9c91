import type { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import { queryRemedyOf } from '../api/query/answers/refusals.ts'
import { isQueried, unmatchedRows } from '../api/query/merge.ts'
import {
  createPerformanceReader,
  type PerformancePoll,
  type PerformanceReader,
} from '../api/query/performance_reader.ts'
import { readRangeDefect } from '../api/query/requests/version.ts'
import { secondsLeft, withoutOldValues } from '../api/query/values/performance.ts'
import type { SystemConfig } from '../config/config.ts'
import { withPerformance, withPerformancePoll } from '../state/changes.ts'
import { type Failure, failureOf, type PerformanceState, type SystemState } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { backoffMs } from '../values/timers.ts'
import type { PollSize } from './reading_log.ts'
import { createSource, type ReadingContext } from './source.ts'

export type Queries = ReturnType<typeof createQueries>

export function createQueries(options: ReadingContext) {
  const { system, store, log } = options
  const { name, performance: config } = system
  const reader = readerOf(options)
  const pauses = createPauses()
  const source = createSource(
    {
      name: 'the Flux API',
      read: (ofSource) => reader.read(ofSource),
      keep(found, beganMs) {
        const { reading } = found
        const partFailure = partFailureOf(found.failed)
        const state = { reading, receivedAtMs: performance.now(), failure: undefined, partFailure }
        store.update(name, (before) => withPerformancePoll(before, state))
        const nodes = reading.nodes.filter(({ rows }) => rows > 0).length
        pauses.succeeded(nodes > 0)
        report(options, found, { seconds: secondsSince(beganMs), nodes })
      },
      fail(failure, beganMs) {
        pauses.failed(failure)
        log.queried(failure, { seconds: secondsSince(beganMs), nodes: undefined })
        store.update(name, (before) => withFailure(before, failure))
      },
      drop: () => store.update(name, (state) => withCurrentValues(state, system)),
      leftMs: () => nextDropMs(store.system(name)?.performance, system),
    },
    options,
  )

  return {
    ...source,
    /** Reads if it is due, and if the system is to be queried at all. Awaits a reading that is under way instead. */
    async readIfDue(): Promise<void> {
      if (!source.isRunning()) {
        if (!source.isDue() && config.schedule !== '') return
        // It stays due: after an upgrade it is read with the first feed that lacks the attributes.
        if (isQueried(system, store.system(name)?.pools) !== true) return removePerformance(store, name)
        if (pauses.remainingMs() > 0) return
      }
      await source.read()
    },
  }
}

export function removePerformance(store: StateStore, name: string): void {
  if (store.system(name)?.performance !== undefined)
    store.update(name, (system) => withPerformance(system, undefined))
}

/** Nodes have points at different times: their values are not dropped one by one. */
const LEAST_MS = 30_000

/** The time until the oldest value reaches its age limit by the clock of the system; infinite without values. */
function nextDropMs(state: PerformanceState | undefined, { poll }: SystemConfig): number {
  const left = state?.reading && secondsLeft(state.reading, systemTime(state), poll.staleAfterMs / 1000)
  return left === undefined ? Number.POSITIVE_INFINITY : Math.max(left * 1000, LEAST_MS)
}

function withCurrentValues(state: SystemState, { poll }: SystemConfig): SystemState {
  const { performance } = state
  if (performance?.reading === undefined) return state
  const age = [systemTime(performance), poll.staleAfterMs / 1000] as const
  const left = withoutOldValues(performance.reading, ...age)
  const reading = secondsLeft(left, ...age) === undefined ? undefined : left
  return withPerformance(state, { ...performance, reading })
}

/** Seconds since the epoch by the clock of the system, as the exporter's clock may be set. */
function systemTime({ reading, receivedAtMs }: PerformanceState): number {
  return (reading?.stop ?? 0) + (performance.now() - receivedAtMs) / 1000
}

const secondsSince = (beganMs: number) => (performance.now() - beganMs) / 1000

/** @param poll with the number of nodes that are in the answers */
function report(
  { system: { name }, store, log }: ReadingContext,
  { reading, failed, empty }: PerformancePoll,
  poll: PollSize & { readonly nodes: number },
): void {
  const isEmpty = poll.nodes === 0
  log.queried(isEmpty ? 'empty' : 'ok', poll)
  log.rejected(undefined, reading.rejected)
  for (const { name: query, failure } of failed) log.queryFailed(query, failure)
  if (!isEmpty) for (const query of empty) log.queryEmpty(query)
  const feeds = allFeeds(store.system(name))
  if (feeds !== undefined) log.unmatched(unmatchedRows(reading, feeds))
}

/** Undefined while the nodes of a pool are not known. */
function allFeeds(state: SystemState | undefined): readonly FeedReading[] | undefined {
  const readings = [...(state?.pools.values() ?? [])].map(({ reading }) => reading)
  const feeds = readings.filter((reading) => reading !== undefined)
  return feeds.length === readings.length ? feeds : undefined
}

function partFailureOf(failed: PerformancePoll['failed']): Failure | undefined {
  const [first] = failed
  if (first === undefined) return undefined
  const failure = failureOf(first.failure, Date.now() / 1000, queryRemedyOf(first.failure))
  const others = failed.length === 1 ? '' : `, and ${failed.length - 1} more`
  return { ...failure, message: `${first.name}${others}: ${failure.message}; the values are not renewed` }
}

/** The values stay until they are too old. */
function withFailure(system: SystemState, cause: ApiError): SystemState {
  const { reading, receivedAtMs = 0 } = system.performance ?? {}
  const failure = failureOf(cause, Date.now() / 1000, queryRemedyOf(cause))
  return withPerformance(system, { reading, receivedAtMs, failure })
}

/** The limit is for 740 nodes with the default of limits.max_response_bytes. */
const BYTES_PER_SERIES = 320

function readerOf({ system, client }: ReadingContext): PerformanceReader {
  return createPerformanceReader({
    maxSeries: Math.floor(system.limits.maxResponseBytes / BYTES_PER_SERIES),
    interfaces: system.performance.interfaces,
    keepsEarlier: system.performance.schedule !== '',
    query: client.query,
    hasRangeDefect: (signal) => readRangeDefect(client.resource, signal),
  })
}

/** A system that restarts or is upgraded has these failures for a short time. */
const FAILURES_ALLOWED = 2
const FIRST_MS = 600_000
const LONGEST_MS = 3_600_000

/** From a proxy that does not reach its service: temporary, if the system had rows before. */
const BAD_GATEWAY: readonly unknown[] = [502, 503, 504]

/**
 * How long a Flux API that is not there, or may not be used, is not polled: after the third failure in a row for
 * 10 minutes, doubled after each further one, at most an hour. At most 10 minutes after 502, 503 or 504 of a system that
 * once answered with rows.
 * @param now monotonic clock in milliseconds
 */
export function createPauses(now: () => number = () => performance.now()) {
  let untilMs = Number.NEGATIVE_INFINITY
  let failuresInRow = 0
  let hadRows = false

  return {
    succeeded(hasRows: boolean): void {
      failuresInRow = 0
      hadRows ||= hasRows
    },
    failed({ reason, status }: ApiError): void {
      failuresInRow = REASONS[reason].pausesQueries ? failuresInRow + 1 : 0
      if (failuresInRow <= FAILURES_ALLOWED) return
      const longestMs = hadRows && BAD_GATEWAY.includes(status) ? FIRST_MS : LONGEST_MS
      untilMs = now() + backoffMs(failuresInRow - FAILURES_ALLOWED, FIRST_MS, longestMs)
    },
    /** 0 when it is polled. */
    remainingMs: (): number => Math.max(untilMs - now(), 0),
  }
}
