import { SECONDS_PER_DAY } from '../../time_units.ts'
import { goodDisks, isDown, isPresent, type NodeState } from './node_state.ts'
import { mix, smoothNoise, unit } from './random.ts'
import type { Node } from './topology.ts'

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
const ALLOCATED_L1 = 0.62
const FREE_L1 = 0.55

/** The space of a node in bytes: allocated + free + reserved = total, which counts only Good disks. */
export function spaceOf(state: NodeState) {
  const total = isPresent(state) ? goodDisks(state) * state.node.diskBytes : 0
  const allocated = Math.floor(total * usedRatio(state))
  const reserved = Math.min(total / RESERVED_PARTS, total - allocated)
  return { total, allocated, reserved, free: total - allocated - reserved }
}

export function levelsOf(kind: 'allocated' | 'free', bytes: number): { L1: number; L2: number } {
  const L1 = Math.floor(bytes * (kind === 'allocated' ? ALLOCATED_L1 : FREE_L1))
  return { L1, L2: bytes - L1 }
}

/** Offline space of this node: all disks when the node is down, else the disks that are not Good. */
export function offlineSpace(state: NodeState): number {
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
