import { LATENCY_BOUNDS } from '../query/points/latency_histogram.ts'
import { choiceArgument, type FaultRow, type QuerySeries } from './fault.ts'

/** Cells in place of values, by the argument of the fault. */
const CELLS: Readonly<Record<string, string | null>> = {
  null: null,
  empty: '',
  nan: 'NaN',
  infinity: '+Inf',
  negative: '-1',
  text: 'many',
}
const VALUES_PER_BAD_CELL = 3
const RESTARTED = 1_000
const ENDED_MS = 600_000

/** Faults of the rows that queries return. They have no effect on other requests. */
export const ROW_FAULTS = {
  'no-rows': {
    help: 'queries return nothing: the members of the answer are null',
    effect: onRows(() => []),
  },
  'partial-nodes': {
    help: 'queries return every second node only',
    effect: onRows((rows, { Columns }) => {
      const node = Columns.indexOf('node_id')
      const ids = [...new Set(rows.map((row) => row[node]))].sort()
      return rows.filter((row) => ids.indexOf(row[node]) % 2 === 0)
    }),
  },
  'partial-series': {
    help: 'queries return no row of every third series',
    effect: onRows((rows, { Columns }) => {
      const table = Columns.indexOf('table')
      return rows.filter((row) => Number(row[table]) % 3 !== 0)
    }),
  },
  'bad-cells': {
    help: 'every third value of a query is null or invalid',
    argument: choiceArgument(Object.keys(CELLS), 'null'),
    effect: onRows((rows, { Columns }, kind) => {
      const value = Columns.indexOf('_value')
      const cell = CELLS[kind] ?? null
      return rows.map((row, index) => (index % VALUES_PER_BAD_CELL === 0 ? row.with(value, cell) : row))
    }),
  },
  'reordered-columns': {
    help: 'queries return the columns in another order',
    effect: { stage: 'answer', change: (series) => [reversed(series)] },
  },
  'two-series': {
    help: 'queries return two Series; the second one has another order of columns',
    effect: {
      stage: 'answer',
      change: (series) => {
        const half = Math.floor(series.Values.length / 2)
        const [first, second] = [series.Values.slice(0, half), series.Values.slice(half)]
        return [{ ...series, Values: first }, reversed({ ...series, Values: second })]
      },
    },
  },
  'duplicate-rows': {
    help: 'queries return every row twice, with different values',
    effect: onRows((rows, { Columns }) => {
      const value = Columns.indexOf('_value')
      return rows.flatMap((row) => [row, row.with(value, String(2 * Number(row[value]) + 1))])
    }),
  },
  'missing-bound': {
    help: 'a bound of the latencies of the first node is missing',
    argument: { ...choiceArgument(LATENCY_BOUNDS, '+Inf'), name: 'BOUND' },
    effect: onRows((rows, { Columns }, bound) => {
      const [field, node] = [Columns.indexOf('_field'), Columns.indexOf('node_id')]
      const [id] = rows.map((row) => row[node]).sort()
      return rows.filter((row) => row[field] !== bound || row[node] !== id)
    }),
  },
  'first-point-only': {
    help: 'queries return only the first point of each series',
    effect: onRows((rows, { Columns }) => {
      const table = Columns.indexOf('table')
      return rows.filter((row, index) => row[table] !== rows[index - 1]?.[table])
    }),
  },
  'restarted-counters': {
    help: 'counters restarted between the last two points of a window',
    effect: onRows(restartCounters),
  },
  'ended-series': {
    help: 'the process or network interface of this name has no points of the last 10 minutes',
    argument: { name: 'NAME', fallback: 'cm', pattern: /^[\w.-]{1,100}$/ },
    effect: onRows((rows, { Columns }, name) => {
      const [time, stop] = [Columns.indexOf('_time'), Columns.indexOf('_stop')]
      const names = [Columns.indexOf('process'), Columns.indexOf('interface')]
      const isOld = (row: Rows[number]) => msOf(row[stop]) - msOf(row[time]) > ENDED_MS
      return rows.filter((row) => isOld(row) || names.every((column) => row[column] !== name))
    }),
  },
  'bond-slaves': {
    help: 'the interface public is a bond: two slaves, NAME-0 and NAME-1, have its traffic, too',
    argument: { ...choiceArgument(['slave', 'pslave'], 'slave'), name: 'NAME' },
    effect: onPublic((row, { Columns }, name) =>
      [0, 1].map((number) => row.with(Columns.indexOf('interface'), `${name}-${number}`)),
    ),
  },
  'no-link': {
    help: 'nodes have an interface eth9 without a link: no traffic, and this speed',
    argument: choiceArgument(['-1', '0'], '-1'),
    effect: onPublic((row, { Columns }, speed) => {
      const value = row[Columns.indexOf('_field')] === 'speed' ? speed : '0'
      return [row.with(Columns.indexOf('interface'), 'eth9').with(Columns.indexOf('_value'), value)]
    }),
  },
  'interface-speed': {
    help: 'all network interfaces have this speed, although they have traffic',
    argument: choiceArgument(['-1', '0'], '-1'),
    effect: onRows((rows, { Columns }, speed) => {
      const [field, value] = [Columns.indexOf('_field'), Columns.indexOf('_value')]
      return rows.map((row) => (row[field] === 'speed' ? row.with(value, speed) : row))
    }),
  },
} as const satisfies Record<string, FaultRow>

type Rows = QuerySeries['Values']

/** A fault that changes the rows. */
function onRows(change: (rows: Rows, series: QuerySeries, argument: string) => Rows): FaultRow['effect'] {
  return {
    stage: 'answer',
    change: (series, argument) => [{ ...series, Values: change(series.Values, series, argument) }],
  }
}

function reversed({ Datatypes, Columns, Values }: QuerySeries): QuerySeries {
  return {
    Datatypes: Datatypes.toReversed(),
    Columns: Columns.toReversed(),
    Values: Values.map((row) => row.toReversed()),
  }
}

/** A series whose last value exceeds the one before is a counter. */
function restartCounters(rows: Rows, { Columns }: QuerySeries): Rows {
  const [table, value] = [Columns.indexOf('table'), Columns.indexOf('_value')]
  return rows.map((row, index) => {
    const [before, after] = [rows[index - 1], rows[index + 1]]
    const isLast = row[table] !== after?.[table] && row[table] === before?.[table]
    const isCounter = isLast && Number(row[value]) > Number(before?.[value])
    return isCounter ? row.with(value, String(Number(row[value]) % RESTARTED)) : row
  })
}

/** A fault that adds rows for those of the interface `public`. */
function onPublic(
  add: (row: Rows[number], series: QuerySeries, argument: string) => Rows,
): FaultRow['effect'] {
  return onRows((rows, series, argument) => {
    const name = series.Columns.indexOf('interface')
    return rows.flatMap((row) => (row[name] === 'public' ? [row, ...add(row, series, argument)] : [row]))
  })
}

const msOf = (time: string | null | undefined): number => Date.parse(time ?? '')
