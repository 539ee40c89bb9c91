import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import { inSlices } from '../slices.ts'
import type { Board } from './board.ts'
import { createForecastPoller, type ForecastPoller } from './forecast_poller.ts'
import type { Journal } from './journal.ts'
import { readingLinesSteps } from './pool_lines.ts'
import { withdrawn, withPoll } from './state.ts'
import type { Attempt, Failure } from './system_state.ts'
import { createWithdrawal, type Withdrawal } from './withdrawal.ts'

interface PoolPollerOptions {
  readonly poolId: string
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll' | 'forecast' | 'limits'>
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
  /** The pool is no longer polled: changes nothing and starts nothing any more. */
  forget(): void
}

export function createPoolPoller(options: PoolPollerOptions): PoolPoller {
  const { poolId, system, config, client, board, journal } = options
  // Aborted by forget(), so that requests of pools that left do not wait for permits.
  const leaving = new AbortController()
  const forecasts = createForecastPoller({
    ...options,
    system: system.name,
    forecast: config.forecast,
    leaving: leaving.signal,
    maxBytes: config.limits.maxResponseBytes,
  })
  const withdrawal = withdrawalOf(options, forecasts)
  let busy = false

  async function ask(signal: AbortSignal): Promise<Outcome> {
    const began = performance.now()
    try {
      const reading = await client.nodes(poolId, leaving.signal)
      if (leaving.signal.aborted) return 'none'
      const good = attemptSince(began)
      await show(options, good, reading, leaving.signal)
      if (leaving.signal.aborted) return 'none'
      withdrawal.after()
      journal.polled(poolId, undefined)
      journal.rejected(poolId, reading.rejected)
      return 'ok'
    } catch (cause) {
      if (signal.aborted || leaving.signal.aborted) return 'none'
      return fail(located(cause, system.name, poolId), began)
    }
  }

  async function fail(failure: ApiError, began: number): Promise<Outcome> {
    journal.polled(poolId, failure)
    const bad = attemptSince(began, { reason: failure.reason, message: failure.message })
    await board.update(system.name, (state) => withPoll(state, poolId, bad))
    return failure
  }

  return {
    poolId,
    forecasts,
    async poll(signal) {
      if (busy || signal.aborted || leaving.signal.aborted) return 'none'
      busy = true
      try {
        return await ask(signal)
      } finally {
        busy = false
      }
    },
    forget() {
      leaving.abort(new Error('the pool is no longer polled'))
      withdrawal.end()
    },
  }
}

/** Renders a reading in slices, and shows it. @throws {ApiError} `too_large` */
async function show(
  { poolId, system: { name }, config, board }: PoolPollerOptions,
  attempt: Attempt,
  reading: FeedReading,
  signal: AbortSignal,
): Promise<void> {
  const maxBytes = config.limits.maxResponseBytes
  const lines = await inSlices(readingLinesSteps(board.system(name), poolId, reading), signal)
  await board.update(name, (state) => withPoll(state, poolId, attempt, reading, { maxBytes, lines }))
}

/** Withdraws the values of the pool in time, also those that an earlier poller left. */
function withdrawalOf(options: PoolPollerOptions, forecasts: ForecastPoller): Withdrawal {
  const { poolId, system, config, board, journal } = options
  const { staleAfterMs } = config.poll
  const withdrawal = createWithdrawal(staleAfterMs, () => {
    forecasts.makeDue()
    board
      .update(system.name, (state) => withdrawn(state, poolId))
      .catch((failure: unknown) => journal.internalError('withdrawing old values', failure))
  })
  const inherited = board.system(system.name)?.pools.get(poolId)?.lastSuccess
  if (inherited !== undefined) withdrawal.after(inherited * 1000 + staleAfterMs - Date.now())
  return withdrawal
}

/** @param began on the clock of `performance.now()` */
function attemptSince(began: number, failure?: Failure): Attempt {
  return { at: Date.now() / 1000, seconds: (performance.now() - began) / 1000, failure }
}

/** The failure with its place. An internal error becomes a failure of this pool alone. */
function located(cause: unknown, system: string, pool: string): ApiError {
  const place = { system, operation: 'nodes', pool, path: 'internal' }
  if (cause instanceof ApiError) return cause.at(place)
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const detail = `internal error while the answer was turned into metrics, please report it: ${what}`
  return new ApiError('local', detail, { cause }, place)
}
