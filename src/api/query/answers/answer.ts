import { TIME_RANGE } from '../../../catalogue.ts'
import { NETWORK_FIELDS, VALUE_RANGE } from '../../../query_catalogue.ts'
import { ApiError } from '../../errors/errors.ts'
import {
  createRejectedValues,
  isObject,
  isPlausible,
  MAX_REJECTED_CHARACTERS,
  member,
  type Read,
  type RejectedValue,
  type RejectedValues,
  readName,
  readNumber,
  readText,
  Unreadable,
} from '../../parse/json.ts'
import { refusalWords } from './refusals.ts'

/** A value of a series. */
export interface Point {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly t: number
  /** NaN: it could not be read. Only the newest point of a series may be NaN, so that no older one replaces it. */
  readonly value: number
}

export function isReadable({ value }: Point): boolean {
  return !Number.isNaN(value)
}

/** The points of one field with the same tags. */
export interface FieldSeries {
  readonly measurement: string
  readonly field: string
  /** Such as `host`, `node_id` and `interface`; a tag without a value is missing. */
  readonly tags: ReadonlyMap<string, string>
  /** In the order of their times, each time once. */
  readonly points: readonly Point[]
  /** The points are remembered: the last answers do not have the series. */
  readonly isLacking?: boolean
}

export interface QueryAnswer {
  /** By a key of measurement, field and all tags. */
  readonly series: ReadonlyMap<string, FieldSeries>
  /** End of the range: the time of the answer, in seconds by the clock of the system. Undefined without rows. */
  readonly stop: number | undefined
  /** Rows outside of the range, which are not in the series. */
  readonly outside: number
  readonly rejected: readonly RejectedValue[]
}

export interface DecodeOptions {
  /** Name of the query in `sds_api_rejected_values_total{attribute}`. */
  readonly name: string
  /** Whether the query combines measurements: an answer whose rows cannot be told apart is an error then. */
  readonly isCombined?: boolean
  /** Tags without which the rows cannot be told apart. */
  readonly tags: readonly string[]
  /** Whether the rows are of the whole system: others need a column with the node. */
  readonly isOfSystem?: boolean
}

/**
 * Decodes the JSON answer of the Flux API. All cells are strings, and `Datatypes` does not describe them, so
 * only the names of the columns are used; they may differ between the members of `Series`.
 * @throws {ApiError} `schema` if it is not such an answer or lacks columns, `client_error` or `server_error` if it is an error
 */
export function decodeAnswer(body: unknown, options: DecodeOptions): QueryAnswer {
  const rejected = createRejectedValues()
  const rows = createRows(options, rejected)
  for (const one of seriesOf(body)) rows.add(one)
  return { ...rows.result(), rejected: rejected.list() }
}

function seriesOf(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw new ApiError('schema', 'the answer to a query is not an object')
  if (Object.hasOwn(body, 'error')) throw errorIn(readText(member(body, 'error')) ?? '')
  if (!Object.hasOwn(body, 'Series'))
    throw new ApiError('schema', 'the answer to a query has no member Series')
  const list = member(body, 'Series') ?? []
  if (!Array.isArray(list)) throw new ApiError('schema', 'the member Series of the answer is not a list')
  return list
}

/** The text is not quoted: here, secrets in it would not be redacted. */
function errorIn(text: string): ApiError {
  const words = refusalWords(text)
  return words === undefined
    ? new ApiError('server_error', 'the query failed: the answer has a member error')
    : new ApiError('client_error', `the query was refused: ${words}`)
}

/** The rows of a member of `Series`, and the names of their columns. */
function tableOf(one: unknown): { rows: readonly unknown[]; names: readonly unknown[] } {
  const rows = isObject(one) ? (member(one, 'Values') ?? []) : undefined
  if (!Array.isArray(rows)) throw new ApiError('schema', 'the answer to a query has no rows')
  const names = isObject(one) ? member(one, 'Columns') : undefined
  if (rows.length === 0) return { rows, names: [] }
  if (!Array.isArray(names)) throw new ApiError('schema', 'the answer to a query has rows without columns')
  return { rows, names }
}

interface GrowingSeries extends FieldSeries {
  readonly points: Point[]
}

const ROW_LENGTH = new Unreadable('shape', 'a row of another length')
const NAMELESS = new Unreadable('shape', 'a row without a name')

function createRows(options: DecodeOptions, rejected: RejectedValues) {
  const series = new Map<string, GrowingSeries>()
  const [readStart, readStop, readTime] = [timeReader(), timeReader(), timeReader()]
  let stop: number | undefined
  let outside = 0
  let last: { readonly row: readonly unknown[]; readonly series: GrowingSeries } | undefined

  function add(row: unknown, columns: Columns): void {
    const cells: readonly unknown[] = Array.isArray(row) ? row : []
    const problem = cells.length === columns.count ? addCells(cells, columns) : ROW_LENGTH
    if (problem === undefined) return
    const node = nodeOf(cells, columns).slice(0, MAX_REJECTED_CHARACTERS)
    rejected.add({ attribute: options.name, reason: problem.rejection, node, text: problem.text })
  }

  const startOf = (cells: readonly unknown[], { start }: Columns): number | undefined =>
    start === undefined ? 0 : readStart(cells[start])

  /** A row needs its time and its names. @returns what is unreadable */
  function addCells(cells: readonly unknown[], columns: Columns): Unreadable | undefined {
    const t = readTime(cells[columns.time])
    const rangeStop = readStop(cells[columns.stop])
    const rangeStart = startOf(cells, columns)
    if (t === undefined || rangeStop === undefined || rangeStart === undefined)
      return new Unreadable('time', cells[columns.time])
    const ofRow = growing(cells, columns)
    if (ofRow === undefined) return NAMELESS
    const value = readValue(cells[columns.value], ofRow.field)
    stop = Math.max(stop ?? 0, rangeStop)
    if (t < rangeStart || t >= rangeStop) outside += 1
    else ofRow.points.push({ t, value: typeof value === 'number' ? value : Number.NaN })
    return value instanceof Unreadable ? value : undefined
  }

  /** Undefined if the row has no names. */
  function growing(row: readonly unknown[], columns: Columns): GrowingSeries | undefined {
    // Rows of one series follow each other.
    if (last !== undefined && isSameSeries(row, last.row, columns)) return last.series
    const named = newSeries(row, columns)
    if (named === undefined) return undefined
    const key = JSON.stringify([named.measurement, named.field, [...named.tags]])
    const found = series.get(key) ?? named
    series.set(key, found)
    last = { row, series: found }
    return found
  }

  return {
    add(one: unknown): void {
      const { rows, names } = tableOf(one)
      if (rows.length === 0) return
      const columns = columnsOf(names, options)
      last = undefined
      for (const row of rows) add(row, columns)
    },
    result(): Omit<QueryAnswer, 'rejected'> {
      const sorted = [...series].map(([key, one]): [string, FieldSeries] => {
        return [key, inOrder(one, () => noteConflict(one, options, rejected))]
      })
      // The rows of a series without points are all outside of the range.
      return { series: new Map(sorted.filter(([, { points }]) => points.length > 0)), stop, outside }
    },
  }
}

/** The series of a row, without points; undefined without names. */
function newSeries(row: readonly unknown[], columns: Columns): GrowingSeries | undefined {
  const field = readName(row[columns.field])
  const measurement = readName(row[columns.measurement])
  if (field === undefined || measurement === undefined) return undefined
  const tags = columns.tags.flatMap(([tag, index]): [string, string][] => {
    const value = readName(row[index])
    return value === undefined ? [] : [[tag, value]]
  })
  return { field, measurement, tags: new Map(tags), points: [] }
}

/** One list of columns for several measurements may lack one that tells series apart. */
function noteConflict(
  { field, tags }: FieldSeries,
  { name, isCombined }: DecodeOptions,
  rejected: RejectedValues,
): void {
  if (isCombined === true)
    throw new ApiError('schema', 'the answer lacks the columns of its series: two values are of one time')
  const node = (tags.get('host') ?? tags.get('node_id') ?? '').slice(0, MAX_REJECTED_CHARACTERS)
  rejected.add({ attribute: name, reason: 'duplicate', node, text: field })
}

function isSameSeries(a: readonly unknown[], b: readonly unknown[], columns: Columns): boolean {
  const { field, measurement, tags } = columns
  const isSame = (index: number) => a[index] === b[index]
  return isSame(field) && isSame(measurement) && tags.every(([, index]) => isSame(index))
}

function nodeOf(row: readonly unknown[], { tags }: Columns): string {
  const index = new Map(tags)
  return readText(row[index.get('host') ?? -1]) ?? readText(row[index.get('node_id') ?? -1]) ?? ''
}

/** Linux has the speed -1 for an interface without a link: it is absent, not rejected. */
function readValue(cell: unknown, field: string): Read<number> {
  const value = readNumber(cell, VALUE_RANGE)
  if (value === undefined) return new Unreadable('shape', 'a row without a value')
  const isNegative = value instanceof Unreadable && value.rejection === 'negative'
  return isNegative && field === NETWORK_FIELDS.speed ? undefined : value
}

/**
 * Sorted by time. Points with the same time and value are copies of several stores. Of points with the same time and
 * different values, none is used.
 */
function inOrder(series: GrowingSeries, onConflict: () => void): FieldSeries {
  if (isAscending(series.points)) return series
  const byTime = new Map<number, number>()
  const conflicts = new Set<number>()
  for (const { t, value } of series.points) {
    const other = byTime.get(t) ?? Number.NaN
    if (Number.isNaN(other)) byTime.set(t, value)
    else if (value !== other && !Number.isNaN(value)) conflicts.add(t)
  }
  conflicts.forEach(onConflict)
  const sorted = [...byTime]
    .map(([t, value]) => ({ t, value: conflicts.has(t) ? Number.NaN : value }))
    .sort((a, b) => a.t - b.t)
  return {
    ...series,
    points: sorted.filter((point, index) => isReadable(point) || index === sorted.length - 1),
  }
}

/** Whether the points are in order already, which is the usual case. */
function isAscending(points: readonly Point[]): boolean {
  return points.every(
    (point, index) =>
      (isReadable(point) || index === points.length - 1) && !((points[index + 1]?.t ?? Infinity) <= point.t),
  )
}

const NEEDED = ['_stop', '_time', '_value', '_field', '_measurement'] as const
/** Columns that are not tags. `result` exists in CSV only. */
const NO_TAGS: readonly string[] = [...NEEDED, '_start', 'table', 'result']

/** Indexes of the columns of rows. */
type Columns = ReturnType<typeof columnsOf>

/** An answer of a real system has fewer than 20. */
const MAX_COLUMNS = 100

/** @throws {ApiError} `schema` for missing columns, `too_large` for too many */
function columnsOf(names: readonly unknown[], { tags, isOfSystem = false }: DecodeOptions) {
  if (names.length > MAX_COLUMNS)
    throw new ApiError('too_large', `the answer to a query has more than ${MAX_COLUMNS} columns, the maximum`)
  const indexes = new Map(names.map((name, index) => [readText(name) ?? '', index]))
  const missing = [...NEEDED, ...tags].filter((name) => !indexes.has(name))
  if (!isOfSystem && !indexes.has('node_id') && !indexes.has('host')) missing.push('node_id')
  if (missing.length > 0)
    throw new ApiError('schema', `the answer to a query lacks the columns ${missing.join(', ')}`)
  const index = (name: string) => indexes.get(name) ?? -1
  return {
    count: names.length,
    stop: index('_stop'),
    start: indexes.get('_start'),
    time: index('_time'),
    value: index('_value'),
    field: index('_field'),
    measurement: index('_measurement'),
    /** Sorted by name, so that the key of a series does not depend on the order of columns. */
    tags: [...indexes]
      .filter(([name]) => name !== '' && !NO_TAGS.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/

/** Reads a time in seconds since the epoch; undefined if it is unreadable. */
type ReadTime = (value: unknown) => number | undefined

/**
 * Creates a reader of RFC 3339 times with up to nine decimals. Most rows of an answer repeat a few times, so results
 * are remembered. A time without a zone is UTC: an example of the administration guide lacks the `Z`.
 */
function timeReader(): ReadTime {
  const known = new Map<string, number | undefined>()
  let last: { readonly text: string; readonly seconds: number | undefined } | undefined
  return (value) => {
    // Compared with the row before, because a text of the map must be hashed.
    if (last !== undefined && value === last.text) return last.seconds
    if (typeof value !== 'string') return undefined
    const seconds = known.has(value) ? known.get(value) : parseTime(value)
    known.set(value, seconds)
    last = { text: value, seconds }
    return seconds
  }
}

function parseTime(text: string): number | undefined {
  const match = TIME.exec(text.trim())
  if (match === null) return undefined
  const ms = Date.parse(match[2] === undefined ? `${match[0]}Z` : match[0])
  return isPlausible(ms / 1000, TIME_RANGE) ? ms / 1000 : undefined
}
