/**
 * Reads some values from answers of the query interface, independently of the exporter's decoder and catalogue. Names
 * and rules are repeated here on purpose, so that the results can be compared.
 */
import { isObject } from '../../../api/parse/json.ts'

/** The cells of a row by column. */
export type RawRow = Readonly<Record<string, string>>

/** The rows of all answers. */
export function rawRows(bodies: Iterable<unknown>): RawRow[] {
  return [...bodies].flatMap((body) => listIn(body, 'Series').flatMap(rowsOf))
}

function rowsOf(series: unknown): RawRow[] {
  const columns = listIn(series, 'Columns').map(String)
  return listIn(series, 'Values').map((row) => {
    const cells = Array.isArray(row) ? row : []
    return Object.fromEntries(columns.map((column, index) => [column, String(cells[index] ?? '')]))
  })
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

/** The rows of the node with an id. */
export type RowLookup = (id: string) => readonly RawRow[]

/** The rows of a node have its id; else its name, if no other node has that name, and the id of no other node. */
export function createRowLookup(
  bodies: Iterable<unknown>,
  nodes: readonly { readonly id: string; readonly name?: string | undefined }[],
): RowLookup {
  const ids = new Set(nodes.map(({ id }) => id.toLowerCase()))
  const byId = Map.groupBy(rawRows(bodies), (row) => row['node_id']?.toLowerCase() ?? '')
  const others = [...byId].flatMap(([id, rows]) => (ids.has(id) ? [] : rows))
  const byHost = Map.groupBy(others, (row) => row['host']?.toLowerCase())
  const names = new Map(nodes.map(({ id, name }) => [id, name?.toLowerCase()]))
  const named = Map.groupBy(names.values(), (name) => name)
  return (id) => {
    const name = names.get(id)
    const isUnique = named.get(name)?.length === 1
    return byId.get(id.toLowerCase()) ?? (isUnique ? byHost.get(name) : undefined) ?? []
  }
}

/** How a figure is calculated from the rows of a node. */
export interface RowFigure {
  readonly measurement: string
  /** Added up. */
  readonly fields: readonly string[]
  /** Other columns that select rows. */
  readonly where?: RawRow
  /** A gauge is its newest point, a counter the growth per second between the last two. */
  readonly kind: 'gauge' | 'counter'
}

interface Point {
  readonly t: number
  readonly value: number
}

/**
 * The figure of one node; undefined if it is missing or in several series. Ages and intervals are not checked: the range
 * of a query has no point that is too old, and rates are compared only where the exporter has them.
 */
export function rowFigure(rows: readonly RawRow[], figure: RowFigure): number | undefined {
  const { measurement, fields, where = {}, kind } = figure
  const selected = rows.filter(
    (row) =>
      row['_measurement'] === measurement &&
      Object.entries(where).every(([column, value]) => row[column] === value),
  )
  let sum = 0
  for (const field of fields) {
    const points = pointsOf(selected.filter((row) => row['_field'] === field))
    const value = kind === 'gauge' ? points?.at(-1)?.value : growth(points?.slice(-2))
    if (value === undefined) return undefined
    sum += value
  }
  return sum
}

/** The valid points of one series by time; undefined if the rows are of several series. */
function pointsOf(rows: readonly RawRow[]): Point[] | undefined {
  const series = new Set(rows.map(({ process, cpu, interface: name }) => `${process} ${cpu} ${name}`))
  const byTime = new Map<number, number>()
  for (const row of rows) {
    const [t, value] = [secondsOf(row['_time']), Number(row['_value'] || Number.NaN)]
    if (isInRange(row) && Number.isFinite(value) && value >= 0 && !byTime.has(t)) byTime.set(t, value)
  }
  const points = [...byTime].map(([t, value]) => ({ t, value })).toSorted((a, b) => a.t - b.t)
  const newest = points.at(-1)?.t ?? Number.NaN
  // No older value stands for the newest one if that is invalid.
  const isNewest = rows.every((row) => secondsOf(row['_time']) <= newest || !isInRange(row))
  return series.size === 1 && isNewest ? points : undefined
}

function isInRange(row: RawRow): boolean {
  const t = secondsOf(row['_time'])
  return t >= secondsOf(row['_start']) && t < secondsOf(row['_stop'])
}

function secondsOf(time = ''): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`) / 1000
}

function growth([before, last]: readonly Point[] = []): number | undefined {
  if (before === undefined || last === undefined) return undefined
  const seconds = last.t - before.t
  const amount = last.value - before.value
  return amount < 0 ? undefined : amount / seconds
}
