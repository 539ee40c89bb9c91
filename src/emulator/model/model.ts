import { SECONDS_PER_HOUR } from '../../time_units.ts'
import type { NodeState } from './node_state.ts'
import { createTimeline, type Scenario } from './scenarios.ts'
import { createTopology, type Node, type TopologyOptions } from './topology.ts'

interface ModelOptions extends Omit<TopologyOptions, 'joinedAt'> {
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
  const stateOf = (node: Node, t: number): NodeState => {
    const { effects, day } = timeline.periodAt(t)
    const nodeEffects = effects[node.pool.index]?.[node.index]
    if (nodeEffects === undefined) throw new Error(`node ${node.name} is not part of the timeline`)
    return { node, t, effects: nodeEffects, scenarioDay: day }
  }
  return { ...options, key, pools, timeline, stateOf }
}
