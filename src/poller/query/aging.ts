import { LONGEST_AGE_SECONDS } from '../../api/query/answers/intervals.ts'
import { oldestTime, withoutOlderThan } from '../../api/query/values/performance.ts'
import type { SystemConfig } from '../../config/config.ts'
import { withPerformance } from '../../state/changes.ts'
import type { PerformanceState } from '../../state/state.ts'
import type { StateStore } from '../../state/store.ts'
import { createWithdrawal } from '../../state/withdrawal.ts'
import type { PollLog } from '../log/poll_log.ts'

interface AgingOptions {
  readonly system: Pick<SystemConfig, 'name' | 'poll'>
  readonly store: Pick<StateStore, 'system' | 'update'>
  readonly pollLog: Pick<PollLog, 'internalError'>
}

/** Nodes have points at different times: their values are not withdrawn one by one. */
const LEAST_MS = 30_000

/** Withdraws each value of the query interface when it is too old by the clock of the system. */
export function createAging({ system: { name, poll }, store, pollLog }: AgingOptions) {
  const { staleAfterMs } = poll
  const keptSeconds = ({ reading }: PerformanceState) =>
    Math.max(reading?.maxAgeSeconds ?? 0, staleAfterMs / 1000)
  const withdrawal = createWithdrawal({
    staleAfterMs: Math.max(LONGEST_AGE_SECONDS * 1000, staleAfterMs),
    withdraw: () => withdraw().then(restart),
    failed: (failure) => pollLog.internalError('withdrawing old values of the query interface', failure),
  })

  function withdraw(): Promise<void> {
    return store.update(name, (state) => {
      const { performance } = state
      if (performance?.reading === undefined) return state
      const oldest = systemTime(performance) - keptSeconds(performance)
      const left = withoutOlderThan(performance.reading, oldest)
      return withPerformance(state, {
        ...performance,
        reading: oldestTime(left) === undefined ? undefined : left,
      })
    })
  }

  function restart(): void {
    const state = store.system(name)?.performance
    const oldest = state?.reading && oldestTime(state.reading)
    if (state === undefined || oldest === undefined) return
    const leftMs = (oldest + keptSeconds(state) - systemTime(state)) * 1000
    withdrawal.after(Math.max(leftMs, LEAST_MS))
  }

  // Values from before a reload.
  restart()
  return {
    /** Called when there is a new reading. */
    restart,
    end: withdrawal.end,
  }
}

/** Seconds since the epoch by the clock of the system, as the exporter's clock may be set. */
function systemTime({ reading, receivedAtMs }: PerformanceState): number {
  return (reading?.stop ?? 0) + (performance.now() - receivedAtMs) / 1000
}
