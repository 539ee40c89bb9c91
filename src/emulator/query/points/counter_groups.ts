import { BYTES_PER_MB } from '../../../catalogue.ts'
import { type Amounts, amountOf, amountsOf, latencyIn, SLOT_COUNT } from '../../model/activity.ts'
import type { NodeState } from '../../model/node_state.ts'
import { DIRECTIONS, nic, trafficOf } from '../../model/traffic.ts'
import { type Clock, mainClock, opClock } from './grid.ts'
import { addLatencies, LATENCY_BOUNDS } from './latency_histogram.ts'

/**
 * Counters of a node that are computed together. An interval adds the figures of the nodes feed at its end, times its
 * length: the difference of two neighbouring points, divided by the difference of their times, is the figure of the
 * feed.
 */
export interface CounterGroup {
  readonly slots: number
  readonly clock: Clock
  readonly add: (totals: Float64Array, state: NodeState, seconds: number) => void
}

/** Slots: the amounts, then the counts of latencies. The points of a node are five minutes apart. */
export const ACTIVITY: CounterGroup = {
  slots: SLOT_COUNT + DIRECTIONS.length * LATENCY_BOUNDS.length,
  clock: mainClock,
  add: (totals, state) => {
    const amounts = amountsOf(state)
    for (let slot = 0; slot < SLOT_COUNT; slot++) totals[slot] = (totals[slot] ?? 0) + (amounts[slot] ?? 0)
    addLatencyCounts(totals.subarray(SLOT_COUNT), amounts)
  },
}

const LATENCIES = DIRECTIONS.map((direction) => ({
  count: amountOf(`${direction}Count`),
  meanMs: latencyIn(direction),
}))

/** Adds cumulative counts by bound of latency, of reads and then of writes. */
function addLatencyCounts(totals: Float64Array, amounts: Amounts): void {
  for (const [index, { count, meanMs }] of LATENCIES.entries())
    addLatencies(totals, index * LATENCY_BOUNDS.length, count(amounts), meanMs(amounts))
}

/** Cumulative counts of five minutes by bound of latency, of reads and then of writes, over several nodes. */
export function latencyCounts(states: readonly NodeState[]): Float64Array {
  const totals = new Float64Array(DIRECTIONS.length * LATENCY_BOUNDS.length)
  for (const state of states) addLatencyCounts(totals, amountsOf(state))
  return totals
}

/** Slots: bytes received, bytes transmitted. */
export const NETWORK: CounterGroup = {
  slots: 2,
  clock: opClock('net'),
  add: (totals, state, seconds) => {
    const { received, transmitted } = nic(trafficOf(state))
    for (const [slot, bandwidth] of [received, transmitted].entries())
      totals[slot] = (totals[slot] ?? 0) + Math.round(bandwidth * BYTES_PER_MB) * seconds
  },
}
