import type { AttributeName } from '../../catalogue.ts'
import { SECONDS_PER_HOUR } from '../../time_units.ts'
import { ATTRIBUTE_VALUES } from './attribute_values.ts'
import type { NodeState } from './node_state.ts'
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
  const stateOf = (node: Node, t: number, form: NodeState['form']): NodeState => {
    const { effects, day } = timeline.periodAt(t)
    const nodeEffects = effects[node.pool.index]?.[node.index]
    if (nodeEffects === undefined) throw new Error(`node ${node.name} is not part of the timeline`)
    return { node, t, form, effects: nodeEffects, scenarioDay: day }
  }
  let offline = { t: Number.NaN, revision: timeline.revision(), total: 0 }
  /** Every node repeats this value of the whole system. It is kept, because a feed has it once for each node. */
  const offlineTotal = (t: number) => {
    const revision = timeline.revision()
    if (offline.t === t && offline.revision === revision) return offline.total
    const parts = allNodes.map((node) => ATTRIBUTE_VALUES.diskSpaceOfflineTotal(stateOf(node, t, 'current')))
    offline = { t, revision, total: parts.reduce((sum, part) => sum + part, 0) }
    return offline.total
  }
  return {
    ...options,
    key,
    pools,
    timeline,
    stateOf,
    value: (attribute: AttributeName, node: Node, t: number, form: NodeState['form']): number =>
      attribute === 'diskSpaceOfflineTotal'
        ? offlineTotal(t)
        : ATTRIBUTE_VALUES[attribute](stateOf(node, t, form)),
  }
}
