import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import { FORECAST } from '../catalogue.ts'
import type { SystemConfig } from '../config/config.ts'
import { dropNodes, withForecasts, withPoll } from '../state/changes.ts'
import { type Attempt, failureOf } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import type { ReadingLog } from './log/reading_log.ts'
import { keepForMs, RETRY_MS } from './schedule.ts'
import { createSource, type Outcome, type Source } from './source.ts'

export interface PoolOptions {
  readonly poolId: string
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly store: StateStore
  readonly log: ReadingLog
  /** Aborts when the system is no longer polled. */
  readonly signal: AbortSignal
}

/** Whether the system works: it gave the nodes, or refused them for a reason that may be that of this pool only. */
export function isAnswer(outcome: Outcome): boolean {
  return outcome === 'ok' || (outcome !== 'none' && REASONS[outcome.reason].origin === 'request')
}

export type PoolSources = ReturnType<typeof createPoolSources>

export function createPoolSources(options: PoolOptions) {
  const { poolId, system } = options
  const nodes = createNodesSource(options)
  const { schedule, timeFrames } = system.forecast
  const forecasts = schedule === '' ? [] : timeFrames.map((frame) => createForecastSource(options, frame))
  return {
    poolId,
    nodes,
    /** One for each time frame. */
    forecasts,
    forget(): void {
      for (const source of [nodes, ...forecasts]) source.forget()
    },
  }
}

function createNodesSource(options: PoolOptions): Source {
  const { poolId, system, client, store, log, signal } = options
  const { maxResponseBytes } = system.limits
  return createSource(
    {
      name: 'nodes of a pool',
      read: (ofSource) => client.nodes(poolId, ofSource),
      keep(reading, beganMs) {
        const attempt = attemptSince(beganMs)
        store.update(system.name, (state) => withPoll(state, poolId, attempt, reading, maxResponseBytes))
        log.polled(poolId, { seconds: attempt.seconds, nodes: reading.nodes.length, failure: undefined })
        log.rejected(poolId, reading.rejected)
      },
      fail(failure, beganMs) {
        const attempt = attemptSince(beganMs, failure)
        log.polled(poolId, { seconds: attempt.seconds, nodes: undefined, failure })
        store.update(system.name, (state) => withPoll(state, poolId, attempt))
      },
      drop: () => store.update(system.name, (state) => dropNodes(state, poolId)),
      keepForMs: system.poll.staleAfterMs,
      located: (cause) => located(cause, system.name, poolId),
    },
    {
      signal,
      internalError: log.internalError,
      isOnlyProbed: system.poll.schedule === '',
      lastSuccess: store.system(system.name)?.pools.get(poolId)?.lastSuccess,
    },
  )
}

/** Each time frame is read on its own: one that fails leaves the others as they are. */
function createForecastSource(options: PoolOptions, timeFrame: string): Source {
  const { poolId, system, client, store, log, signal } = options
  const { forecast, limits } = system
  const replace = (reading: FeedReading | undefined) => {
    const context = { at: Date.now() / 1000, maxBytes: limits.maxResponseBytes }
    store.update(system.name, (state) => withForecasts(state, poolId, timeFrame, reading, context))
  }
  const known = () => store.system(system.name)?.pools.get(poolId)?.forecasts.get(timeFrame)
  return createSource(
    {
      name: 'forecasts of a pool',
      read: (ofSource) => client.forecasts(poolId, { ...forecast, timeFrame }, ofSource),
      keep(response) {
        // What else the response has is counted by the polls.
        const rejected = response.rejected.filter(({ attribute }) => attribute === FORECAST.name)
        replace({ ...response, rejected })
        log.forecast(poolId, timeFrame, undefined)
        log.rejected(poolId, rejected)
      },
      fail(failure) {
        log.forecast(poolId, timeFrame, failure)
        if (known() === undefined) replace(undefined)
      },
      drop: () => replace(undefined),
      keepForMs: keepForMs(system, forecast.schedule),
      retryMs: ({ reason }) => (REASONS[reason].origin === 'request' ? undefined : RETRY_MS),
    },
    {
      signal,
      internalError: log.internalError,
      isOnlyProbed: system.poll.schedule === '',
      lastSuccess: known()?.lastSuccess,
    },
  )
}

/** A poll that ends now. @param beganMs on the clock of `performance.now()` */
export function attemptSince(beganMs: number, failure?: ApiError): Attempt {
  const at = Date.now() / 1000
  return { at, seconds: (performance.now() - beganMs) / 1000, failure: failure && failureOf(failure, at) }
}

/** The failure with its place. An internal error becomes a failure of this pool alone. */
function located(cause: unknown, system: string, pool: string): ApiError {
  const place = { system, operation: 'nodes', pool, path: 'internal' }
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const detail = `internal error while the response was turned into metrics, please report it: ${what}`
  return new ApiError('local', detail, { cause }, place)
}
