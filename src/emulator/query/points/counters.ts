import { oncePerObject } from '../../../values/memo.ts'
import type { StorageModel } from '../../model/model.ts'
import { isDown, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import type { Node } from '../../model/topology.ts'
import type { CounterGroup } from './counter_groups.ts'

/** Totals of a group of counters at point `k` of a node, since its processes were started. */
export type Counters = (group: CounterGroup, node: Node, k: number) => Float64Array

/** All processes are restarted every Saturday at 02:00 UTC, and those of a node when it is accessible again. */
const LIFE_INTERVALS = (7 * 86_400) / STATISTICS_INTERVAL_SECONDS
const FIRST_SATURDAY = (2 * 86_400 + 2 * 3_600) / STATISTICS_INTERVAL_SECONDS
/** Totals are kept at intervals of {@link CHECKPOINT_INTERVALS} points, and of the newest points that were requested. */
const CHECKPOINT_INTERVALS = 288
const RECENT = 16
const MAX_KEPT = 64

/** Functions of seed, scenarios and time. Sums are kept, so that the next point costs one interval. */
export function createCounters(model: StorageModel): Counters {
  const newCache = () =>
    oncePerObject((_group: CounterGroup) => oncePerObject((_node: Node) => new Map<number, Float64Array>()))
  let revision = model.timeline.revision()
  let cache = newCache()
  return (group, node, k) => {
    if (revision !== model.timeline.revision()) {
      revision = model.timeline.revision()
      cache = newCache()
    }
    const kept = cache(group)(node)
    return kept.get(k) ?? accumulate(model, group, node, k, kept)
  }
}

function accumulate(
  model: StorageModel,
  group: CounterGroup,
  node: Node,
  k: number,
  kept: Map<number, Float64Array>,
): Float64Array {
  const start = lifeStart(k)
  const known = Math.max(...[...kept.keys()].filter((j) => j >= start && j < k))
  let totals = kept.get(known)?.slice() ?? new Float64Array(group.slots)
  for (let j = Math.max(start, known + 1); j <= k; j++) {
    const state = model.stateOf(node, j * STATISTICS_INTERVAL_SECONDS)
    if (isDown(state)) totals.fill(0)
    else
      group.add(
        totals,
        state,
        j === start ? STATISTICS_INTERVAL_SECONDS : group.clock(node, j) - group.clock(node, j - 1),
      )
    if (j % CHECKPOINT_INTERVALS !== 0 && j <= k - RECENT) continue
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(j, totals)
    totals = new Float64Array(totals)
  }
  return kept.get(k) ?? totals
}

/** The first point of the processes that run at point `k`. */
function lifeStart(k: number): number {
  const lives = Math.floor((k - FIRST_SATURDAY) / LIFE_INTERVALS)
  return FIRST_SATURDAY + lives * LIFE_INTERVALS
}
