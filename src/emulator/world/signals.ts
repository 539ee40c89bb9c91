import type { AttributeName } from '../../catalogue.ts'
import { levelsOf, offlineSpace, servedFree, spaceOf } from './capacity.ts'
import { diskBandwidth, diskBandwidthTotal, type Purpose } from './disk_io.ts'
import { demand } from './load.ts'
import { isDown, type Moment } from './moment.ts'
import { mix, wander } from './random.ts'
import {
  type Direction,
  latency,
  nic,
  rounded,
  transactionBandwidth,
  transactionsPerSecond,
} from './traffic.ts'

/** The value of an attribute in the unit of the catalogue: a pure function of seed, scenario, node and time. */
type Signal = (moment: Moment) => number

const CPU = 41
const MEMORY = 42
const MEMORY_SECONDS = 12 * 3_600

/** How every value is made. `diskSpaceOfflineTotal` is this node's part: the feed adds up the whole system. */
export const SIGNALS = {
  diskSpaceTotal: (moment) => spaceOf(moment).total,
  diskSpaceAllocated: (moment) => spaceOf(moment).allocated,
  diskSpaceAllocatedL1: (moment) => levelsOf('allocated', spaceOf(moment).allocated).L1,
  diskSpaceAllocatedL2: (moment) => levelsOf('allocated', spaceOf(moment).allocated).L2,
  diskSpaceAllocatedPercentage: (moment) => percent(spaceOf(moment).allocated, spaceOf(moment).total),
  diskSpaceFree: servedFree,
  diskSpaceFreeL1: (moment) => levelsOf('free', servedFree(moment)).L1,
  diskSpaceFreeL2: (moment) => levelsOf('free', servedFree(moment)).L2,
  diskSpaceOfflineTotal: offlineSpace,
  diskSpaceReserved: (moment) => spaceOf(moment).reserved,

  nodeCpuUtilization: (moment) => (isDown(moment) ? 0 : rounded(Math.min(99, 4 + 46 * demand(moment, CPU)))),
  nodeMemoryUtilizationBytes: memoryBytes,
  nodeMemoryUtilization: (moment) => percent(memoryBytes(moment), moment.node.memoryBytes),
  nodeNicBandwidth: (moment) => nicBandwidth(moment),
  nodeNicReceivedBandwidth: (moment) => nic(moment).received,
  nodeNicTransmittedBandwidth: (moment) => nic(moment).transmitted,
  nodeNicUtilization: (moment) => percent(nicBandwidth(moment), moment.node.nicCapacity),
  nodeNicReceivedUtilization: (moment) => percent(nic(moment).received, moment.node.nicCapacity),
  nodeNicTransmittedUtilization: (moment) => percent(nic(moment).transmitted, moment.node.nicCapacity),

  transactionReadLatency: (moment) => rounded(latency(moment, 'read')),
  transactionWriteLatency: (moment) => rounded(latency(moment, 'write')),
  transactionReadBandwidth: (moment) => rounded(transactionBandwidth(moment, 'read')),
  transactionWriteBandwidth: (moment) => rounded(transactionBandwidth(moment, 'write')),
  transactionReadTransactionsPerSec: (moment) => rounded(transactionsPerSecond(moment, 'read')),
  transactionWriteTransactionsPerSec: (moment) => rounded(transactionsPerSecond(moment, 'write')),

  diskReadBandwidthTotal: (moment) => diskBandwidthTotal(moment, 'read'),
  diskWriteBandwidthTotal: (moment) => diskBandwidthTotal(moment, 'write'),
  diskReadBandwidthEc: diskIO('read', 'Ec'),
  diskReadBandwidthCc: diskIO('read', 'Cc'),
  diskReadBandwidthRecovery: diskIO('read', 'Recovery'),
  diskReadBandwidthGeo: diskIO('read', 'Geo'),
  diskReadBandwidthUser: diskIO('read', 'User'),
  diskReadBandwidthXor: diskIO('read', 'Xor'),
  diskWriteBandwidthEc: diskIO('write', 'Ec'),
  diskWriteBandwidthCc: diskIO('write', 'Cc'),
  diskWriteBandwidthRecovery: diskIO('write', 'Recovery'),
  diskWriteBandwidthGeo: diskIO('write', 'Geo'),
  diskWriteBandwidthUser: diskIO('write', 'User'),
  diskWriteBandwidthXor: diskIO('write', 'Xor'),
} as const satisfies Record<AttributeName, Signal>

function diskIO(direction: Direction, purpose: Purpose): Signal {
  return (moment) => diskBandwidth(moment, direction, purpose)
}

function nicBandwidth(moment: Moment): number {
  const { received, transmitted } = nic(moment)
  return rounded(received + transmitted)
}

function memoryBytes(moment: Moment): number {
  if (isDown(moment)) return 0
  const drift = 0.08 * wander(mix(moment.node.key, MEMORY), moment.t, MEMORY_SECONDS)
  return Math.floor(moment.node.memoryBytes * Math.min(0.95, 0.5 + drift + 0.08 * demand(moment, MEMORY)))
}

function percent(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000_000) / 10_000
}
