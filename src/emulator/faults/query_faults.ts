import { API_ERRORS } from '../protocol/errors.ts'
import { CONTENT_TYPES } from '../protocol/format.ts'
import { ALLOWED_OPERATIONS } from '../query/flux/pipeline.ts'
import { LATENCY_BOUNDS } from '../query/points/latency_histogram.ts'
import {
  choiceArgument,
  type FaultRow,
  type FullResponse,
  type QuerySeries,
  secondsArgument,
} from './fault.ts'

const { code, description } = API_ERRORS.noPermission
/** Errors of the query interface, by the argument of the fault: status and body. */
const ERRORS: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  role: [API_ERRORS.noPermission.status, { code, description, retryable: false }],
  compile: [500, { error: 'failed to compile query: loc 1:1: this error is made on purpose' }],
  internal: [500, { error: 'internal error: this error is made on purpose' }],
  timeout: [500, { error: 'query timed out' }],
  media: [406, { error: 'unsupported response media type: application/json' }],
}
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

/** Faults of the query interface. They have no effect on other requests. */
export const QUERY_FAULTS = {
  'query-error': {
    help: 'responds to queries with an error: missing role, compile error, internal error, timeout, or media type',
    argument: choiceArgument(Object.keys(ERRORS), 'compile'),
    operation: 'query',
    effect: { stage: 'replace', respond: errorResponse },
  },
  'refused-operation': {
    help: 'refuses queries with this operation, in the words of the list of allowed operations',
    argument: choiceArgument(ALLOWED_OPERATIONS.slice(1), 'keep'),
    effect: { stage: 'query', settings: (name) => ({ refusedOperations: [name] }) },
  },
  'combined-refused': {
    help: 'refuses queries that return several measurements',
    effect: { stage: 'query', settings: () => ({ refusesCombined: true }) },
  },
  'combined-empty': {
    help: 'responds to queries that return several measurements without rows, as ECS 3.8.1.1',
    effect: { stage: 'query', settings: () => ({ emptiesCombined: true }) },
  },
  'measurement-error': {
    help: 'responds to queries that return this measurement with an internal error',
    argument: { name: 'MEASUREMENT', fallback: 'cpu', pattern: /^\w{1,100}$/ },
    effect: { stage: 'query', settings: (name) => ({ failingMeasurement: name }) },
  },
  'absolute-refused': {
    help: 'refuses queries with absolute times in range; it is unknown which real systems do',
    effect: { stage: 'query', settings: () => ({ refusesAbsolute: true }) },
  },
  'point-interval': {
    help: 'points come at another interval, as on large systems',
    argument: secondsArgument(900),
    effect: {
      stage: 'query',
      settings: (seconds) => ({ intervalSeconds: Math.max(Math.floor(Number(seconds)), 1) }),
    },
  },
  'stale-points': {
    help: 'points become visible later; the newest ones are at least so old',
    argument: secondsArgument(900),
    effect: { stage: 'query', settings: (seconds) => ({ delaySeconds: Math.floor(Number(seconds)) }) },
  },
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

function errorResponse(kind: string): FullResponse {
  const [status, body] = ERRORS[kind] ?? [500, {}]
  return {
    status,
    headers: { 'Content-Type': CONTENT_TYPES.json },
    body: Buffer.from(JSON.stringify(body)),
  }
}
