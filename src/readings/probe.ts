import { ApiError } from '../api/errors/errors.ts'
import { untilAborted } from '../api/http/waiting.ts'
import type { SystemConfig } from '../config/config.ts'
import { createExposition, type Exposition } from '../metrics/exposition.ts'
import { PROBE } from '../metrics/families.ts'
import { createPart, labelText, type Part } from '../metrics/lines.ts'
import { byId, renderPoll, withoutCounters, withPerformance } from '../state/changes.ts'
import { NOTHING, type PoolState, type SystemState } from '../state/state.ts'
import { type StateStore, systemParts } from '../state/store.ts'
import { attemptSince, isAnswer } from './pools.ts'
import type { Outcome } from './source.ts'

/** A round that a probe requests: it awaits polls that are under way, instead of leaving their pools out. */
export interface ProbeRound {
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

function partsOf(state: SystemState, found: ProbeRound): Part[] {
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
  const success = createPart((add) => add(PROBE.success.name, labels, Number(isComplete(found))))
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
