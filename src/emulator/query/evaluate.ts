import { parsedJson } from '../../text.ts'
import { timeText } from '../../time_units.ts'
import { oncePerKey } from '../../values/cache.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../model/model.ts'
import { mix, unit } from '../model/random.ts'
import { EmulatedError, QueryError } from '../protocol/errors.ts'
import { isObject } from '../protocol/format.ts'
import { PROFILES } from '../protocol/profiles.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { BUCKETS } from './buckets.ts'
import { type FluxOperation, type FluxQuery, type FluxRange, parseFlux } from './flux.ts'
import { type Bucket, intervalOf, type SeriesPoint, seriesOf, type ValueType, valueText } from './series.ts'

const JSON_TYPE = 'application/json'
/** The text of more is made with pauses for other requests. */
const MAX_SHORT_TABLES = 500

/** @throws EmulatedError 404 or 503 in profiles without the interface; QueryError 406, 400 or 500 */
export function answerQuery(request: ResourceRequest) {
  const { context, settings } = request
  const { flux } = PROFILES[request.profile]
  if (flux === 'absent') throw new EmulatedError('notFound', `There is nothing under ${context.path}`)
  if (flux === 'unavailable') throw new EmulatedError('unreachable', '')
  const mediaType = context.accepts(JSON_TYPE)
  if (mediaType === false)
    throw new QueryError(`unsupported response media type: ${context.get('accept')}`, 406)
  // Real systems have a clock with nanoseconds.
  const exactNow = request.now + unit(mix(request.model.key, FRACTION), request.now)
  const result = evaluate(parseFlux(scriptOf(request), settings, exactNow), request)
  const measurements = new Set(result.tables.map(({ columns }) => columns['_measurement'] ?? ''))
  const isCombined = measurements.size > 1
  if (isCombined && settings['combined-refused'] !== undefined)
    throw new QueryError('requested operation merges tables with different schemas for group key {}')
  const broken = settings['measurement-error']
  if (broken !== undefined && measurements.has(broken))
    throw new QueryError('internal error: this error is made on purpose')
  const isEmptied = isCombined && settings['combined-empty'] !== undefined
  const answered = isEmptied ? { ...result, tables: [] } : result
  return { mediaType, text: jsonOf(answered), long: answered.tables.length > MAX_SHORT_TABLES }
}

/** The script of a request. @throws QueryError 400 */
export function scriptOf({ context, body }: Pick<ResourceRequest, 'context' | 'body'>): string {
  const contentType = context.get('content-type')
  if (contentType.startsWith('application/vnd.flux')) return body
  if (!contentType.startsWith(JSON_TYPE)) {
    throw new QueryError(`unsupported request media type: ${contentType}`, 400)
  }
  const value = parsedJson(body)
  const query = isObject(value) ? value['query'] : undefined
  if (typeof query !== 'string') throw new QueryError('failed to decode request body: no query', 400)
  return query
}

/** Points of one or several series that have the same group key. */
export interface GroupTable {
  /** The group key: `_field`, `_measurement` and tags. */
  readonly columns: Readonly<Record<string, string>>
  readonly type: ValueType
  readonly points: readonly SeriesPoint[]
}

/** Columns that every point has; `keep` and `drop` may remove them. */
export const POINT_COLUMNS = ['_start', '_stop', '_time', '_value'] as const

interface TableSet {
  readonly pointColumns: readonly (typeof POINT_COLUMNS)[number][]
  /** Sorted by the text of the group key. */
  readonly tables: readonly GroupTable[]
}
type QueryResult = TableSet & FluxRange

const FRACTION = 73
/** Versions 3.7 and 3.8.0 return points before the window, too, and running totals in place of values. */
const DEFECT_SECONDS = 2 * STATISTICS_INTERVAL_SECONDS

/** @throws QueryError 500 for an unknown bucket, an empty range, and tables that cannot be merged */
function evaluate(query: FluxQuery, request: ResourceRequest): QueryResult {
  const bucket = BUCKETS.get(query.bucket)
  if (bucket === undefined) {
    throw new QueryError(
      `failed to initialize execute state: could not find bucket ${JSON.stringify(query.bucket)}`,
    )
  }
  const isDefective =
    PROFILES[request.profile].flux === 'v3-defect' && !query.operations.some(({ name }) => name === 'last')
  const { first, last } = boundsOf(bucket, query.range, request)
  return evaluateSeries(query, seriesOf(bucket, request), ({ points, type }) =>
    isDefective ? runningTotals(points(first - DEFECT_SECONDS, last), type) : points(first, last),
  )
}

/**
 * @param pointsOf the points of a series in the range of the query
 * @throws QueryError 500 for an empty range, and tables that cannot be merged
 */
export function evaluateSeries<Series extends Pick<GroupTable, 'columns' | 'type'>>(
  query: FluxQuery,
  series: Iterable<Series>,
  pointsOf: (one: Series) => readonly SeriesPoint[],
): QueryResult {
  const { range, filters, operations } = query
  if (range.start >= range.stop)
    throw new QueryError('error in building plan while starting program: cannot query an empty range')
  const tables: GroupTable[] = []
  for (const one of series) {
    const { columns, type } = one
    if (!filters.every((accepts) => accepts(columns))) continue
    const points = pointsOf(one)
    if (points.length > 0) tables.push({ columns, type, points })
  }
  const set: TableSet = { pointColumns: POINT_COLUMNS, tables: sorted(tables) }
  return { ...range, ...operations.reduce(applyOperation, set) }
}

/** Times of the points in `[start, stop)` that are visible and not yet deleted. */
function boundsOf(bucket: Bucket, { start, stop }: FluxRange, request: ResourceRequest) {
  const { now, settings, maxPoints } = request
  const delaySeconds = bucket.delaySeconds + Math.floor(Number(settings['stale-points'] ?? 0))
  const first = Math.max(Math.ceil(start), now - bucket.retentionSeconds)
  const last = Math.min(Math.ceil(stop) - 1, now - delaySeconds)
  if ((last - first) / intervalOf(settings) > maxPoints)
    throw new QueryError(`the range has more than ${maxPoints} points of a series`)
  return { first, last }
}

function runningTotals(points: readonly SeriesPoint[], type: ValueType): SeriesPoint[] {
  let total = 0
  return points.map(({ time, value }) => {
    total += Number(value)
    return { time, value: valueText(total, type) }
  })
}

/** @throws QueryError 500 for tables that cannot be merged */
function applyOperation({ pointColumns, tables }: TableSet, operation: FluxOperation): TableSet {
  if (operation.name === 'last')
    return { pointColumns, tables: tables.map((table) => ({ ...table, points: table.points.slice(-1) })) }
  const { name, columns } = operation
  const isKept = (column: string) => columns.includes(column) === (name === 'keep')
  return { pointColumns: pointColumns.filter(isKept), tables: withColumns(tables, isKept) }
}

/** Tables that get the same group key become one, whose points follow each other. */
function withColumns(tables: readonly GroupTable[], isKept: (name: string) => boolean): GroupTable[] {
  const merged = new Map<string, GroupTable & { readonly points: SeriesPoint[] }>()
  for (const { columns: all, type, points } of tables) {
    const columns = Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)))
    const key = columnNames(columns)
      .map((name) => `${name}=${columns[name]}`)
      .join(',')
    const table = merged.get(key) ?? { columns, type, points: [] }
    if (table.type !== type)
      throw new QueryError(`requested operation merges tables with different schemas for group key {${key}}`)
    table.points.push(...points)
    merged.set(key, table)
  }
  return sorted([...merged.values()])
}

/** In the order in which columns are served: `_field`, `_measurement`, then the tags. */
function columnNames(columns: GroupTable['columns']): string[] {
  return Object.keys(columns).sort()
}

function sorted(tables: readonly GroupTable[]): GroupTable[] {
  const keyOf = ({ columns }: GroupTable) =>
    columnNames(columns)
      .map((name) => columns[name])
      .join('\u0000')
  return tables
    .map((table) => ({ table, key: keyOf(table) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ table }) => table)
}

/** The body of a query that found nothing. */
const EMPTY = '{"Series":[{"Datatypes":null,"Columns":null,"Values":null}]}'
const TIME_TYPE = 'dateTime:RFC3339'

/**
 * The result as pieces of JSON text. There is one list of columns for all tables: columns that some of them do not
 * have are lost. There is one list of types too, that of the first table. Every cell is a string.
 */
export function* jsonOf(result: QueryResult): Generator<string> {
  const [first] = result.tables
  if (first === undefined) {
    yield EMPTY
    return
  }
  const names = columnNames(first.columns).filter((name) =>
    result.tables.every(({ columns }) => Object.hasOwn(columns, name)),
  )
  const types = [
    'long',
    ...result.pointColumns.map((name) => (name === '_value' ? first.type : TIME_TYPE)),
    ...names.map(() => 'string'),
  ]
  const columns = ['table', ...result.pointColumns, ...names]
  yield `{"Series":[{"Datatypes":${JSON.stringify(types)},"Columns":${JSON.stringify(columns)},"Values":[`
  yield* rowsOf(result, names)
  yield ']}]}'
}

function* rowsOf(
  { tables, pointColumns, start, stop }: QueryResult,
  names: readonly string[],
): Generator<string> {
  // The rows of a node have the same few times.
  const textOf = oncePerKey(exactTimeText)
  const [_start, _stop] = [exactTimeText(start), exactTimeText(stop)]
  for (const [index, { columns, points }] of tables.entries()) {
    const tags = names.map((name) => columns[name])
    const rows = points.map(({ time, value }) => {
      const cells = { _start, _stop, _time: textOf(time), _value: value }
      return JSON.stringify([String(index), ...pointColumns.map((name) => cells[name]), ...tags])
    })
    yield `${index === 0 ? '' : ','}${rows.join(',')}`
  }
}

const NANOSECOND_DIGITS = 9

/** RFC 3339 in UTC, with the fraction of the second without trailing zeros. */
function exactTimeText(seconds: number): string {
  const fraction = (seconds % 1).toFixed(NANOSECOND_DIGITS).slice(1)
  return timeText(seconds).replace('Z', `${fraction.replace(/\.?0+$/, '')}Z`)
}
