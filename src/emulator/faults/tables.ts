import type { QueryTable, RowOf, TableRow } from './kinds.ts'

type RowChange = RowOf<'rows'>['change']

export const everySecondNode: RowChange = (rows) => {
  const ids = [...new Set(rows.map((row) => row['node_id']))].sort()
  return rows.filter((row) => ids.indexOf(row['node_id']) % 2 === 0)
}

export const withoutBound: RowChange = (rows, bound) => {
  const [id] = rows.map((row) => row['node_id']).sort()
  return rows.filter((row) => row['_field'] !== bound || row['node_id'] !== id)
}

const LATE_MS = 600_000

export const withoutNewPoints: RowChange = (rows, name) => {
  const ageMs = (row: TableRow) => Date.parse(row['_stop'] ?? '') - Date.parse(row['_time'] ?? '')
  return rows.filter((row) => ageMs(row) > LATE_MS || (row['process'] !== name && row['interface'] !== name))
}

export const withSlaves: RowChange = (rows, name) =>
  rows.flatMap((row) => {
    const slaves = [0, 1].map((number) => ({ ...row, interface: `${name}-${number}` }))
    return row['interface'] === 'public' ? [row, ...slaves] : [row]
  })

export const withoutLink: RowChange = (rows, speed) =>
  rows.flatMap((row) => {
    const added = { ...row, interface: 'eth9', _value: row['_field'] === 'speed' ? speed : '0' }
    return row['interface'] === 'public' ? [row, added] : [row]
  })

export function reversed({ Datatypes, Columns, Values }: QueryTable): QueryTable {
  return {
    Datatypes: Datatypes.toReversed(),
    Columns: Columns.toReversed(),
    Values: Values.map((row) => row.toReversed()),
  }
}

export function inTwo(table: QueryTable): QueryTable[] {
  const half = Math.floor(table.Values.length / 2)
  const [first, second] = [table.Values.slice(0, half), table.Values.slice(half)]
  return [{ ...table, Values: first }, reversed({ ...table, Values: second })]
}
