import { ApiError } from '../../errors/errors.ts'
import { readText } from '../../parse/json.ts'

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
