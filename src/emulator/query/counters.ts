import { memoizeWeak } from '../../values/cache.ts'
import {
  type Amounts,
  amountOf,
  amountsOf,
  bytesIn,
  type Counters,
  latencyIn,
  SLOT_COUNT,
} from '../model/activity.ts'
import { isDown, STATISTICS_INTERVAL_SECONDS, type StorageModel } from '../model/model.ts'
import type { Node } from '../model/topology.ts'
import { DIRECTIONS } from '../model/traffic.ts'
import { opClock } from './series.ts'

/** Upper bounds in ms, as real systems name the fields. Each count includes all smaller bounds. */
export const LATENCY_BOUNDS = [
  '0.0',
  '1.0',
  '4.814963904455889',
  '23.183877401213103',
  '111.6295328521717',
  '537.4921713544796',
  '2588.0054039994393',
  '12461.15260479408',
  '59999.999999999985',
  '+Inf',
] as const
const UPPER_MS = LATENCY_BOUNDS.map((bound) => (bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)))

const NETWORK_SLOT = SLOT_COUNT + DIRECTIONS.length * LATENCY_BOUNDS.length
/** Bytes received and transmitted. The points of interfaces have a clock of their own. */
export const NETWORK_BYTES = [NETWORK_SLOT, NETWORK_SLOT + 1] as const
const NETWORK_CLOCK = opClock('net')
const [received, transmitted] = [bytesIn('received'), bytesIn('transmitted')]

/** The slot of a count of latencies, of reads and then of writes. */
export function latencySlot(operation: number, bound: number): number {
  return SLOT_COUNT + operation * LATENCY_BOUNDS.length + bound
}

const LATENCIES = DIRECTIONS.map((direction) => ({
  count: amountOf(`${direction}Count`),
  meanMs: latencyIn(direction),
}))

/**
 * Adds the transactions of some amounts to cumulative counts by bound of latency, of reads and then of writes. The
 * latencies are distributed exponentially.
 */
function addLatencies(counts: Float64Array, amounts: Amounts): void {
  let slot = SLOT_COUNT
  for (const { count, meanMs } of LATENCIES) {
    const [all, mean] = [count(amounts), meanMs(amounts)]
    for (const upper of UPPER_MS) {
      const part = all === 0 ? 0 : 1 - Math.exp(-upper / mean)
      counts[slot] = (counts[slot] ?? 0) + all * part
      slot++
    }
  }
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
  // A switch of the scenario makes the sums invalid.
  const keptOf = memoizeWeak((_periods: object) =>
    memoizeWeak((_node: Node) => new Map<number, Float64Array>()),
  )
  return (node, k) => {
    const kept = keptOf(model.timeline.periods())(node)
    return kept.get(k) ?? accumulate(model, node, k, kept)
  }
}

function accumulate(
  model: StorageModel,
  node: Node,
  k: number,
  kept: Map<number, Float64Array>,
): Float64Array {
  /** The first point of the processes that run at point `k`. */
  const start = k - ((((k - FIRST_SATURDAY) % LIFE_INTERVALS) + LIFE_INTERVALS) % LIFE_INTERVALS)
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
  addLatencies(totals, amounts)
  const bytes = (amount: number) => (amount / STATISTICS_INTERVAL_SECONDS) * seconds
  totals[NETWORK_SLOT] = (totals[NETWORK_SLOT] ?? 0) + bytes(received(amounts))
  totals[NETWORK_SLOT + 1] = (totals[NETWORK_SLOT + 1] ?? 0) + bytes(transmitted(amounts))
}
