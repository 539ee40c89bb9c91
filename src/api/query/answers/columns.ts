import { TIME_RANGE } from '../../../catalogue.ts'
import { ApiError } from '../../errors/errors.ts'
import { isPlausible, readText } from '../../parse/json.ts'

const NEEDED = ['_stop', '_time', '_value', '_field', '_measurement'] as const
/** Columns that are not tags. `result` exists in CSV only. */
const NO_TAGS: readonly string[] = [...NEEDED, '_start', 'table', 'result']

/** Indexes of the columns of rows. */
export type Columns = ReturnType<typeof columnsOf>

/** An answer of a real system has fewer than 20. */
const MAX_COLUMNS = 100

/** What an answer must have. */
export interface NeededColumns {
  /** Tags without which the rows cannot be told apart. */
  readonly tags: readonly string[]
  /** Whether the rows are of the whole system: others need a column with the node. */
  readonly isOfSystem?: boolean
}

/** @throws {ApiError} `schema` for missing columns, `too_large` for too many */
export function columnsOf(names: readonly unknown[], { tags, isOfSystem = false }: NeededColumns) {
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
export function timeReader(): ReadTime {
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
