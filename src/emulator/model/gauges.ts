import type { AttributeName } from '../../catalogue.ts'
import { SECONDS_PER_DAY } from '../../time_units.ts'
import type { RateName } from './activity.ts'
import { goodDisks, isDown, isPresent, type NodeState } from './model.ts'
import { mix, smoothNoise, unit } from './random.ts'
import type { Node } from './topology.ts'
import { demand } from './traffic.ts'

/** A node fills for years and is then emptied within weeks, when data is moved to newer nodes. */
const CYCLE_SECONDS = 900 * SECONDS_PER_DAY
const FILLING_PART = 0.96
/** Used ratio of usable space at the start and at the end of the filling part of the cycle. */
const LEVELS = { grows: { from: 0.4, to: 0.72 }, shrinks: { from: 0.62, to: 0.44 } } as const
const SPREAD = 0.06
const LOWEST_USED = 0.2
/** A node that joined is filled by rebalancing: the rest decreases to 1/e in this time. */
const REBALANCING_SECONDS = 15 * SECONDS_PER_DAY
/** Small enough not to change the trend of a week. */
const NOISE = 0.0002
const NOISE_SECONDS = 6 * 3_600
/** A tenth of usable space is reserved. The reserve shrinks once more than nine tenths are used. */
const RESERVED_PARTS = 10
const HIGHEST_USED = 0.985
/** Part of the space that is of level 1. */
const LEVEL_1 = { allocated: 0.62, free: 0.55 } as const
const MEMORY = 42
const MEMORY_SECONDS = 12 * 3_600

/** The space of a node in bytes: allocated + free + reserved = total, which counts only Good disks. */
export function spaceOf(state: NodeState) {
  const total = isPresent(state) ? goodDisks(state) * state.node.diskBytes : 0
  const allocated = Math.floor(total * usedRatio(state))
  const reserved = Math.min(total / RESERVED_PARTS, total - allocated)
  return { total, allocated, reserved, free: total - allocated - reserved }
}

function levelOf(level: 'L1' | 'L2', kind: keyof typeof LEVEL_1, bytes: number): number {
  const first = Math.floor(bytes * LEVEL_1[kind])
  return level === 'L1' ? first : bytes - first
}

/** Offline space of this node: all disks when the node is down, else the disks that are not Good. */
function offlineSpace(state: NodeState): number {
  if (!isPresent(state)) return 0
  const disks = isDown(state) ? state.node.disks : state.node.disks - goodDisks(state)
  return disks * state.node.diskBytes
}

function usedRatio(state: NodeState): number {
  const { node, t, effects, scenarioDay } = state
  const ratio =
    effects.filling === undefined
      ? usedRatioInCycle(node, t)
      : effects.filling.used + (effects.filling.perDay * (t - scenarioDay)) / SECONDS_PER_DAY
  const noise = NOISE * smoothNoise(mix(node.key, 11), t, NOISE_SECONDS)
  const rebalanced =
    effects.filling === undefined ? 1 - Math.exp((node.joinedAt - t) / REBALANCING_SECONDS) : 1
  return Math.max(0, Math.min(HIGHEST_USED, Math.max(LOWEST_USED, ratio) + noise)) * rebalanced
}

function usedRatioInCycle(node: Node, t: number): number {
  const position = (((t / CYCLE_SECONDS + node.phase) % 1) + 1) % 1
  const filled = position < FILLING_PART ? position / FILLING_PART : (1 - position) / (1 - FILLING_PART)
  const spread = SPREAD * (unit(node.key, 12) - 0.5)
  const { from, to } = LEVELS[node.trend]
  return from + spread + (to - from) * filled
}

/** Computes a value in the unit of the catalogue: a pure function of seed, scenario, node and time. */
type Gauge = (state: NodeState) => number

/** The attributes that are values of a moment. `diskSpaceOfflineTotal` is the part of one node. */
export const GAUGES = {
  diskSpaceTotal: (state) => spaceOf(state).total,
  diskSpaceAllocated: (state) => spaceOf(state).allocated,
  diskSpaceAllocatedL1: (state) => levelOf('L1', 'allocated', spaceOf(state).allocated),
  diskSpaceAllocatedL2: (state) => levelOf('L2', 'allocated', spaceOf(state).allocated),
  diskSpaceAllocatedPercentage: (state) => percent(spaceOf(state).allocated, spaceOf(state).total),
  diskSpaceFree: (state) => spaceOf(state).free,
  diskSpaceFreeL1: (state) => levelOf('L1', 'free', spaceOf(state).free),
  diskSpaceFreeL2: (state) => levelOf('L2', 'free', spaceOf(state).free),
  diskSpaceOfflineTotal: offlineSpace,
  diskSpaceReserved: (state) => spaceOf(state).reserved,

  nodeMemoryUtilizationBytes: memoryBytes,
  nodeMemoryUtilization: (state) => percent(memoryBytes(state), state.node.memoryBytes),
} as const satisfies Record<Exclude<AttributeName, RateName>, Gauge>

/** Free space in the history of real systems, which counts the reserve as free. */
export const FREE_WITH_RESERVE: Partial<Record<AttributeName, Gauge>> = {
  diskSpaceFree: freeWithReserve,
  diskSpaceFreeL1: (state) => levelOf('L1', 'free', freeWithReserve(state)),
  diskSpaceFreeL2: (state) => levelOf('L2', 'free', freeWithReserve(state)),
}

function freeWithReserve(state: NodeState): number {
  const { free, reserved } = spaceOf(state)
  return free + reserved
}

function memoryBytes(state: NodeState): number {
  if (isDown(state)) return 0
  const drift = 0.08 * smoothNoise(mix(state.node.key, MEMORY), state.t, MEMORY_SECONDS)
  return Math.floor(state.node.memoryBytes * Math.min(0.95, 0.5 + drift + 0.08 * demand(state, MEMORY)))
}

/** A node in maintenance has no usable space. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000_000) / 10_000
}
