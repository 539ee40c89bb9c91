import type { StateStore } from '../state/store.ts'
import type { Discovery } from './discovery.ts'
import type { Inventory } from './inventory.ts'
import { isAnswer, type PollOutcome, type PoolPoller } from './pool_poller.ts'
import type { QueryPoller } from './query/query_poller.ts'

/** Polls all pools of one system, and requests what else is due. */
export type Rounds = ReturnType<typeof createRounds>

/** What distinguishes a round from one of the schedule. */
export interface Round {
  /** The only pool that is polled; nothing is if the system does not have it. */
  readonly poolId?: string | undefined
  /** Awaits polls that are under way, instead of leaving their pools out. */
  readonly joins?: boolean
  /** Called with the ids of the pools that are polled; not if the pools are unknown. */
  readonly onPools?: (poolIds: readonly string[]) => void
  readonly onPolled?: (poolId: string, outcome: PollOutcome) => void
}

export interface RoundsOptions {
  readonly system: string
  readonly discovery: Discovery
  readonly inventory: Inventory
  readonly queries: Pick<QueryPoller, 'requestIfDue'>
  /** Starts to read the resources that are due; a round does not wait for them. */
  readonly readResources: () => void
  readonly store: StateStore
  readonly signal: AbortSignal
}

export function createRounds(options: RoundsOptions) {
  const { system, discovery, inventory, queries, store, signal } = options
  let failedRounds = 0

  /** Undefined: the pools are unknown. */
  async function pollersOf({ poolId }: Round): Promise<readonly PoolPoller[] | undefined> {
    await discovery.discoverIfDue()
    if (!discovery.isKnown()) return undefined
    if (poolId !== undefined) return discovery.pollers().filter((poller) => poller.poolId === poolId)
    // While the breaker is half-open, the first pool is the probe: one that always fails must not stay the first.
    const pollers = discovery.pollers()
    const start = failedRounds % pollers.length
    return [...pollers.slice(start), ...pollers.slice(0, start)]
  }

  async function pollAll(pollers: readonly PoolPoller[], round: Round): Promise<PollOutcome[]> {
    round.onPools?.(pollers.map(({ poolId }) => poolId))
    return Promise.all(
      pollers.map(async (poller) => {
        const outcome = await (round.joins ? poller.pollOrJoin() : poller.poll())
        round.onPolled?.(poller.poolId, outcome)
        return outcome
      }),
    )
  }

  async function requestForecasts(pollers = discovery.pollers()): Promise<void> {
    await Promise.all(pollers.map(({ forecasts }) => forecasts.requestIfDue()))
  }

  function note(isGood: boolean): void {
    failedRounds = isGood ? 0 : failedRounds + 1
  }

  return {
    /** Whether the system answered the poll of a pool in the last round of all pools; true before the first. */
    works: (): boolean => failedRounds === 0,
    requestForecasts: (): Promise<void> => requestForecasts(),
    /** One round. The client's circuit breaker decides whether requests are sent. */
    async run(round: Round = {}): Promise<void> {
      const pollers = await pollersOf(round)
      const outcomes = pollers && (await pollAll(pollers, round))
      if (round.poolId !== undefined && outcomes?.length === 0) return
      // All pools may still be busy with the round before.
      if (outcomes?.length && outcomes.every((outcome) => outcome === 'none')) return
      const isGood = outcomes !== undefined && (outcomes.length === 0 || outcomes.some(isAnswer))
      if (round.poolId === undefined) note(isGood)
      if (store.system(system)?.tried === false)
        await store.update(system, (state) => ({ ...state, tried: true }))
      if (!isGood) return
      options.readResources()
      await Promise.all([
        requestForecasts(pollers),
        inventory.requestIfDue(signal),
        queries.requestIfDue(signal),
      ])
    },
  }
}
