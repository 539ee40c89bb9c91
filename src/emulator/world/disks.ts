import type { DiskCount } from '../../catalogue.ts'
import { goodDisks } from './capacity.ts'
import type { Moment } from './moment.ts'

/** Disks by status: the states add up to `numDisks`. */
export function diskCounts(moment: Moment): Record<DiskCount, number> {
  const { badDisks, disksInMaintenance, disksToReplace } = moment.effects
  return {
    numDisks: moment.node.disks,
    numGoodDisks: goodDisks(moment),
    numBadDisks: badDisks,
    numMaintenanceDisks: disksInMaintenance,
    numReadyToReplaceDisks: disksToReplace,
  }
}
