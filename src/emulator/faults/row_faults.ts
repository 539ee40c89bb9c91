import { LATENCY_BOUNDS } from '../query/points/latency_histogram.ts'
import { choiceArgument, type FaultRow, type QueryTable } from './fault.ts'

const LATE_MS = 600_000

/** Faults of the rows that queries return. They have no effect on other requests. */
export const ROW_FAULTS = {
  'no-rows': {
    help: 'queries return nothing: the members of the answer are null',
    answer: onRows(() => []),
  },
  'partial-nodes': {
    help: 'queries return every second node only',
    answer: onRows((rows) => {
      const ids = [...new Set(rows.map((row) => row['node_id']))].sort()
      return rows.filter((row) => ids.indexOf(row['node_id']) % 2 === 0)
    }),
  },
  'partial-series': {
    help: 'queries return no row of every third series',
    answer: onRows((rows) => rows.filter((row) => Number(row['table']) % 3 !== 0)),
  },
  'reordered-columns': {
    help: 'queries return the columns in another order',
    answer: (series) => [reversed(series)],
  },
  'two-series': {
    help: 'queries return two Series; the second one has another order of columns',
    answer: (series) => {
      const half = Math.floor(series.Values.length / 2)
      const [first, second] = [series.Values.slice(0, half), series.Values.slice(half)]
      return [{ ...series, Values: first }, reversed({ ...series, Values: second })]
    },
  },
  'duplicate-rows': {
    help: 'queries return every row twice, with different values',
    answer: onRows((rows) =>
      rows.flatMap((row) => [row, { ...row, _value: String(2 * Number(row['_value']) + 1) }]),
    ),
  },
  'missing-bound': {
    help: 'a bound of the latencies of the first node is missing',
    argument: { ...choiceArgument(LATENCY_BOUNDS, '+Inf'), name: 'BOUND' },
    answer: onRows((rows, bound) => {
      const [id] = rows.map((row) => row['node_id']).sort()
      return rows.filter((row) => row['_field'] !== bound || row['node_id'] !== id)
    }),
  },
  'first-point-only': {
    help: 'queries return only the first point of each series',
    answer: onRows((rows) => rows.filter((row, index) => row['table'] !== rows[index - 1]?.['table'])),
  },
  'late-series': {
    help: 'the points of the process or network interface of this name are visible after 10 minutes',
    argument: { name: 'NAME', fallback: 'cm', pattern: /^[\w.-]{1,100}$/ },
    answer: onRows((rows, name) => {
      const isOld = (row: Row) => msOf(row['_stop']) - msOf(row['_time']) > LATE_MS
      return rows.filter((row) => isOld(row) || (row['process'] !== name && row['interface'] !== name))
    }),
  },
  'bond-slaves': {
    help: 'the interface public is a bond: two slaves, NAME-0 and NAME-1, have its traffic, too',
    argument: { ...choiceArgument(['slave', 'pslave'], 'slave'), name: 'NAME' },
    answer: onPublic((row, name) => [0, 1].map((number) => ({ ...row, interface: `${name}-${number}` }))),
  },
  'no-link': {
    help: 'nodes have an interface eth9 without a link: no traffic, and this speed',
    argument: choiceArgument(['-1', '0'], '-1'),
    answer: onPublic((row, speed) => [
      { ...row, interface: 'eth9', _value: row['_field'] === 'speed' ? speed : '0' },
    ]),
  },
  'interface-speed': {
    help: 'all network interfaces have this speed, although they have traffic',
    argument: choiceArgument(['-1', '0'], '-1'),
    answer: onRows((rows, speed) =>
      rows.map((row) => (row['_field'] === 'speed' ? { ...row, _value: speed } : row)),
    ),
  },
} as const satisfies Record<string, FaultRow>

/** Cells by column. */
type Row = Readonly<Record<string, string | null>>

function onRows(
  change: (rows: readonly Row[], argument: string) => readonly Row[],
): NonNullable<FaultRow['answer']> {
  return ({ Columns, Values, ...series }, argument) => {
    const rows = Values.map((row) =>
      Object.fromEntries(Columns.map((name, index) => [name, row[index] ?? null])),
    )
    const changed = change(rows, argument)
    return [{ ...series, Columns, Values: changed.map((row) => Columns.map((name) => row[name] ?? null)) }]
  }
}

function reversed({ Datatypes, Columns, Values }: QueryTable): QueryTable {
  return {
    Datatypes: Datatypes.toReversed(),
    Columns: Columns.toReversed(),
    Values: Values.map((row) => row.toReversed()),
  }
}

function onPublic(add: (row: Row, argument: string) => readonly Row[]): NonNullable<FaultRow['answer']> {
  return onRows((rows, argument) =>
    rows.flatMap((row) => (row['interface'] === 'public' ? [row, ...add(row, argument)] : [row])),
  )
}

const msOf = (time: string | null | undefined): number => Date.parse(time ?? '')
