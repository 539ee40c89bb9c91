import { MAX_TIMER_MS } from '../values/timers.ts'

interface WithdrawalOptions {
  readonly staleAfterMs: number
  readonly withdraw: () => Promise<void>
  readonly failed: (failure: unknown) => void
  /** When values of an earlier poller were read, in seconds since the epoch; undefined: there are none. */
  readonly inherited?: number | undefined
}

/** Withdraws values that no successful poll has replaced in time, independently of the schedule. */
export function createWithdrawal({ staleAfterMs, withdraw, failed, inherited }: WithdrawalOptions) {
  let timer: NodeJS.Timeout | undefined
  let ended = false
  /** Restarts the time; `ms` is shorter, or negative, for values that were read earlier. */
  function after(ms: number = staleAfterMs): void {
    clearTimeout(timer)
    if (ended) return
    // If the clock was set meanwhile, the remaining time of an earlier poller is wrong, so it is limited. Node.js warns of a
    // negative time.
    wait(Math.max(0, Math.min(ms, staleAfterMs)))
  }

  /** Three intervals of a monthly schedule are longer than a timer. */
  function wait(ms: number): void {
    const rest = ms - MAX_TIMER_MS
    const run = () => (rest > 0 ? wait(rest) : void withdraw().catch(failed))
    timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS)).unref()
  }
  if (inherited !== undefined) after(inherited * 1000 + staleAfterMs - Date.now())
  return {
    after,
    /** Withdraws nothing from now on. */
    end(): void {
      ended = true
      clearTimeout(timer)
    },
  }
}
