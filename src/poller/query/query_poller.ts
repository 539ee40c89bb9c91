import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { FeedReading } from '../../api/feed/feed.ts'
import { isQueried, unmatchedRows } from '../../api/query/merge.ts'
import {
  createPerformanceReader,
  type PerformancePoll,
  type PerformanceReader,
} from '../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../api/query/requests/version.ts'
import { queryRemedyOf } from '../../api/query/states.ts'
import type { SystemConfig } from '../../config/config.ts'
import { withPerformance, withPerformancePoll } from '../../state/changes.ts'
import { type Failure, failureOf, type SystemState } from '../../state/state.ts'
import type { StateStore } from '../../state/store.ts'
import type { PollLog, PollSize } from '../log/poll_log.ts'
import { createAging } from './aging.ts'
import { createPauses } from './pauses.ts'

export interface QueryPollerOptions {
  readonly system: SystemConfig
  readonly client: Pick<SystemClient, 'query' | 'read'>
  readonly store: StateStore
  readonly pollLog: PollLog
}

/** Polls the query interface of one system, never twice at a time. */
export type QueryPoller = ReturnType<typeof createQueryPoller>

export function createQueryPoller(options: QueryPollerOptions) {
  const { system, store, pollLog } = options
  const { name, performance: config, limits } = system
  const reader = readerOf(options)
  const pauses = createPauses()
  const aging = createAging(options)
  const isUsed = config.source !== 'feed'
  const isAlwaysDue = isUsed && config.schedule === ''
  let isDue = isUsed
  let running: Promise<void> | undefined

  async function poll(signal: AbortSignal): Promise<void> {
    const beganMs = performance.now()
    const seconds = () => (performance.now() - beganMs) / 1000
    try {
      const found = await reader.read(signal)
      const state = stateOf(found)
      const change = (before: SystemState) => withPerformancePoll(before, state, limits.maxResponseBytes)
      await store.update(name, change)
      aging.restart()
      const nodes = found.reading.nodes.filter(({ rows }) => rows > 0).length
      pauses.succeeded(nodes > 0)
      report(options, found, { seconds: seconds(), nodes })
    } catch (failure) {
      if (signal.aborted) return
      if (!(failure instanceof ApiError)) throw failure
      pauses.failed(failure)
      pollLog.queried(failure, { seconds: seconds(), nodes: undefined })
      await store.update(name, (before) => withFailure(before, failure))
    }
  }

  return {
    /** Called by the schedule, which only a system with queries has. */
    makeDue(): void {
      isDue = true
    },
    /** Polls if it is due, and if the system is to be queried at all. Awaits a poll that is under way instead. */
    async requestIfDue(signal: AbortSignal): Promise<void> {
      if (running !== undefined) return running
      if (!(isDue || isAlwaysDue)) return
      // It stays due: after an upgrade it is polled with the first feed that lacks the attributes.
      if (isQueried(system, store.system(name)?.pools) !== true) return removePerformance(store, name)
      if (pauses.remainingMs() > 0) return
      isDue = false
      running = poll(signal).finally(() => {
        running = undefined
      })
      return running
    },
    /**
     * When it is polled next, in milliseconds since the epoch. After a pause this is the end of the pause: it is polled with
     * the first poll from then on.
     * @param scheduledMs when it becomes due next
     */
    nextMs: (scheduledMs: number): number => nextAfterPause(scheduledMs, pauses.remainingMs(), isDue),
    /** Withdraws nothing any more. */
    end: aging.end,
  }
}

/** @param poll with the number of nodes that are in the answers */
function report(
  { system: { name }, store, pollLog }: QueryPollerOptions,
  { reading, failed, empty }: PerformancePoll,
  poll: PollSize & { readonly nodes: number },
): void {
  const isEmpty = poll.nodes === 0
  pollLog.queried(isEmpty ? 'empty' : 'ok', poll)
  pollLog.rejected(undefined, reading.rejected)
  for (const { name: query, failure } of failed) pollLog.queryFailed(query, failure)
  if (!isEmpty) for (const query of empty) pollLog.queryEmpty(query)
  const feeds = allFeeds(store.system(name))
  if (feeds !== undefined) pollLog.unmatched(unmatchedRows(reading, feeds))
}

/** Undefined while the nodes of a pool are not known. */
function allFeeds(state: SystemState | undefined): readonly FeedReading[] | undefined {
  const readings = [...(state?.pools.values() ?? [])].map(({ reading }) => reading)
  const feeds = readings.filter((reading) => reading !== undefined)
  return feeds.length === readings.length ? feeds : undefined
}

/** @param isDue whether it is polled as soon as the pause is over */
function nextAfterPause(scheduledMs: number, pauseMs: number, isDue: boolean): number {
  if (pauseMs === 0) return scheduledMs
  const endMs = Date.now() + pauseMs
  return isDue ? endMs : Math.max(scheduledMs, endMs)
}

export async function removePerformance(store: StateStore, name: string): Promise<void> {
  if (store.system(name)?.performance !== undefined)
    await store.update(name, (system) => withPerformance(system, undefined))
}

function stateOf({ reading, failed }: PerformancePoll) {
  const partFailure = partFailureOf(failed)
  return { reading, receivedAtMs: performance.now(), failure: undefined, partFailure }
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

function readerOf({ system, client }: QueryPollerOptions): PerformanceReader {
  return createPerformanceReader({
    maxSeries: Math.floor(system.limits.maxResponseBytes / BYTES_PER_SERIES),
    interfaces: system.performance.interfaces,
    keepsEarlier: system.performance.schedule !== '',
    query: client.query,
    hasRangeDefect: (signal) => readRangeDefect(client.read, signal),
  })
}
