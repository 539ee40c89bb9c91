import type { MergedNode } from '../../api/query/merge.ts'
import {
  ATTRIBUTES,
  type AttributeName,
  type DiskCount,
  type SourceUnit,
  TRANSACTION_ERRORS,
  UNITS,
} from '../../catalogue.ts'
import { newestTimes } from '../../metrics/samples.ts'
import { largest } from '../../values/largest.ts'

/** Members with a number of disks: the count of the feed, and the description for help texts and documentation. */
const DISK_MEMBERS = {
  disks: ['numDisks', 'number of disks'],
  disks_good: ['numGoodDisks', 'disks in good state'],
  disks_bad: ['numBadDisks', 'disks in bad state'],
  disks_maintenance: ['numMaintenanceDisks', 'disks in maintenance'],
  disks_ready_to_replace: ['numReadyToReplaceDisks', 'disks ready to be replaced'],
} as const satisfies Record<string, readonly [DiskCount, string]>

type DiskMember = keyof typeof DISK_MEMBERS
export const DISK_NAMES = Object.keys(DISK_MEMBERS) as readonly DiskMember[]

/** Disks of a node, or of several nodes together. Null: not served. */
export type DiskFigures = Readonly<Record<DiskMember, number | null>>

function eachDiskMember<T>(memberOf: (count: DiskCount, description: string) => T) {
  const entries = DISK_NAMES.map((name) => [name, memberOf(DISK_MEMBERS[name][0], DISK_MEMBERS[name][1])])
  return Object.fromEntries(entries) as Readonly<Record<DiskMember, T>>
}

export const DISK_FIGURES = eachDiskMember((_, description) => description)

export function diskFigures({ disks }: Pick<MergedNode, 'disks'>): DiskFigures {
  return eachDiskMember((count) => disks.get(count) ?? null)
}

const UNIT_OF: ReadonlyMap<AttributeName, SourceUnit> = new Map(
  ATTRIBUTES.map(({ name, unit }) => [name, unit]),
)

export function baseValue({ values }: Pick<MergedNode, 'values'>, name: AttributeName): number | undefined {
  const snapshot = values.get(name)
  const unit = snapshot?.unit ?? UNIT_OF.get(name)
  return snapshot === undefined || unit === undefined ? undefined : UNITS[unit].toBase(snapshot.value)
}

type Optional = number | null | undefined

/** Undefined: no value is known. */
export function sumOfKnown(values: readonly Optional[]): number | undefined {
  let sum: number | undefined
  for (const value of values) if (typeof value === 'number') sum = (sum ?? 0) + value
  return sum
}

/** Part of a whole, 0 to 1; undefined if one of them is not known or the whole is 0. */
export function ratioOf(part: Optional, whole: Optional): number | undefined {
  return typeof part !== 'number' || typeof whole !== 'number' || whole <= 0 ? undefined : part / whole
}

/** 0 to 1: allocated / total, otherwise the percentage of the system. */
export function allocatedRatio(node: Pick<MergedNode, 'values'>): number | null {
  const ratio = ratioOf(baseValue(node, 'diskSpaceAllocated'), baseValue(node, 'diskSpaceTotal'))
  return ratio ?? baseValue(node, 'diskSpaceAllocatedPercentage') ?? null
}

/** Failed transactions, 0 to 1. */
export function failedRatio({ errors }: Pick<MergedNode, 'errors'>): number | null {
  const rate = errors?.all?.value
  return rate === undefined ? null : UNITS[TRANSACTION_ERRORS.rateUnit].toBase(rate)
}

/** Time of the newest sample in seconds since the epoch, by the clock of the system. */
export function newestSampleTime(node: MergedNode): number | null {
  return largest(newestTimes(node).values()) ?? null
}
