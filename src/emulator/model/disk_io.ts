import { isDown, type NodeState } from './node_state.ts'
import { type Direction, demand, rounded, transactionBandwidth } from './traffic.ts'

/** The purposes of disk I/O, as attribute names end. */
export const PURPOSES = ['Ec', 'Cc', 'Recovery', 'Geo', 'User', 'Xor'] as const
export type Purpose = (typeof PURPOSES)[number]

const BACKGROUND = 31
/** MB/s. The consistency check reads more when there is less client traffic. */
const CHECK_READS = 45

/** MB/s of each purpose, in the order of {@link PURPOSES}, rounded as served, so that they add up to the served total. */
export function diskBandwidths(state: NodeState, direction: Direction): number[] {
  if (isDown(state)) return PURPOSES.map(() => 0)
  const traffic = trafficOf(state)
  return PURPOSES.map((purpose) => rounded(BANDWIDTH[purpose](traffic, direction)))
}

/** MB/s of all purposes. */
export function diskBandwidthTotal(state: NodeState, direction: Direction): number {
  return rounded(diskBandwidths(state, direction).reduce((sum, part) => sum + part, 0))
}

/** What the disk I/O of a node depends on: MB/s of the transactions, and the state. */
function trafficOf(state: NodeState) {
  const [read, write] = [transactionBandwidth(state, 'read'), transactionBandwidth(state, 'write')]
  return { state, read, write }
}
type Traffic = ReturnType<typeof trafficOf>

const BANDWIDTH: Record<Purpose, (traffic: Traffic, direction: Direction) => number> = {
  User: (traffic, direction) => traffic[direction] * (direction === 'read' ? 0.8 : 1.6),
  Ec: ({ write }, direction) => write * (direction === 'read' ? 1 : 0.33),
  Geo: ({ write }, direction) => write * (direction === 'read' ? 0.45 : 0.3),
  Xor: ({ write }, direction) => write * (direction === 'read' ? 0.2 : 0.1),
  Cc: ({ state }, direction) =>
    direction === 'read' ? CHECK_READS * Math.max(0, 1.1 - demand(state, BACKGROUND)) : 0.2,
  Recovery: ({ state }, direction) => state.effects.recovery * (direction === 'read' ? 0.7 : 1),
}
