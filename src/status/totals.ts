import type { MergedNode, MergedReading } from '../api/query/merge.ts'
import { ATTRIBUTES, type AttributeName, type DiskCount, type SourceUnit, UNITS } from '../catalogue.ts'

/** Sums over the nodes of a pool. Undefined: no node serves it. */
export interface PoolTotals {
  readonly diskSpaceTotalBytes: number | undefined
  readonly diskSpaceAllocatedBytes: number | undefined
  readonly transactionsPerSecond: number | undefined
  readonly transactionBytesPerSecond: number | undefined
  readonly disks: Readonly<Record<DiskCount, number | undefined>>
}

const UNIT_OF: ReadonlyMap<AttributeName, SourceUnit> = new Map(
  ATTRIBUTES.map(({ name, unit }) => [name, unit]),
)

/** The value of an attribute in its base unit. */
export function baseValue({ values }: Pick<MergedNode, 'values'>, name: AttributeName): number | undefined {
  const snapshot = values.get(name)
  const unit = snapshot?.unit ?? UNIT_OF.get(name)
  return snapshot === undefined || unit === undefined ? undefined : UNITS[unit].toBase(snapshot.value)
}

export function poolTotals({ nodes }: Pick<MergedReading, 'nodes'>): PoolTotals {
  const sumOf = (...names: readonly AttributeName[]) =>
    sum(nodes.flatMap((node) => names.map((name) => baseValue(node, name))))
  const disksOf = (name: DiskCount) => sum(nodes.map(({ disks }) => disks.get(name)))
  return {
    diskSpaceTotalBytes: sumOf('diskSpaceTotal'),
    diskSpaceAllocatedBytes: sumOf('diskSpaceAllocated'),
    transactionsPerSecond: sumOf('transactionReadTransactionsPerSec', 'transactionWriteTransactionsPerSec'),
    transactionBytesPerSecond: sumOf('transactionReadBandwidth', 'transactionWriteBandwidth'),
    disks: {
      numDisks: disksOf('numDisks'),
      numGoodDisks: disksOf('numGoodDisks'),
      numBadDisks: disksOf('numBadDisks'),
      numMaintenanceDisks: disksOf('numMaintenanceDisks'),
      numReadyToReplaceDisks: disksOf('numReadyToReplaceDisks'),
    },
  }
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0)
}

/** Part of a whole, 0 to 1; undefined if one of them is not known or the whole is 0. */
export function ratioOf(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole <= 0 ? undefined : part / whole
}
