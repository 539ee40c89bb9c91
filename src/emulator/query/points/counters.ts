import { memoizeWeak } from '../../../values/memo.ts'
import { type Amounts, amountOf, amountsOf, bytesIn, latencyIn, SLOT_COUNT } from '../../model/activity.ts'
import type { StorageModel } from '../../model/model.ts'
import { isDown, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import type { Node } from '../../model/topology.ts'
import { DIRECTIONS } from '../../model/traffic.ts'
import { opClock } from './grid.ts'
import { addLatencies, LATENCY_BOUNDS } from './latency_histogram.ts'

/**
 * The counters of a node at point `k`, since its processes were started: its amounts, then its latencies, then
 * {@link NETWORK_BYTES}. An interval adds what the dashboard API says about it: the difference of two neighbouring
 * points, divided by the difference of their times, is the value of the dashboard API.
 */
export type Counters = (node: Node, k: number) => Float64Array

const LATENCY_COUNT = DIRECTIONS.length * LATENCY_BOUNDS.length
const NETWORK_SLOT = SLOT_COUNT + LATENCY_COUNT
/** Bytes received and transmitted. The points of interfaces have a clock of their own. */
export const NETWORK_BYTES = [NETWORK_SLOT, NETWORK_SLOT + 1] as const
export const NETWORK_CLOCK = opClock('net')
const [received, transmitted] = [bytesIn('received'), bytesIn('transmitted')]

/** The slot of a count of latencies, of reads and then of writes. */
export function latencySlot(operation: number, bound: number): number {
  return SLOT_COUNT + operation * LATENCY_BOUNDS.length + bound
}

const LATENCIES = DIRECTIONS.map((direction) => ({
  count: amountOf(`${direction}Count`),
  meanMs: latencyIn(direction),
}))

/** Adds cumulative counts by bound of latency, of reads and then of writes. */
function addLatencyCounts(totals: Float64Array, offset: number, amounts: Amounts): void {
  for (const [index, { count, meanMs }] of LATENCIES.entries())
    addLatencies(totals, offset + index * LATENCY_BOUNDS.length, count(amounts), meanMs(amounts))
}

/** Cumulative counts of five minutes by bound of latency, of reads and then of writes, over several nodes. */
export function latencyCounts(states: readonly NodeState[]): Float64Array {
  const totals = new Float64Array(LATENCY_COUNT)
  for (const state of states) addLatencyCounts(totals, 0, amountsOf(state))
  return totals
}

/** All processes are restarted every Saturday at 02:00 UTC, and those of a node when it is accessible again. */
const LIFE_INTERVALS = (7 * 86_400) / STATISTICS_INTERVAL_SECONDS
const FIRST_SATURDAY = (2 * 86_400 + 2 * 3_600) / STATISTICS_INTERVAL_SECONDS
/** Totals are kept at intervals of {@link CHECKPOINT_INTERVALS} points, and of the newest points that were requested. */
const CHECKPOINT_INTERVALS = 288
const RECENT = 16
const MAX_KEPT = 64

/** Functions of seed, scenarios and time. Sums are kept, so that the next point costs one interval. */
export function createCounters(model: StorageModel): Counters {
  const newCache = () => memoizeWeak((_node: Node) => new Map<number, Float64Array>())
  let revision = model.timeline.revision()
  let cache = newCache()
  return (node, k) => {
    if (revision !== model.timeline.revision()) {
      revision = model.timeline.revision()
      cache = newCache()
    }
    const kept = cache(node)
    return kept.get(k) ?? accumulate(model, node, k, kept)
  }
}

function accumulate(
  model: StorageModel,
  node: Node,
  k: number,
  kept: Map<number, Float64Array>,
): Float64Array {
  const start = lifeStart(k)
  const known = Math.max(...[...kept.keys()].filter((j) => j >= start && j < k))
  let totals = kept.get(known)?.slice() ?? new Float64Array(NETWORK_SLOT + NETWORK_BYTES.length)
  const amounts = new Float64Array(SLOT_COUNT)
  for (let j = Math.max(start, known + 1); j <= k; j++) {
    const state = model.stateOf(node, j * STATISTICS_INTERVAL_SECONDS)
    const seconds = NETWORK_CLOCK(node, j) - NETWORK_CLOCK(node, j - 1)
    if (isDown(state)) totals.fill(0)
    else addInterval(totals, amountsOf(state, amounts), j === start ? STATISTICS_INTERVAL_SECONDS : seconds)
    if (j % CHECKPOINT_INTERVALS !== 0 && j <= k - RECENT) continue
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(j, totals)
    totals = new Float64Array(totals)
  }
  return kept.get(k) ?? totals
}

/** @param seconds between two points of an interface */
function addInterval(totals: Float64Array, amounts: Amounts, seconds: number): void {
  for (let slot = 0; slot < SLOT_COUNT; slot++) totals[slot] = (totals[slot] ?? 0) + (amounts[slot] ?? 0)
  addLatencyCounts(totals, SLOT_COUNT, amounts)
  const bytes = (amount: number) => (amount / STATISTICS_INTERVAL_SECONDS) * seconds
  totals[NETWORK_SLOT] = (totals[NETWORK_SLOT] ?? 0) + bytes(received(amounts))
  totals[NETWORK_SLOT + 1] = (totals[NETWORK_SLOT + 1] ?? 0) + bytes(transmitted(amounts))
}

/** The first point of the processes that run at point `k`. */
function lifeStart(k: number): number {
  const lives = Math.floor((k - FIRST_SATURDAY) / LIFE_INTERVALS)
  return FIRST_SATURDAY + lives * LIFE_INTERVALS
}
