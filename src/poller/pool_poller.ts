import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import type { SystemConfig } from '../config/config.ts'
import { withdrawn, withPoll } from '../state/changes.ts'
import { type Attempt, failureOf } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { createWithdrawal } from '../state/withdrawal.ts'
import { createForecastPollers } from './forecast_poller.ts'
import type { PollLog } from './log/poll_log.ts'

interface PoolPollerOptions {
  readonly poolId: string
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly store: StateStore
  readonly pollLog: PollLog
}

/** The outcome of a poll; `none` when the one before it is still under way, or the exporter stops. */
export type PollOutcome = 'ok' | 'none' | ApiError

/** Whether the system works: it gave the nodes, or refused them for a reason that may be that of this pool only. */
export function isAnswer(outcome: PollOutcome): boolean {
  return outcome === 'ok' || (outcome !== 'none' && REASONS[outcome.reason].origin === 'request')
}

/** Polls one pool, never twice at a time. */
export type PoolPoller = ReturnType<typeof createPoolPoller>

export function createPoolPoller(options: PoolPollerOptions) {
  const { poolId, system, client, store, pollLog } = options
  const { maxResponseBytes } = system.limits
  // Aborted by forget(), so that requests for removed pools do not wait for permits.
  const leaving = new AbortController()
  const forecasts = createForecastPollers({ ...options, leaving: leaving.signal })
  const withdrawal = createWithdrawal({
    staleAfterMs: system.poll.staleAfterMs,
    inherited: store.system(system.name)?.pools.get(poolId)?.lastSuccess,
    withdraw() {
      forecasts.makeDue()
      return store.update(system.name, (state) => withdrawn(state, poolId))
    },
    failed: (failure) => pollLog.internalError('withdrawing old values', failure),
  })
  let running: Promise<PollOutcome> | undefined

  async function request(): Promise<PollOutcome> {
    const began = performance.now()
    try {
      const reading = await client.nodes(poolId, leaving.signal)
      const attempt = attemptSince(began)
      await store.update(system.name, (state) => withPoll(state, poolId, attempt, reading, maxResponseBytes))
      withdrawal.after()
      pollLog.polled(poolId, { seconds: attempt.seconds, nodes: reading.nodes.length, failure: undefined })
      pollLog.rejected(poolId, reading.rejected)
      return 'ok'
    } catch (cause) {
      if (leaving.signal.aborted) return 'none'
      return fail(located(cause, system.name, poolId), began)
    }
  }

  async function fail(failure: ApiError, began: number): Promise<PollOutcome> {
    const bad = attemptSince(began, failure)
    pollLog.polled(poolId, { seconds: bad.seconds, nodes: undefined, failure })
    await store.update(system.name, (state) => withPoll(state, poolId, bad))
    return failure
  }

  async function poll(): Promise<PollOutcome> {
    if (running !== undefined || leaving.signal.aborted) return 'none'
    running = request().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    poolId,
    forecasts,
    poll,
    /** Resolves to the outcome of the poll that is under way; without one, polls. */
    pollOrJoin: (): Promise<PollOutcome> => running ?? poll(),
    /** The pool is no longer polled: nothing is changed or started from now on. */
    forget(): void {
      leaving.abort(new Error('the pool is no longer polled'))
      withdrawal.end()
    },
  }
}

/** A poll that ends now. @param began on the clock of `performance.now()` */
export function attemptSince(began: number, failure?: ApiError): Attempt {
  const at = Date.now() / 1000
  return { at, seconds: (performance.now() - began) / 1000, failure: failure && failureOf(failure, at) }
}

/** The failure with its place. An internal error becomes a failure of this pool alone. */
function located(cause: unknown, system: string, pool: string): ApiError {
  const place = { system, operation: 'nodes', pool, path: 'internal' }
  if (cause instanceof ApiError) return cause.at(place)
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const detail = `internal error while the response was turned into metrics, please report it: ${what}`
  return new ApiError('local', detail, { cause }, place)
}
