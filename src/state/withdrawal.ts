import { MAX_TIMER_MS } from '../values/timers.ts'

/** Withdraws values that no successful poll has replaced in time, independently of the schedule. */
export interface Withdrawal {
  /** Restarts the time; `ms` is shorter, or negative, for values of an earlier poller. */
  after(ms?: number): void
  /** Withdraws nothing from now on. */
  end(): void
}

export function createWithdrawal(staleAfterMs: number, withdraw: () => void): Withdrawal {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  return {
    after(ms = staleAfterMs) {
      clearTimeout(timer)
      if (ended) return
      // If the clock was set meanwhile, the remaining time of an earlier poller is wrong, so it is limited.
      timer = setTimeout(withdraw, Math.min(ms, staleAfterMs, MAX_TIMER_MS)).unref()
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
