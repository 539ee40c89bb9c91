import { ApiError } from '../api/errors/errors.ts'
import { untilAborted } from '../api/http/deadline.ts'
import type { SystemConfig } from '../config/config.ts'
import { labelText, type Part, renderPart } from '../metrics/exposition.ts'
import { PROBE } from '../metrics/families.ts'
import { createPage, type Page } from '../metrics/page.ts'
import { inSlices } from '../slices.ts'
import { type Board, systemParts } from './board.ts'
import { byId, renderPoll } from './pool_lines.ts'
import { attemptSince, type Outcome } from './pool_poller.ts'
import type { Round } from './round.ts'
import { withPerformance } from './state.ts'
import { withoutCounters } from './state_samples.ts'
import { NOTHING, type PoolState, type SystemState } from './system_state.ts'

/**
 * Polls a system, or one of its pools, and resolves to a page with what was read: when all is read, or when the signal
 * aborts. The poll goes on after that, within its own time limits. Undefined: the system has no such pool.
 */
export type Probe = (poolId: string | undefined, signal: AbortSignal) => Promise<Page | undefined>

export interface ProbeOptions {
  readonly system: SystemConfig
  readonly board: Pick<Board, 'system'>
  /** Resolves when the round has ended, also if it failed. */
  readonly startRound: (round: Round) => Promise<void>
}

/** What a probe has found so far. */
interface Found {
  /** On the clock of `performance.now()`. */
  readonly beganMs: number
  /** The pools to read; undefined while they are unknown. */
  poolIds?: readonly string[]
  readonly outcomes: Map<string, Outcome>
  hasEnded: boolean
}

export function createProbe({ system: { name, ...config }, board, startRound }: ProbeOptions): Probe {
  /** Pages of all pools: probes that shared a poll share the page. */
  const pages = new WeakMap<SystemState, Page>()
  const needsNewPerformance = config.performance.schedule === ''

  async function pageOf(state: SystemState, found: Found, isWhole: boolean): Promise<Page> {
    const fresh = needsNewPerformance ? await withNewPerformance(state, found) : state
    if (!isWhole || !isComplete(found)) return createPage(partsOf(fresh, found))
    const page = pages.get(fresh) ?? createPage(partsOf(fresh, found))
    pages.set(fresh, page)
    return page
  }

  return async (poolId, signal) => {
    const found: Found = { beganMs: performance.now(), outcomes: new Map(), hasEnded: false }
    const round = startRound({
      poolId,
      joins: true,
      onPools: (poolIds) => {
        found.poolIds = poolIds
      },
      onPolled: (id, outcome) => void found.outcomes.set(id, outcome),
    })
    const ended = round.then(() => {
      found.hasEnded = true
    })
    // It rejects only when the signal aborts.
    await untilAborted(ended, signal).catch(() => undefined)
    const state = board.system(name)
    if (state === undefined || (poolId !== undefined && found.poolIds?.length === 0)) return undefined
    return pageOf(state, found, poolId === undefined)
  }
}

function isComplete({ poolIds, outcomes }: Found): boolean {
  return poolIds?.every((id) => outcomes.get(id) === 'ok') ?? false
}

/**
 * Without values of the query interface that are older than the probe. Another exporter behind the same address may have
 * served newer ones, and counters that decrease would look like a restart.
 */
async function withNewPerformance(state: SystemState, { beganMs }: Found): Promise<SystemState> {
  const known = state.performance
  if (known?.reading === undefined) return state
  if (known.receivedAtMs >= beganMs) return state
  const without = { ...known, reading: undefined }
  return inSlices(withPerformance(state, without))
}

function partsOf(state: SystemState, found: Found): Part[] {
  const pools = (found.poolIds ?? []).flatMap((id) => {
    const pool = state.pools.get(id)
    if (pool === undefined) return []
    return [found.outcomes.get(id) === 'ok' ? pool : renderPoll(withoutValues(pool, found), state.name)]
  })
  // Nothing came, whatever the system answered before.
  const isSilent = !found.hasEnded && found.outcomes.size === 0
  const shown = { ...state, pools: byId(pools), up: isSilent ? false : state.up }
  return [...systemParts(shown).map(withoutCounters), successPart(state.name, isComplete(found))]
}

const UNFINISHED = 'the poll did not end within the time of the probe'

/** Values that are older than the probe are not shown. */
function withoutValues(pool: PoolState, { beganMs, outcomes }: Found): PoolState {
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

function successPart(system: string, isGood: boolean): Part {
  return renderPart(
    new Map([[PROBE.success.name, [{ labels: labelText({ system }), value: Number(isGood) }]]]),
  )
}
