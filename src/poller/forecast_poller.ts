import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import { FORECAST } from '../catalogue.ts'
import type { SystemConfig } from '../config/config.ts'
import { withForecasts } from '../state/changes.ts'
import type { StateStore } from '../state/store.ts'
import type { PollLog } from './log/poll_log.ts'

interface ForecastPollerOptions {
  readonly poolId: string
  readonly system: Pick<SystemConfig, 'name' | 'forecast' | 'limits'>
  readonly client: Pick<SystemClient, 'forecasts'>
  readonly store: StateStore
  readonly pollLog: PollLog
  /** Aborts when the pool is no longer polled. */
  readonly leaving: AbortSignal
}

/** Old forecasts are withdrawn at the second schedule in a row without new ones. */
const MISSES_ALLOWED = 1
/** Wait after a failure, unless the request was refused; then the next attempt is that of the schedule. */
const RETRY_MS = 600_000

/** Reads the forecasts of one pool: each time frame on its own, so that one that fails leaves the others as they are. */
export function createForecastPollers(options: ForecastPollerOptions) {
  const pollers = options.system.forecast.timeFrames.map((timeFrame) =>
    createFramePoller({ ...options, timeFrame }),
  )
  return {
    /** Called by the schedule, and when old forecasts were withdrawn. */
    makeDue(): void {
      for (const poller of pollers) poller.makeDue()
    },
    /** Requests those that are due. */
    async requestIfDue(): Promise<void> {
      await Promise.all(pollers.map((poller) => poller.requestIfDue()))
    },
  }
}

/** Reads the forecasts of one time frame, never twice at a time. */
function createFramePoller(options: ForecastPollerOptions & { readonly timeFrame: string }) {
  const { poolId, timeFrame, client, store, pollLog, leaving } = options
  const { name: system, forecast, limits } = options.system
  // The first forecast does not wait for the schedule, because that may be an hour.
  let dueAt = forecast.schedule === '' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  /** How often they became due, by schedule or withdrawal, since the last success. */
  let timesDue = 0
  let busy = false

  async function request(): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY
    try {
      const response = await client.forecasts(poolId, { ...forecast, timeFrame }, leaving)
      // What else the response has is counted by the polls.
      const rejected = response.rejected.filter(({ attribute }) => attribute === FORECAST.name)
      const reading = { ...response, rejected }
      await store.update(system, (state) =>
        withForecasts(state, poolId, timeFrame, reading, limits.maxResponseBytes),
      )
      pollLog.forecast(poolId, timeFrame, undefined)
      pollLog.rejected(poolId, rejected)
      timesDue = 0
    } catch (failure) {
      if (leaving.aborted) return
      if (!(failure instanceof ApiError)) throw failure
      pollLog.forecast(poolId, timeFrame, failure)
      if (REASONS[failure.reason].origin !== 'request') dueAt = performance.now() + RETRY_MS
      const known = store.system(system)?.pools.get(poolId)?.forecasts
      if (timesDue > MISSES_ALLOWED || known?.has(timeFrame) !== true)
        await store.update(system, (state) => withForecasts(state, poolId, timeFrame, undefined))
    }
  }

  return {
    makeDue(): void {
      if (forecast.schedule === '') return
      dueAt = Number.NEGATIVE_INFINITY
      timesDue += 1
    },
    async requestIfDue(): Promise<void> {
      if (busy || leaving.aborted || performance.now() < dueAt) return
      busy = true
      try {
        await request()
      } finally {
        busy = false
      }
    },
  }
}
