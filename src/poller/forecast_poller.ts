import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { Reason } from '../api/errors/reasons.ts'
import type { ForecastConfig } from '../config/config.ts'
import type { Board } from './board.ts'
import type { Journal } from './journal.ts'
import { withForecasts } from './state.ts'

interface ForecastPollerOptions {
  readonly poolId: string
  readonly system: string
  readonly forecast: ForecastConfig
  readonly client: Pick<SystemClient, 'forecasts'>
  readonly board: Board
  readonly journal: Journal
}

/** Asks for the forecasts of one pool, never twice at a time. */
export interface ForecastPoller {
  /** From now on forecasts are due: the schedule says so, or what was known of them is gone. */
  makeDue(): void
  /** Asks if they are due. To be called when the system answers. */
  askIfDue(signal: AbortSignal): Promise<void>
}

/** A forecast that is missed once may be bad luck; after the second time it is too old to plan by. */
const MISSES_ALLOWED = 1
/** Failures that a later request may be spared; after the others, asking again is left to the schedule. */
const PASSING: readonly Reason[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'auth',
  'throttled',
  'unavailable',
  'server_error',
  'html',
  'local',
]
const FIRST_RETRY_MS = 60_000

export function createForecastPoller(options: ForecastPollerOptions): ForecastPoller {
  const { poolId, system, forecast, client, board, journal } = options
  // The first forecast does not wait for its schedule, which may be an hour away.
  let dueAt = forecast.schedule === '' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  let retryMs = FIRST_RETRY_MS
  /** How often they became due, by schedule or withdrawal, since they came last. */
  let timesDue = 0
  let busy = false

  async function ask(signal: AbortSignal): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY
    try {
      const reading = await client.forecasts(poolId, forecast, signal)
      await board.update(system, (state) => withForecasts(state, poolId, reading))
      journal.forecast(poolId, undefined)
      retryMs = FIRST_RETRY_MS
      timesDue = 0
    } catch (failure) {
      if (signal.aborted) return
      if (!(failure instanceof ApiError)) throw failure
      journal.forecast(poolId, failure)
      if (PASSING.includes(failure.reason)) dueAt = performance.now() + retryMs
      retryMs *= 2
      await withdrawIfOld()
    }
  }

  async function withdrawIfOld(): Promise<void> {
    if (timesDue <= MISSES_ALLOWED) return
    await board.update(system, (state) => withForecasts(state, poolId, undefined))
  }

  return {
    makeDue() {
      if (forecast.schedule === '') return
      dueAt = Number.NEGATIVE_INFINITY
      retryMs = FIRST_RETRY_MS
      timesDue += 1
    },
    async askIfDue(signal) {
      if (busy || performance.now() < dueAt) return
      busy = true
      try {
        await ask(signal)
      } finally {
        busy = false
      }
    },
  }
}
