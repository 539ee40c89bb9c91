import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { MAX_TIMER_MS } from '../api/http/deadline.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import type { Board } from './board.ts'
import { createForecastPoller, type ForecastPoller } from './forecast_poller.ts'
import type { Journal } from './journal.ts'
import { type Attempt, type Failure, withdrawn, withPoll } from './state.ts'

interface PoolPollerOptions {
  readonly poolId: string
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll' | 'forecast'>
  readonly client: SystemClient
  readonly board: Board
  readonly journal: Journal
}

/** The outcome of a poll; `none` when the one before it is still under way, or the exporter stops. */
export type Outcome = 'ok' | 'none' | ApiError

/** Polls one pool, never twice at a time. */
export interface PoolPoller {
  readonly poolId: string
  readonly forecasts: ForecastPoller
  poll(signal: AbortSignal): Promise<Outcome>
  /** When the pool was last asked, on the clock of `performance.now()`. */
  askedAt(): number
  /** The poll failed without asking: the system did not answer for other pools. */
  giveUp(silence: ApiError): Promise<Outcome>
  /** The pool is no longer polled: withdraws nothing and starts nothing any more. */
  forget(): void
}

export function createPoolPoller(options: PoolPollerOptions): PoolPoller {
  const { poolId, system, config, client, board, journal } = options
  const { staleAfterMs } = config.poll
  const forecasts = createForecastPoller({ ...options, system: system.name, forecast: config.forecast })
  let busy = false
  let forgotten = false
  let askedAt = Number.NEGATIVE_INFINITY
  let staleTimer: NodeJS.Timeout | undefined

  // A poller that takes over another's values takes over their end, too.
  const inherited = board.system(system.name)?.pools.get(poolId)?.lastSuccess
  if (inherited !== undefined) withdrawAfter(inherited * 1000 + staleAfterMs - Date.now())

  /** One poll at a time. */
  async function alone(task: () => Promise<Outcome>): Promise<Outcome> {
    if (busy || forgotten) return 'none'
    busy = true
    try {
      return await task()
    } finally {
      busy = false
    }
  }

  async function ask(signal: AbortSignal): Promise<Outcome> {
    const began = performance.now()
    askedAt = began
    try {
      const reading = await client.nodes(poolId, signal)
      if (forgotten) return 'none'
      const good = attemptSince(began)
      await board.update(system.name, (state) => withPoll(state, poolId, good, reading))
      if (forgotten) return 'none'
      withdrawAfter(staleAfterMs)
      journal.polled(poolId, undefined)
      journal.rejected(poolId, reading.rejected)
      return 'ok'
    } catch (cause) {
      // A pool that left the list while it was asked is nobody's any more.
      if (signal.aborted || forgotten) return 'none'
      return fail(located(cause, system.name, poolId), began)
    }
  }

  async function fail(failure: ApiError, began: number): Promise<Outcome> {
    journal.polled(poolId, failure)
    const bad = attemptSince(began, { reason: failure.reason, message: failure.message })
    await board.update(system.name, (state) => withPoll(state, poolId, bad))
    return failure
  }

  /** Values that no good poll renewed are withdrawn on time, whatever the schedule does meanwhile. */
  function withdrawAfter(ms: number): void {
    clearTimeout(staleTimer)
    if (forgotten) return
    // Where the clock was set meanwhile, an inherited rest may be anything; it is never more than a whole one.
    const rest = Math.min(Math.max(ms, 0), staleAfterMs, MAX_TIMER_MS)
    staleTimer = setTimeout(withdraw, rest).unref()
  }

  function withdraw(): void {
    forecasts.makeDue()
    board
      .update(system.name, (state) => withdrawn(state, poolId))
      .catch((failure: unknown) => journal.broke('withdrawing old values', failure))
  }

  return {
    poolId,
    forecasts,
    askedAt: () => askedAt,
    poll: (signal) => alone(() => ask(signal)),
    giveUp: (silence) => alone(() => fail(unasked(silence, system.name, poolId), performance.now())),
    forget() {
      forgotten = true
      clearTimeout(staleTimer)
    },
  }
}

/** @param began on the clock of `performance.now()` */
function attemptSince(began: number, failure?: Failure): Attempt {
  return { at: Date.now() / 1000, seconds: (performance.now() - began) / 1000, failure }
}

function unasked({ reason, detail }: ApiError, system: string, pool: string): ApiError {
  const place = { system, operation: 'nodes', pool, path: 'not asked' }
  return new ApiError(reason, `the system did not answer for other pools: ${detail}`, {}, place)
}

/** The failure with its place; a fault of the exporter in the form of all others, so that it stays with its pool. */
function located(cause: unknown, system: string, pool: string): ApiError {
  const place = { system, operation: 'nodes', pool, path: 'this program' }
  if (cause instanceof ApiError) return cause.at(place)
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const detail = `the answer could not be turned into metrics, please report this: ${what}`
  return new ApiError('local', detail, { cause }, place)
}
