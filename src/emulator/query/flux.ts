import { MS_PER_SECOND } from '../../time_units.ts'
import { QueryError } from '../protocol/errors.ts'
import { ALLOWED_OPERATIONS, type Settings } from '../protocol/settings.ts'

/** A query: `from(bucket: …) |> range(…) |> …`. */
export interface FluxQuery {
  readonly bucket: string
  readonly range: FluxRange
  /** The filters before every other operation. */
  readonly filters: readonly Predicate[]
  readonly rest: readonly FluxOperation[]
}

export type FluxRange = Readonly<Record<'start' | 'stop', FluxTime>>
type FluxTime = { readonly relativeSeconds: number } | { readonly absolute: Instant }

/** Seconds since the epoch, and nanoseconds of that second. */
export interface Instant {
  readonly seconds: number
  readonly nanoseconds: number
}

export type FluxOperation =
  | { readonly name: 'filter'; readonly accepts: Predicate }
  | { readonly name: 'last' }
  | { readonly name: 'keep' | 'drop'; readonly columns: readonly string[] }

/** Decides by `_field`, `_measurement` and the tags of a series. */
type Predicate = (columns: Readonly<Record<string, string>>) => boolean

/** Functions of the language that exist and are refused. All other names are compile errors. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(
  `aggregateWindow bottom buckets columns contains count covariance cumulativeSum derivative difference distinct
   duplicate elapsed fill first group histogram histogramQuantile increase integral join keys keyValues
   kaufmansAMA limit map max mean median min mode movingAverage pivot pearsonr percentile quantile reduce rename
   sample set shift skew sort spread stateCount stateDuration stddev sum tail timeShift to top union unique window
   yield`.split(/\s+/),
)
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const NANOSECOND_DIGITS = 9
const MAX_DEPTH = 100

/**
 * Parses `from(bucket: "B") |> range(start: -20m) |> filter(fn: (r) => …) |> last() |> keep(columns: […])`.
 *
 * @throws QueryError 500 for a syntax error, and for a function that exists and is not allowed
 */
export function parseFlux(script: string, settings: Settings): FluxQuery {
  const cursor = cursorOf(script)
  const source = cursor.name()
  if (source !== 'from') return refuse(cursor, source, settings)
  const { bucket } = parseArguments(cursor, { bucket: cursor.string })
  const filters: Predicate[] = []
  const rest: FluxOperation[] = []
  let range: FluxRange | undefined
  while (cursor.accept('|>')) {
    const operation = parseOperation(cursor, settings)
    if ('range' in operation) {
      if (range !== undefined) return cursor.fail('two ranges')
      // After another operation than a filter it bounds nothing.
      if (rest.length === 0) range = operation.range
    } else if (operation.name === 'filter' && rest.length === 0) filters.push(operation.accepts)
    else rest.push(operation)
  }
  cursor.expectEnd()
  if (range !== undefined) return { bucket, range, filters, rest }
  throw new QueryError(
    `error in building plan while starting program: cannot submit unbounded read to "${bucket}"; ` +
      "try bounding 'from' with a call to 'range'",
  )
}

function parseOperation(
  cursor: Cursor,
  settings: Settings,
): FluxOperation | { readonly name: 'range'; readonly range: FluxRange } {
  const name = cursor.name()
  if (name === settings['refused-operation']) return refuse(cursor, name, settings)
  const time = () => parseTime(cursor, settings)
  switch (name) {
    case 'range':
      return {
        name,
        range: parseArguments(cursor, { start: time, stop: time }, { stop: { relativeSeconds: 0 } }),
      }
    case 'filter':
      return { name, accepts: parseArguments(cursor, { fn: () => parsePredicate(cursor) }).fn }
    case 'last':
      parseArguments(cursor, { column: cursor.string }, { column: '_value' })
      return { name }
    case 'keep':
    case 'drop':
      return { name, ...parseArguments(cursor, { columns: () => parseStrings(cursor) }) }
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

/** Parses `(name: value, …)`. */
function parseArguments<T extends Record<string, unknown>>(
  cursor: Cursor,
  parsers: { readonly [Name in keyof T]: () => T[Name] },
  defaults: Partial<T> = {},
): T {
  const values: Partial<T> = {}
  cursor.expect('(')
  while (!cursor.accept(')')) {
    if (Object.keys(values).length > 0) cursor.expect(',')
    const name: keyof T & string = cursor.name()
    cursor.expect(':')
    if (!Object.hasOwn(parsers, name) || name in values) return cursor.fail(`unexpected argument ${name}`)
    values[name] = parsers[name]()
  }
  const all = { ...defaults, ...values }
  const missing = Object.keys(parsers).find((name) => !Object.hasOwn(all, name))
  return missing === undefined ? (all as T) : cursor.fail(`missing required argument ${missing}`)
}

/** A duration such as `-1h30m`, or a time of RFC 3339. */
function parseTime(cursor: Cursor, settings: Settings): FluxTime {
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
  for (const [, count, unit = ''] of duration.matchAll(/(\d+)([a-z]+)/g))
    seconds += Number(count) * (SECONDS[unit] ?? cursor.fail(`unit of "${duration}"`))
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

/** `r.name == "text"`, `r["name"] != "text"`, or terms in parentheses. */
function parseTerm(cursor: Cursor, row: string, depth: number): Predicate {
  if (cursor.accept('(')) {
    if (depth >= MAX_DEPTH) return cursor.fail('too many nested parentheses')
    const inner = parseTerms(cursor, row, depth + 1)
    cursor.expect(')')
    return inner
  }
  const found = cursor.name()
  if (found !== row) return cursor.fail(`undefined identifier ${found}`)
  const isMember = cursor.accept('.')
  if (!isMember) cursor.expect('[')
  const name = isMember ? cursor.name() : cursor.string()
  if (!isMember) cursor.expect(']')
  const isEqual = cursor.accept('==')
  if (!isEqual) cursor.expect('!=')
  const expected = cursor.string()
  return (columns) => Object.hasOwn(columns, name) && (columns[name] === expected) === isEqual
}

const PATTERNS = {
  blanks: /(?:\s|\/\/[^\n]*)*/y,
  name: /[A-Za-z_]\w*/y,
  string: /"(?:[^"\\]|\\.)*"/y,
  time: /\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?/y,
  duration: /-?(?:\d+[a-z]+)+/y,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

type Cursor = ReturnType<typeof cursorOf>

/** Reads a script from its start to its end. What it cannot read is refused with QueryError 500. */
function cursorOf(script: string) {
  let offset = 0
  let before = 0
  /** Refuses the query at the text that was read last. */
  const fail = (problem: string, at = before): never => {
    const lines = script.slice(0, at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    throw new QueryError(`failed to compile query: loc ${lines.length}:${column}: ${problem}`)
  }
  const match = (kind: keyof typeof PATTERNS, at: number) => {
    PATTERNS[kind].lastIndex = at
    return PATTERNS[kind].exec(script)?.[0]
  }
  const advance = (length: number) => {
    before = offset
    offset += length
    offset += match('blanks', offset)?.length ?? 0
  }
  const take = (kind: keyof typeof PATTERNS) => {
    const text = match(kind, offset)
    if (text !== undefined) advance(text.length)
    return text
  }
  const accept = (symbol: string) => {
    const isPart = /\w$/.test(symbol) && /\w/.test(script.charAt(offset + symbol.length))
    const isNext = script.startsWith(symbol, offset) && !isPart
    if (isNext) advance(symbol.length)
    return isNext
  }
  const unexpected = () => {
    const found =
      offset < script.length ? `character ${JSON.stringify(script.charAt(offset))}` : 'end of the query'
    return fail(`unexpected ${found}`, offset)
  }
  advance(0)
  return {
    fail,
    /** The next text of a kind, if it is one. */
    take,
    /** Reads this symbol or word if it comes next. */
    accept,
    expect: (symbol: string) => void (accept(symbol) || unexpected()),
    name: () => take('name') ?? unexpected(),
    /** The content of a string. */
    string: () => {
      const raw = take('string') ?? unexpected()
      return raw.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character)
    },
    expectEnd: () => void (offset < script.length && unexpected()),
  }
}
