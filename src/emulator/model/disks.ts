import type { DiskCount } from '../../catalogue.ts'
import type { NodeState } from './node_state.ts'

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
