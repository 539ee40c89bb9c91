import type { AttributeName } from '../../catalogue.ts'
import type { RateName } from './activity.ts'
import { levelsOf, offlineSpace, spaceOf } from './capacity.ts'
import { isDown, type NodeState } from './node_state.ts'
import { mix, smoothNoise } from './random.ts'
import { demand } from './traffic.ts'

/** Computes a value in the unit of the catalogue: a pure function of seed, scenario, node and time. */
type Gauge = (state: NodeState) => number

const MEMORY = 42
const MEMORY_SECONDS = 12 * 3_600

/** The attributes that are values of a moment. `diskSpaceOfflineTotal` is the part of one node. */
export const GAUGES = {
  diskSpaceTotal: (state) => spaceOf(state).total,
  diskSpaceAllocated: (state) => spaceOf(state).allocated,
  diskSpaceAllocatedL1: (state) => levelsOf('allocated', spaceOf(state).allocated).L1,
  diskSpaceAllocatedL2: (state) => levelsOf('allocated', spaceOf(state).allocated).L2,
  diskSpaceAllocatedPercentage: (state) => percent(spaceOf(state).allocated, spaceOf(state).total),
  diskSpaceFree: (state) => spaceOf(state).free,
  diskSpaceFreeL1: (state) => levelsOf('free', spaceOf(state).free).L1,
  diskSpaceFreeL2: (state) => levelsOf('free', spaceOf(state).free).L2,
  diskSpaceOfflineTotal: offlineSpace,
  diskSpaceReserved: (state) => spaceOf(state).reserved,

  nodeMemoryUtilizationBytes: memoryBytes,
  nodeMemoryUtilization: (state) => percent(memoryBytes(state), state.node.memoryBytes),
} as const satisfies Record<Exclude<AttributeName, RateName>, Gauge>

/** Free space in the history of real systems, which counts the reserve as free. */
export const FREE_WITH_RESERVE: Partial<Record<AttributeName, Gauge>> = {
  diskSpaceFree: freeWithReserve,
  diskSpaceFreeL1: (state) => levelsOf('free', freeWithReserve(state)).L1,
  diskSpaceFreeL2: (state) => levelsOf('free', freeWithReserve(state)).L2,
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
