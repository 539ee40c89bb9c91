import type { StateStore } from '../state/store.ts'
import { isAnswer, type PoolSources, type Pools } from './pools.ts'
import type { Queries } from './queries.ts'
import type { Outcome } from './source.ts'

/** Polls all pools of one system, and reads what else is due. */
export type Rounds = ReturnType<typeof createRounds>

export interface RoundProgress {
  /** The pools to read; undefined while they are unknown. */
  poolIds?: readonly string[]
  readonly outcomes: Map<string, Outcome>
}

/** What distinguishes a round from one of the schedule. */
export interface Round {
  /** The only pool that is polled; nothing is if the system does not have it. */
  readonly poolId?: string | undefined
  /** Awaits polls that are under way, instead of leaving their pools out. */
  readonly joins?: boolean
  /** Filled while the round runs. */
  readonly progress?: RoundProgress
}

export interface RoundsOptions {
  readonly system: string
  readonly pools: Pools
  readonly queries: Pick<Queries, 'readIfDue'>
  /** Reads in the background what else is due; a round does not wait for it. */
  readonly readOthers: (pools: readonly PoolSources[]) => void
  /** Reads the list of pools in the background. */
  readonly refreshPools: () => void
  readonly store: StateStore
}

export function createRounds({ system, pools, queries, readOthers, refreshPools, store }: RoundsOptions) {
  let failedRounds = 0

  /** Undefined: the pools are unknown. What is known is used while the list is read again. */
  async function poolsOf({ poolId }: Round): Promise<readonly PoolSources[] | undefined> {
    const isListed = (poolId === undefined || find(poolId) !== undefined) && pools.isKnown()
    if (isListed) refreshPools()
    else if (pools.isKnown()) await pools.list.readIfDue()
    else await pools.list.read()
    if (!pools.isKnown()) return undefined
    const all = pools.all()
    if (poolId !== undefined) return all.filter((pool) => pool.poolId === poolId)
    // While the breaker is half-open, the first pool is the probe: one that always fails must not stay the first.
    const start = failedRounds % all.length
    return [...all.slice(start), ...all.slice(0, start)]
  }

  const find = (poolId: string) => pools.all().find((pool) => pool.poolId === poolId)

  async function pollAll(polled: readonly PoolSources[], { joins, progress }: Round): Promise<Outcome[]> {
    if (progress !== undefined) progress.poolIds = polled.map(({ poolId }) => poolId)
    return Promise.all(
      polled.map(async ({ poolId, nodes }) => {
        const outcome = nodes.isRunning() && joins !== true ? 'none' : await nodes.read()
        progress?.outcomes.set(poolId, outcome)
        return outcome
      }),
    )
  }

  return {
    /** Whether the system answered the poll of a pool in the last round of all pools; true before the first. */
    works: (): boolean => failedRounds === 0,
    /** One round. The client's circuit breaker decides whether requests are sent. */
    async run(round: Round = {}): Promise<void> {
      const polled = await poolsOf(round)
      const outcomes = polled && (await pollAll(polled, round))
      const isGood = isGoodRound(round, outcomes)
      if (isGood === undefined) return
      if (round.poolId === undefined) failedRounds = isGood ? 0 : failedRounds + 1
      if (store.system(system)?.tried === false) store.update(system, (state) => ({ ...state, tried: true }))
      if (!isGood) return
      readOthers(polled ?? [])
      await queries.readIfDue()
    },
  }
}

/** Undefined: nothing was polled. All pools may still be busy with the round before. */
function isGoodRound({ poolId }: Round, outcomes: readonly Outcome[] | undefined): boolean | undefined {
  if (outcomes === undefined) return false
  if (outcomes.length === 0) return poolId === undefined ? true : undefined
  return outcomes.every((outcome) => outcome === 'none') ? undefined : outcomes.some(isAnswer)
}
