import { ApiError } from '../api/errors/errors.ts'
import { untilAborted } from '../api/http/waiting.ts'
import type { SystemConfig } from '../config/config.ts'
import { createExposition, type Exposition } from '../metrics/exposition.ts'
import { PROBE } from '../metrics/families.ts'
import { labelText, type RenderedPart, renderPart } from '../metrics/lines.ts'
import { withPerformance } from '../state/changes.ts'
import { byId, renderPoll, withoutCounters } from '../state/rendering.ts'
import { NOTHING, type PoolState, type SystemState } from '../state/state.ts'
import { type StateStore, systemParts } from '../state/store.ts'
import { attemptSince, isAnswer, type PoolSources, type Pools } from './pools.ts'
import type { Queries } from './queries.ts'
import type { Outcome } from './source.ts'

/** Polls all pools of one system, and reads what else is due. */
export type Rounds = ReturnType<typeof createRounds>

/** A round that a probe requests: it awaits polls that are under way, instead of leaving their pools out. */
interface ProbeRound {
  /** The only pool that is polled, nothing if the system does not have it; undefined: all. */
  readonly poolId: string | undefined
  /** On the clock of `performance.now()`. */
  readonly beganMs: number
  /** The pools to read; undefined while they are unknown. */
  poolIds?: readonly string[]
  /** Those that have ended, by pool. */
  readonly outcomes: Map<string, Outcome>
  hasEnded: boolean
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
  async function poolsOf(poolId: string | undefined): Promise<readonly PoolSources[] | undefined> {
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

  async function pollAll(polled: readonly PoolSources[], probe?: ProbeRound): Promise<Outcome[]> {
    if (probe !== undefined) probe.poolIds = polled.map(({ poolId }) => poolId)
    return Promise.all(
      polled.map(async ({ poolId, nodes }) => {
        const outcome = nodes.isRunning() && probe === undefined ? 'none' : await nodes.read()
        probe?.outcomes.set(poolId, outcome)
        return outcome
      }),
    )
  }

  return {
    /** Whether the system answered the poll of a pool in the last round of all pools; true before the first. */
    works: (): boolean => failedRounds === 0,
    /** One round. The client's circuit breaker decides whether requests are sent. */
    async run(probe?: ProbeRound): Promise<void> {
      const polled = await poolsOf(probe?.poolId)
      const outcomes = polled && (await pollAll(polled, probe))
      const isGood = isGoodRound(probe?.poolId, outcomes)
      if (isGood === undefined) return
      if (probe?.poolId === undefined) failedRounds = isGood ? 0 : failedRounds + 1
      if (store.system(system)?.tried === false) store.update(system, (state) => ({ ...state, tried: true }))
      if (!isGood) return
      readOthers(polled ?? [])
      await queries.readIfDue()
    },
  }
}

/** Undefined: nothing was polled. All pools may still be busy with the round before. */
function isGoodRound(poolId: string | undefined, outcomes?: readonly Outcome[]): boolean | undefined {
  if (outcomes === undefined) return false
  if (outcomes.length === 0) return poolId === undefined ? true : undefined
  return outcomes.every((outcome) => outcome === 'none') ? undefined : outcomes.some(isAnswer)
}

/**
 * Polls a system, or one of its pools, and resolves to an exposition with what was read: when all is read, or when the signal
 * aborts. The poll goes on after that, within its own time limits. Undefined: the system has no such pool.
 */
export type Probe = (poolId: string | undefined, signal: AbortSignal) => Promise<Exposition | undefined>

interface ProbeOptions {
  readonly system: SystemConfig
  readonly store: Pick<StateStore, 'system'>
  /** Resolves when the round has ended, also if it failed. */
  readonly startRound: (round: ProbeRound) => Promise<void>
}

export function createProbe({ system: { name, ...config }, store, startRound }: ProbeOptions): Probe {
  /** Expositions of all pools: probes that shared a poll share the exposition. */
  const expositions = new WeakMap<SystemState, Exposition>()
  const needsNewPerformance = config.performance.schedule === ''

  function expositionOf(state: SystemState, found: ProbeRound): Exposition {
    const fresh = needsNewPerformance ? withNewPerformance(state, found) : state
    if (found.poolId !== undefined || !isComplete(found)) return createExposition(partsOf(fresh, found))
    const exposition = expositions.get(fresh) ?? createExposition(partsOf(fresh, found))
    expositions.set(fresh, exposition)
    return exposition
  }

  return async (poolId, signal) => {
    const found: ProbeRound = { poolId, beganMs: performance.now(), outcomes: new Map(), hasEnded: false }
    const ended = startRound(found).then(() => {
      found.hasEnded = true
    })
    // It rejects only when the signal aborts.
    await untilAborted(ended, signal).catch(() => undefined)
    const state = store.system(name)
    if (state === undefined || (poolId !== undefined && found.poolIds?.length === 0)) return undefined
    return expositionOf(state, found)
  }
}

function isComplete({ poolIds, outcomes }: ProbeRound): boolean {
  return poolIds?.every((id) => outcomes.get(id) === 'ok') ?? false
}

/**
 * Without values of the Flux API that are older than the probe. Another exporter behind the same address may have
 * served newer ones, and counters that decrease would look like a restart.
 */
function withNewPerformance(state: SystemState, { beganMs }: ProbeRound): SystemState {
  const known = state.performance
  if (known?.reading === undefined || known.receivedAtMs >= beganMs) return state
  return withPerformance(state, { ...known, reading: undefined })
}

function partsOf(state: SystemState, found: ProbeRound): RenderedPart[] {
  const pools = (found.poolIds ?? []).flatMap((id) => {
    const pool = state.pools.get(id)
    if (pool === undefined) return []
    return [found.outcomes.get(id) === 'ok' ? pool : renderPoll(withoutValues(pool, found), state.name)]
  })
  // There was no response within this probe, whatever `up` was before.
  const isSilent = !found.hasEnded && found.outcomes.size === 0
  const isAnswered = [...found.outcomes.values()].some(isAnswer)
  const resources = isAnswered ? state.resources : new Map()
  const shown = { ...state, pools: byId(pools), resources, up: isSilent ? false : state.up }
  const labels = labelText({ system: state.name })
  const success = renderPart((add) => add(PROBE.success.name, labels, Number(isComplete(found))))
  return [...systemParts(shown).map(withoutCounters), success]
}

const UNFINISHED = 'the poll did not end within the time of the probe'

/** Values that are older than the probe are not shown. */
function withoutValues(pool: PoolState, { beganMs, outcomes }: ProbeRound): PoolState {
  const outcome = outcomes.get(pool.ref.id)
  const hasFailed = outcome !== undefined && outcome !== 'none'
  return {
    ...pool,
    reading: undefined,
    merged: undefined,
    feedPart: NOTHING,
    forecastPart: NOTHING,
    lastAttempt: hasFailed ? pool.lastAttempt : attemptSince(beganMs, new ApiError('timeout', UNFINISHED)),
  }
}
