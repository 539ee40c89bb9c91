import { QueryError } from '../protocol/errors.ts'
import type { FluxOperation } from './flux/pipeline.ts'
import type { Point, ValueType } from './points/series.ts'

/** Points of one or several series that have the same group key. */
export interface Table {
  /** The group key: `_field`, `_measurement` and tags. */
  readonly columns: Readonly<Record<string, string>>
  readonly type: ValueType
  readonly points: readonly Point[]
}

/** Columns that every point has; `keep` and `drop` may remove them. */
export const POINT_COLUMNS = ['_start', '_stop', '_time', '_value'] as const
export type PointColumn = (typeof POINT_COLUMNS)[number]

export interface TableSet {
  readonly pointColumns: readonly PointColumn[]
  /** Sorted by the text of the group key. */
  readonly tables: readonly Table[]
}

/** @throws QueryError 500 for tables that cannot be merged */
export function applyOperation(set: TableSet, operation: FluxOperation): TableSet {
  switch (operation.name) {
    case 'filter':
      return { ...set, tables: set.tables.filter(({ columns }) => operation.accepts(columns)) }
    case 'last':
      return { ...set, tables: set.tables.map((table) => ({ ...table, points: table.points.slice(-1) })) }
    case 'keep':
      return withColumns(set, (name) => operation.columns.includes(name))
    case 'drop':
      return withColumns(set, (name) => !operation.columns.includes(name))
  }
}

function withColumns({ pointColumns, tables }: TableSet, isKept: (name: string) => boolean): TableSet {
  const reduced = tables.map((table) => ({
    ...table,
    columns: Object.fromEntries(Object.entries(table.columns).filter(([name]) => isKept(name))),
  }))
  return { pointColumns: pointColumns.filter(isKept), tables: sortTables(merge(reduced)) }
}

/** Tables with the same group key become one, whose points follow each other. */
function merge(tables: readonly Table[]): Table[] {
  const merged = new Map<string, { table: Table; points: Point[] }>()
  for (const table of tables) {
    const key = `${columnNames(table.columns).join('\u0000')}\u0001${sortKey(table)}`
    const other = merged.get(key)
    if (other === undefined) merged.set(key, { table, points: [...table.points] })
    else if (other.table.type === table.type) other.points.push(...table.points)
    else {
      const names = columnNames(table.columns).map((name) => `${name}=${table.columns[name]}`)
      const key = `{${names.join(',')}}`
      throw new QueryError(`requested operation merges tables with different schemas for group key ${key}`)
    }
  }
  return [...merged.values()].map(({ table, points }) => ({ ...table, points }))
}

/** In the order in which columns are served: `_field`, `_measurement`, then the tags. */
export function columnNames(columns: Table['columns']): string[] {
  return Object.keys(columns).sort()
}

export function sortTables(tables: readonly Table[]): Table[] {
  return tables
    .map((table) => ({ table, key: sortKey(table) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ table }) => table)
}

function sortKey({ columns }: Table): string {
  return columnNames(columns)
    .map((name) => columns[name])
    .join('\u0000')
}
