import { MS_PER_SECOND } from '../../../time_units.ts'
import { QueryError } from '../../protocol/errors.ts'
import { ALLOWED_OPERATIONS, type Settings } from '../../protocol/settings.ts'
import { type Cursor, cursorOf } from './cursor.ts'
import {
  type FluxOperation,
  type FluxRange,
  type Pipeline,
  type Predicate,
  REFUSED_FUNCTIONS,
  type TimeExpression,
} from './pipeline.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const NANOSECOND_DIGITS = 9
const MAX_DEPTH = 100

/**
 * Parses `from(bucket: "B") |> range(start: -20m) |> filter(fn: (r) => …) |> last() |> keep(columns: […])`.
 *
 * @throws QueryError 500 for a syntax error, and for a function that exists and is not allowed
 */
export function parseFlux(script: string, settings: Settings): Pipeline {
  const cursor = cursorOf(script)
  const source = cursor.name()
  if (source !== 'from') return refuse(cursor, source, settings)
  const { bucket } = parseArguments(cursor, { bucket: cursor.string })
  if (bucket === undefined) return cursor.fail('missing required argument bucket')
  const { range, ...operations } = parseOperations(cursor, settings)
  cursor.expectEnd()
  if (range === undefined) {
    throw new QueryError(
      `error in building plan while starting program: cannot submit unbounded read to "${bucket}"; ` +
        "try bounding 'from' with a call to 'range'",
    )
  }
  return { bucket, range, ...operations }
}

/** A range after another operation than a filter bounds nothing. */
function parseOperations(cursor: Cursor, settings: Settings) {
  let range: FluxRange | undefined
  const filters: Predicate[] = []
  const rest: FluxOperation[] = []
  while (cursor.accept('|>')) {
    const name = cursor.name()
    if (name === settings['refused-operation']) return refuse(cursor, name, settings)
    if (name === 'range') {
      if (range !== undefined) return cursor.fail('two ranges')
      const parsed = parseRange(cursor, settings)
      if (rest.length === 0) range = parsed
      continue
    }
    const operation = parseOperation(cursor, name, settings)
    if (operation.name === 'filter' && rest.length === 0) filters.push(operation.accepts)
    else rest.push(operation)
  }
  return { range, filters, rest }
}

function parseRange(cursor: Cursor, settings: Settings): FluxRange {
  const time = () => parseTime(cursor, settings)
  const { start, stop } = parseArguments(cursor, { start: time, stop: time })
  return {
    start: start ?? cursor.fail('missing required argument start'),
    stop: stop ?? { relativeSeconds: 0 },
  }
}

function parseOperation(cursor: Cursor, name: string, settings: Settings): FluxOperation {
  switch (name) {
    case 'filter': {
      const { fn } = parseArguments(cursor, { fn: () => parsePredicate(cursor) })
      return { name, accepts: fn ?? cursor.fail('missing required argument fn') }
    }
    case 'last':
      parseArguments(cursor, { column: cursor.string })
      return { name }
    case 'keep':
    case 'drop': {
      const { columns } = parseArguments(cursor, { columns: () => parseStrings(cursor) })
      return { name, columns: columns ?? cursor.fail('missing required argument columns') }
    }
    default:
      return refuse(cursor, name, settings)
  }
}

/** @throws QueryError in the words for a function that exists, or for any other name */
function refuse(cursor: Cursor, name: string, { 'refused-operation': refused }: Settings): never {
  if (!REFUSED_FUNCTIONS.has(name) && name !== refused) return cursor.fail(`undefined identifier ${name}`)
  const allowed = ALLOWED_OPERATIONS.filter((operation) => operation !== refused)
  throw new QueryError(`operation '${name}' is not allowed. Allowed operations: ${allowed.join(', ')}`)
}

/** A duration such as `-1h30m`, or a time of RFC 3339. */
function parseTime(cursor: Cursor, settings: Settings): TimeExpression {
  const time = cursor.take('time')
  if (time !== undefined) {
    const [, fraction = ''] = /\.(\d+)/.exec(time) ?? []
    const seconds = Date.parse(time.replace(/\.\d+/, '')) / MS_PER_SECOND
    const isRefused = settings['absolute-refused'] !== undefined
    if (isRefused || !Number.isFinite(seconds)) return cursor.fail(`${time} is not a duration`)
    return { absolute: { seconds, nanoseconds: Number(fraction.padEnd(NANOSECOND_DIGITS, '0')) } }
  }
  const duration = cursor.take('duration') ?? cursor.fail('expected a duration or a time')
  let seconds = 0
  for (const [, count, unit = ''] of duration.matchAll(/(\d+)([a-z]+)/g)) {
    seconds += Number(count) * (SECONDS[unit] ?? cursor.fail(`unit of "${duration}"`))
  }
  return { relativeSeconds: duration.startsWith('-') ? -seconds : seconds }
}

function parseStrings(cursor: Cursor): string[] {
  const strings: string[] = []
  cursor.expect('[')
  while (!cursor.accept(']')) {
    if (strings.length > 0) cursor.expect(',')
    strings.push(cursor.string())
  }
  return strings
}

/** Parses `(name: value, …)`. Arguments that were not given are absent. */
function parseArguments<T extends Record<string, () => unknown>>(
  cursor: Cursor,
  parsers: T,
): { [Name in keyof T]?: ReturnType<T[Name]> } {
  const values: Record<string, unknown> = {}
  cursor.expect('(')
  while (!cursor.accept(')')) {
    if (Object.keys(values).length > 0) cursor.expect(',')
    const name = cursor.name()
    cursor.expect(':')
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined
    if (parse === undefined || name in values) return cursor.fail(`unexpected argument ${name}`)
    values[name] = parse()
  }
  return values as { [Name in keyof T]?: ReturnType<T[Name]> }
}

/** Parses `(r) => r.name == "text" and (… or …)`. A column that a series does not have fulfils no comparison. */
function parsePredicate(cursor: Cursor): Predicate {
  cursor.expect('(')
  const row = cursor.name()
  cursor.expect(')')
  cursor.expect('=>')
  return parseTerms(cursor, row, 0)
}

/** Comparisons with `and` and `or`; `and` binds stronger. */
function parseTerms(cursor: Cursor, row: string, depth: number): Predicate {
  const alternatives: Predicate[][] = []
  do {
    const terms: Predicate[] = []
    do terms.push(parseTerm(cursor, row, depth))
    while (cursor.accept('and'))
    alternatives.push(terms)
  } while (cursor.accept('or'))
  return (columns) => alternatives.some((terms) => terms.every((term) => term(columns)))
}

function parseTerm(cursor: Cursor, row: string, depth: number): Predicate {
  if (cursor.accept('(')) {
    if (depth >= MAX_DEPTH) return cursor.fail('too many nested parentheses')
    const inner = parseTerms(cursor, row, depth + 1)
    cursor.expect(')')
    return inner
  }
  const name = parseColumn(cursor, row)
  const isEqual = cursor.accept('==')
  if (!isEqual) cursor.expect('!=')
  const expected = cursor.string()
  return (columns) => Object.hasOwn(columns, name) && (columns[name] === expected) === isEqual
}

/** `r.name` or `r["name"]`. */
function parseColumn(cursor: Cursor, row: string): string {
  const name = cursor.name()
  if (name !== row) return cursor.fail(`undefined identifier ${name}`)
  if (cursor.accept('.')) return cursor.name()
  cursor.expect('[')
  const column = cursor.string()
  cursor.expect(']')
  return column
}
