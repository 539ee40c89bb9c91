import type { AttributeName } from '../../catalogue.ts'
import { levelsOf, offlineSpace, servedFree, spaceOf } from './capacity.ts'
import { diskBandwidths, diskBandwidthTotal, PURPOSES, type Purpose } from './disk_io.ts'
import { isDown, type NodeState } from './node_state.ts'
import { mix, smoothNoise } from './random.ts'
import { demand, latency, nic, rounded, transactionBandwidth, transactionsPerSecond } from './traffic.ts'

/** Computes a value in the unit of the catalogue: a pure function of seed, scenario, node and time. */
type AttributeFunction = (state: NodeState) => number

const CPU = 41
const MEMORY = 42
const MEMORY_SECONDS = 12 * 3_600

type DiskAttribute = `disk${'Read' | 'Write'}Bandwidth${Purpose}`
const DISK_IO = Object.fromEntries(
  PURPOSES.flatMap((purpose, index): [DiskAttribute, AttributeFunction][] => [
    [`diskReadBandwidth${purpose}`, (state) => diskBandwidths(state, 'read')[index] ?? 0],
    [`diskWriteBandwidth${purpose}`, (state) => diskBandwidths(state, 'write')[index] ?? 0],
  ]),
) as Record<DiskAttribute, AttributeFunction>

/** One function per attribute. `diskSpaceOfflineTotal` gives the part of one node; the model adds up all nodes. */
export const ATTRIBUTE_VALUES = {
  diskSpaceTotal: (state) => spaceOf(state).total,
  diskSpaceAllocated: (state) => spaceOf(state).allocated,
  diskSpaceAllocatedL1: (state) => levelsOf('allocated', spaceOf(state).allocated).L1,
  diskSpaceAllocatedL2: (state) => levelsOf('allocated', spaceOf(state).allocated).L2,
  diskSpaceAllocatedPercentage: (state) => percent(spaceOf(state).allocated, spaceOf(state).total),
  diskSpaceFree: servedFree,
  diskSpaceFreeL1: (state) => levelsOf('free', servedFree(state)).L1,
  diskSpaceFreeL2: (state) => levelsOf('free', servedFree(state)).L2,
  diskSpaceOfflineTotal: offlineSpace,
  diskSpaceReserved: (state) => spaceOf(state).reserved,

  nodeCpuUtilization: (state) => (isDown(state) ? 0 : rounded(Math.min(99, 4 + 46 * demand(state, CPU)))),
  nodeMemoryUtilizationBytes: memoryBytes,
  nodeMemoryUtilization: (state) => percent(memoryBytes(state), state.node.memoryBytes),
  nodeNicBandwidth: (state) => nicBandwidth(state),
  nodeNicReceivedBandwidth: (state) => nic(state).received,
  nodeNicTransmittedBandwidth: (state) => nic(state).transmitted,
  nodeNicUtilization: (state) => percent(nicBandwidth(state), state.node.nicCapacity),
  nodeNicReceivedUtilization: (state) => percent(nic(state).received, state.node.nicCapacity),
  nodeNicTransmittedUtilization: (state) => percent(nic(state).transmitted, state.node.nicCapacity),

  transactionReadLatency: (state) => rounded(latency(state, 'read')),
  transactionWriteLatency: (state) => rounded(latency(state, 'write')),
  transactionReadBandwidth: (state) => rounded(transactionBandwidth(state, 'read')),
  transactionWriteBandwidth: (state) => rounded(transactionBandwidth(state, 'write')),
  transactionReadTransactionsPerSec: (state) => rounded(transactionsPerSecond(state, 'read')),
  transactionWriteTransactionsPerSec: (state) => rounded(transactionsPerSecond(state, 'write')),

  diskReadBandwidthTotal: (state) => diskBandwidthTotal(state, 'read'),
  diskWriteBandwidthTotal: (state) => diskBandwidthTotal(state, 'write'),
  ...DISK_IO,
} as const satisfies Record<AttributeName, AttributeFunction>

function nicBandwidth(state: NodeState): number {
  const { received, transmitted } = nic(state)
  return rounded(received + transmitted)
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
