import type { DiskCount } from '../../catalogue.ts'
import { SECONDS_PER_HOUR } from '../../time_units.ts'
import { createTimeline, type Effects, type Scenario } from './scenarios.ts'
import { createTopology, type Node, type TopologyOptions } from './topology.ts'

type Counts = Readonly<Record<'sites' | 'namespaces' | 'buckets' | 'newNodeHours', number>>
interface ModelOptions extends Omit<TopologyOptions, 'joinedAt'>, Counts {
  readonly vdcName: string
  readonly scenario: Scenario
}

/** The storage system at any time, past or future. Reading it changes nothing. Times in epoch seconds. */
export type StorageModel = ReturnType<typeof createModel>

export function createModel(options: ModelOptions, now: number) {
  const { vdcName, sites, namespaces, buckets, newNodeHours } = options
  const joinedAt = (Math.floor(now / SECONDS_PER_HOUR) - newNodeHours) * SECONDS_PER_HOUR
  const { key, pools } = createTopology({ ...options, joinedAt })
  const timeline = createTimeline(options.scenario, now, pools)
  const stateOf = (node: Node, t: number): NodeState => {
    const { effects, day } = timeline.periodAt(t)
    const nodeEffects = effects[node.pool.index]?.[node.index]
    if (nodeEffects === undefined) throw new Error(`node ${node.name} is not part of the timeline`)
    return { node, t, effects: nodeEffects, scenarioDay: day }
  }
  return { vdcName, sites, namespaces, buckets, key, pools, timeline, stateOf }
}

/** The time that the statistics of transactions cover. */
export const STATISTICS_INTERVAL_SECONDS = 300

/** One node at one time, in epoch seconds: the input of every value. */
export interface NodeState {
  readonly node: Node
  readonly t: number
  readonly effects: Effects
  /** Midnight (UTC) of the day on which the scenario began. */
  readonly scenarioDay: number
}

/** A node that is not accessible, in maintenance, or not yet part of the system serves no requests. */
export function isDown(state: NodeState): boolean {
  const { health } = state.effects
  return health === 'NotAccessible' || health === 'Maintenance' || !isPresent(state)
}

export function isPresent({ node, t }: NodeState): boolean {
  return t >= node.joinedAt
}

/** Disks by status: the statuses add up to `numDisks`. */
export function diskCounts(state: NodeState): Record<DiskCount, number> {
  const { badDisks, disksInMaintenance, disksToReplace } = state.effects
  return {
    numDisks: state.node.disks,
    numGoodDisks: goodDisks(state),
    numBadDisks: badDisks,
    numMaintenanceDisks: disksInMaintenance,
    numReadyToReplaceDisks: disksToReplace,
  }
}

export function goodDisks({ node, effects }: NodeState): number {
  return node.disks - effects.badDisks - effects.disksInMaintenance - effects.disksToReplace
}
