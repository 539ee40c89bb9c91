import type { MergedNode } from '../api/query/merge.ts'
import type { DiskCount } from '../catalogue.ts'
import { newestTimes } from '../metrics/newest_times.ts'
import { baseValue, ratioOf } from './totals.ts'

/** Disks of a node, or of several nodes together. Null: not served. */
export interface DiskFigures {
  readonly disks: number | null
  readonly disks_good: number | null
  readonly disks_bad: number | null
  readonly disks_maintenance: number | null
  readonly disks_ready_to_replace: number | null
}

/** Descriptions of the members, for help texts and documentation. */
export const DISK_FIGURES: Readonly<Record<keyof DiskFigures, string>> = {
  disks: 'number of disks',
  disks_good: 'disks in good state',
  disks_bad: 'disks in bad state',
  disks_maintenance: 'disks in maintenance',
  disks_ready_to_replace: 'disks ready to be replaced',
}

/** @param countOf the number of disks in a state; undefined if it is not served */
export function diskFigures(countOf: (name: DiskCount) => number | undefined): DiskFigures {
  return {
    disks: countOf('numDisks') ?? null,
    disks_good: countOf('numGoodDisks') ?? null,
    disks_bad: countOf('numBadDisks') ?? null,
    disks_maintenance: countOf('numMaintenanceDisks') ?? null,
    disks_ready_to_replace: countOf('numReadyToReplaceDisks') ?? null,
  }
}

/** 0 to 1: allocated / total, otherwise the percentage of the system. */
export function allocatedRatio(node: Pick<MergedNode, 'values'>): number | null {
  const ratio = ratioOf(baseValue(node, 'diskSpaceAllocated'), baseValue(node, 'diskSpaceTotal'))
  return ratio ?? baseValue(node, 'diskSpaceAllocatedPercentage') ?? null
}

/** Time of the newest sample in seconds since the epoch, by the clock of the system. */
export function newestSampleTime(node: MergedNode): number | null {
  const times = [...newestTimes(node).values()]
  return times.length === 0 ? null : Math.max(...times)
}
