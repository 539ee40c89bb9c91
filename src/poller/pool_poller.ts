import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import type { FeedReading } from '../api/feed.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import type { Board } from './board.ts'
import type { Journal } from './journal.ts'
import { type Attempt, type Failure, withdrawn, withForecasts, withPoll } from './state.ts'

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
  poll(signal: AbortSignal): Promise<Outcome>
  forecast(signal: AbortSignal): Promise<void>
  /** The pool is no longer polled: withdraws nothing and starts nothing any more. */
  forget(): void
}

/** A forecast that fails once may be bad luck; after the second time it is too old to plan by. */
const FORECAST_FAILURES_ALLOWED = 1

export function createPoolPoller({
  poolId,
  system,
  config,
  client,
  board,
  journal,
}: PoolPollerOptions): PoolPoller {
  let busy = false
  let staleTimer: NodeJS.Timeout | undefined
  let forecastAsked = config.forecast.schedule === ''
  let forecastFailures = 0

  // A poller that takes over another's values takes over their end, too.
  const inherited = board.system(system.name)?.pools.get(poolId)?.lastSuccess
  if (inherited !== undefined)
    withdrawAfter(Math.max(0, inherited * 1000 + config.poll.staleAfterMs - Date.now()))

  async function poll(signal: AbortSignal): Promise<Outcome> {
    if (busy) return 'none'
    busy = true
    try {
      const outcome = await ask(signal)
      // The first forecast does not wait for its schedule, which may be an hour away.
      if (outcome === 'ok' && !forecastAsked) await forecast(signal)
      return outcome
    } finally {
      busy = false
    }
  }

  async function ask(signal: AbortSignal): Promise<Outcome> {
    const began = performance.now()
    const attempt = (failure?: Failure): Attempt => ({
      at: Date.now() / 1000,
      seconds: (performance.now() - began) / 1000,
      failure,
    })
    try {
      const reading = await client.nodes(poolId, signal)
      journal.polled(poolId, undefined)
      journal.rejected(poolId, reading.rejected)
      withdrawAfter(config.poll.staleAfterMs)
      await publish(attempt(), reading)
      return 'ok'
    } catch (failure) {
      if (signal.aborted) return 'none'
      if (!(failure instanceof ApiError)) throw failure
      journal.polled(poolId, failure)
      await publish(attempt({ reason: failure.reason, message: failure.message }))
      return failure
    }
  }

  function publish(attempt: Attempt, reading?: FeedReading): Promise<void> {
    return board.update(system.name, (state) => withPoll(state, poolId, attempt, reading))
  }

  /** Values that no good poll renewed are withdrawn on time, whatever the schedule does meanwhile. */
  function withdrawAfter(ms: number): void {
    clearTimeout(staleTimer)
    staleTimer = setTimeout(
      () => void board.update(system.name, (state) => withdrawn(state, poolId)),
      ms,
    ).unref()
  }

  async function forecast(signal: AbortSignal): Promise<void> {
    forecastAsked = true
    try {
      const reading = await client.forecasts(poolId, config.forecast, signal)
      forecastFailures = 0
      journal.forecast(poolId, undefined)
      await board.update(system.name, (state) => withForecasts(state, poolId, reading))
    } catch (failure) {
      if (signal.aborted) return
      if (!(failure instanceof ApiError)) throw failure
      journal.forecast(poolId, failure)
      forecastFailures += 1
      if (forecastFailures <= FORECAST_FAILURES_ALLOWED) return
      await board.update(system.name, (state) => withForecasts(state, poolId, undefined))
    }
  }

  return { poll, forecast, forget: () => clearTimeout(staleTimer) }
}
