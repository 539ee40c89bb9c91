import { demand } from './load.ts'
import { isDown, type NodeState } from './node_state.ts'
import { mix, smoothNoise } from './random.ts'

const READS = 21
const WRITES = 22
const SIZES = 23

const READS_PER_SECOND = 850
const WRITES_PER_SECOND = 320
/** Mean size of an object, in MB. */
const READ_MB = 0.4
const WRITE_MB = 0.7
const SIZE_SECONDS = 2 * 3_600
/** Latency in ms: of an idle node, and what load adds. */
const LATENCY = { read: { idle: 6, load: 22 }, write: { idle: 11, load: 34 } } as const

export type Direction = 'read' | 'write'

export function transactionsPerSecond(state: NodeState, direction: Direction): number {
  return direction === 'read'
    ? READS_PER_SECOND * demand(state, READS)
    : WRITES_PER_SECOND * demand(state, WRITES)
}

/** Data of the transactions in MB/s: their number times a mean size that varies over time. */
export function transactionBandwidth(state: NodeState, direction: Direction): number {
  const size = 1 + 0.25 * smoothNoise(mix(state.node.key, SIZES), state.t, SIZE_SECONDS)
  const mean = direction === 'read' ? READ_MB : WRITE_MB
  return transactionsPerSecond(state, direction) * mean * size
}

/** Mean latency in ms; 0 when the node is down. */
export function latency(state: NodeState, direction: Direction): number {
  if (isDown(state)) return 0
  const { idle, load } = LATENCY[direction]
  const utilization = demand(state, direction === 'read' ? READS : WRITES)
  const { latency: factor, addedLatencyMs } = state.effects
  return (idle + load * utilization * utilization) * factor + addedLatencyMs
}

/** MB/s through the network interfaces: client traffic, copies between nodes and recovery. */
export function nic(state: NodeState): { received: number; transmitted: number } {
  const read = transactionBandwidth(state, 'read')
  const write = transactionBandwidth(state, 'write')
  const { recovery } = state.effects
  if (isDown(state)) return { received: 0, transmitted: 0 }
  return {
    received: rounded(write * 1.7 + read * 0.2 + recovery + 0.4),
    transmitted: rounded(read * 1.2 + write * 0.7 + recovery * 0.3 + 0.4),
  }
}

/** Rounded to three decimals, as rates are served. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
