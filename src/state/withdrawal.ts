import { MAX_TIMER_MS } from '../values/timers.ts'

/** Withdraws values that no successful poll renewed in time, whatever the schedule does meanwhile. */
export interface Withdrawal {
  /** Starts the time anew; `ms` less than the whole, or negative, for values of an earlier poller. */
  after(ms?: number): void
  /** Never withdraws any more. */
  end(): void
}

export function createWithdrawal(staleAfterMs: number, withdraw: () => void): Withdrawal {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  return {
    after(ms = staleAfterMs) {
      clearTimeout(timer)
      if (ended) return
      // If the clock was set meanwhile, the rest of an earlier time may be anything; it is never more than the whole.
      timer = setTimeout(withdraw, Math.min(ms, staleAfterMs, MAX_TIMER_MS)).unref()
    },
    end() {
      ended = true
      clearTimeout(timer)
    },
  }
}
