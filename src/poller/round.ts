import type { Board } from './board.ts'
import type { Discovery } from './discovery.ts'
import type { Inventory } from './inventory.ts'
import type { Outcome, PoolPoller } from './pool_poller.ts'
import type { QueryPoller } from './query_poller.ts'

/** Polls all pools of one system, and asks for what else is due. */
export interface Rounds {
  /** One round. The client's circuit breaker decides whether requests are sent. */
  run(): Promise<void>
  /** Whether a pool was polled successfully in the last round; true before the first. */
  works(): boolean
  askForForecasts(): Promise<void>
}

interface RoundsOptions {
  readonly system: string
  readonly discovery: Discovery
  readonly inventory: Inventory
  readonly queries: Pick<QueryPoller, 'askIfDue'>
  readonly board: Board
  readonly signal: AbortSignal
}

export function createRounds(options: RoundsOptions): Rounds {
  const { system, discovery, inventory, queries, board, signal } = options
  let works = true
  let failedRounds = 0

  async function pollPools(): Promise<Outcome[]> {
    const unlisted = discovery.isKnown() ? undefined : await discovery.discover()
    if (unlisted !== undefined) return [unlisted]
    // While the breaker is half-open, the first pool is the probe: a pool that fails for good must not stay the first.
    const pollers = rotated(discovery.pollers(), failedRounds)
    return Promise.all(pollers.map((poller) => poller.poll(signal)))
  }

  async function askForForecasts(): Promise<void> {
    await Promise.all(discovery.pollers().map(({ forecasts }) => forecasts.askIfDue(signal)))
  }

  return {
    works: () => works,
    askForForecasts,
    async run() {
      const outcomes = await pollPools()
      // All pools may still be busy with the round before.
      if (outcomes.length > 0 && outcomes.every((outcome) => outcome === 'none')) return
      works = outcomes.length === 0 || outcomes.includes('ok')
      failedRounds = works ? 0 : failedRounds + 1
      if (board.system(system)?.tried === false)
        await board.update(system, (state) => ({ ...state, tried: true }))
      if (!works) return
      await Promise.all([askForForecasts(), inventory.askIfDue(signal), queries.askIfDue(signal)])
    },
  }
}

function rotated(pollers: readonly PoolPoller[], by: number): readonly PoolPoller[] {
  const start = pollers.length === 0 ? 0 : by % pollers.length
  return [...pollers.slice(start), ...pollers.slice(0, start)]
}
