import { MAX_TIMER_MS } from '../values/timers.ts'

/** Withdraws values that no successful poll has replaced in time, independently of the schedule. */
export type Withdrawal = ReturnType<typeof createWithdrawal>

export function createWithdrawal(staleAfterMs: number, withdraw: () => void) {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  return {
    /** Restarts the time; `ms` is shorter, or negative, for values of an earlier poller. */
    after(ms: number = staleAfterMs): void {
      clearTimeout(timer)
      if (ended) return
      // If the clock was set meanwhile, the remaining time of an earlier poller is wrong, so it is limited.
      timer = setTimeout(withdraw, Math.min(ms, staleAfterMs, MAX_TIMER_MS)).unref()
    },
    /** Withdraws nothing from now on. */
    end(): void {
      ended = true
      clearTimeout(timer)
    },
  }
}
