import { SECONDS_PER_HOUR } from '../../time_units.ts'
import { offlineSpace } from './capacity.ts'
import type { NodeState } from './node_state.ts'
import { sum } from './random.ts'
import { createTimeline, type Scenario } from './scenarios.ts'
import { createTopology, type Node, type TopologyOptions } from './topology.ts'

export interface ModelOptions extends Omit<TopologyOptions, 'joinedAt'> {
  /** Name of the site (VDC). */
  readonly vdcName: string
  /** Sites that replicate; a scenario may need more. */
  readonly sites: number
  /** Number of namespaces, and mean number of buckets in each. */
  readonly namespaces: number
  readonly buckets: number
  readonly scenario: Scenario
  /** Hours before the hour of `now` at which the new nodes joined. */
  readonly newNodeHours: number
}

/** The storage system at any time, past or future. Reading it changes nothing. Times in epoch seconds. */
export type StorageModel = Omit<ReturnType<typeof createModel>, 'seed' | 'nodes' | 'scenario'>

export function createModel(options: ModelOptions, now: number) {
  const joinedAt = (Math.floor(now / SECONDS_PER_HOUR) - options.newNodeHours) * SECONDS_PER_HOUR
  const { key, pools } = createTopology({ ...options, joinedAt })
  const timeline = createTimeline(options.scenario, now, pools)
  const allNodes = pools.flatMap((pool) => pool.nodes)
  const stateOf = (node: Node, t: number): NodeState => {
    const { effects, day } = timeline.periodAt(t)
    const nodeEffects = effects[node.pool.index]?.[node.index]
    if (nodeEffects === undefined) throw new Error(`node ${node.name} is not part of the timeline`)
    return { node, t, effects: nodeEffects, scenarioDay: day }
  }
  let offline = { t: Number.NaN, revision: timeline.revision(), total: 0 }
  /** Offline space of the whole system, which every node repeats: kept, because a response has it once for each node. */
  const offlineTotal = (t: number) => {
    const revision = timeline.revision()
    if (offline.t === t && offline.revision === revision) return offline.total
    offline = { t, revision, total: sum(allNodes.map((node) => offlineSpace(stateOf(node, t)))) }
    return offline.total
  }
  return { ...options, key, pools, timeline, stateOf, offlineTotal }
}
