import { demand } from './load.ts'
import { isDown, type Moment } from './moment.ts'
import { mix, wander } from './random.ts'

/** Salts of the kinds of work: see {@link demand}. */
const READS = 21
const WRITES = 22
const SIZES = 23

const READS_PER_SECOND = 850
const WRITES_PER_SECOND = 320
/** Mean size of an object, in MB. */
const READ_MB = 0.4
const WRITE_MB = 0.7
const SIZE_SECONDS = 2 * 3_600
/** Latency in ms: what a disk needs at least, and what crowding adds. */
const LATENCY = { read: { idle: 6, crowded: 22 }, write: { idle: 11, crowded: 34 } } as const

export type Direction = 'read' | 'write'

/** Transactions per second. */
export function transactionsPerSecond(moment: Moment, direction: Direction): number {
  return direction === 'read'
    ? READS_PER_SECOND * demand(moment, READS)
    : WRITES_PER_SECOND * demand(moment, WRITES)
}

/** Data of the transactions in MB/s: their number times a mean size that drifts. */
export function transactionBandwidth(moment: Moment, direction: Direction): number {
  const size = 1 + 0.25 * wander(mix(moment.node.key, SIZES), moment.t, SIZE_SECONDS)
  const mean = direction === 'read' ? READ_MB : WRITE_MB
  return transactionsPerSecond(moment, direction) * mean * size
}

/** Mean latency in ms; 0 when nobody is served. */
export function latency(moment: Moment, direction: Direction): number {
  if (isDown(moment)) return 0
  const { idle, crowded } = LATENCY[direction]
  const busy = demand(moment, direction === 'read' ? READS : WRITES)
  const { latency: factor, addedLatencyMs } = moment.effects
  return (idle + crowded * busy * busy) * factor + addedLatencyMs
}

/** MB/s through the network interfaces: clients, copies between nodes, and what other nodes ask for. */
export function nic(moment: Moment): { received: number; transmitted: number } {
  const read = transactionBandwidth(moment, 'read')
  const write = transactionBandwidth(moment, 'write')
  const { recovery } = moment.effects
  if (isDown(moment)) return { received: 0, transmitted: 0 }
  return {
    received: rounded(write * 1.7 + read * 0.2 + recovery + 0.4),
    transmitted: rounded(read * 1.2 + write * 0.7 + recovery * 0.3 + 0.4),
  }
}

/** Three decimals, as rates are served. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
