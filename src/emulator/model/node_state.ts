import type { DiskCount } from '../../catalogue.ts'
import type { Effects } from './scenarios.ts'
import type { Node } from './topology.ts'

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
