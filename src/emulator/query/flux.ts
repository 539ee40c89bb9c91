import { MS_PER_SECOND } from '../../time_units.ts'
import { QueryError } from '../protocol/errors.ts'
import { ALLOWED_OPERATIONS, type Settings } from '../protocol/settings.ts'

/** A query: `from(bucket: …) |> range(…) |> filter(…) |> …`. */
export interface FluxQuery {
  readonly bucket: string
  readonly range: FluxRange
  readonly filters: readonly Predicate[]
  /** What follows range and filters, in order. */
  readonly operations: readonly FluxOperation[]
}

/** Seconds since the epoch, with fractions. */
export type FluxRange = Readonly<Record<'start' | 'stop', number>>

export type FluxOperation =
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
const MAX_DEPTH = 100

/**
 * Parses `from(bucket: "B") |> range(start: -20m) |> filter(fn: (r) => …) |> last() |> keep(columns: […])`.
 *
 * @param now seconds since the epoch, with fractions
 * @throws QueryError 500 for a syntax error, and for a function that exists and is not allowed
 */
export function parseFlux(script: string, settings: Settings, now: number): FluxQuery {
  const cursor = cursorOf(script)
  const source = cursor.name()
  if (source !== 'from') return refuse(cursor, source, settings)
  const { bucket } = parseArguments(cursor, { bucket: cursor.string })
  const filters: Predicate[] = []
  const operations: FluxOperation[] = []
  let range: FluxRange | undefined
  while (cursor.accept('|>')) {
    const name = cursor.name()
    if (name === settings['refused-operation']) return refuse(cursor, name, settings)
    if (name === 'range') {
      const time = () => parseTime(cursor, settings, now)
      range = parseArguments<FluxRange>(cursor, { start: time, stop: time }, { stop: now })
    } else if (name === 'filter') {
      filters.push(parseArguments(cursor, { fn: () => parsePredicate(cursor) }).fn)
    } else if (name === 'last') {
      parseArguments(cursor, { column: cursor.string }, { column: '_value' })
      operations.push({ name })
    } else if (name === 'keep' || name === 'drop') {
      operations.push({ name, ...parseArguments(cursor, { columns: () => parseStrings(cursor) }) })
    } else return refuse(cursor, name, settings)
  }
  cursor.expectEnd()
  if (range !== undefined) return { bucket, range, filters, operations }
  throw new QueryError(
    `error in building plan while starting program: cannot submit unbounded read to "${bucket}"; ` +
      "try bounding 'from' with a call to 'range'",
  )
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

/** A duration such as `-1h30m` from now, or a time of RFC 3339. */
function parseTime(cursor: Cursor, settings: Settings, now: number): number {
  const time = cursor.take('time')
  if (time !== undefined) {
    const seconds = Date.parse(time) / MS_PER_SECOND
    const isRefused = settings['absolute-refused'] !== undefined
    return isRefused || !Number.isFinite(seconds) ? cursor.fail(`${time} is not a duration`) : seconds
  }
  const duration = cursor.take('duration') ?? cursor.fail('expected a duration or a time')
  let seconds = 0
  for (const [, count, unit = ''] of duration.matchAll(/(\d+)([a-z]+)/g))
    seconds += Number(count) * (SECONDS[unit] ?? cursor.fail(`unit of "${duration}"`))
  return now + (duration.startsWith('-') ? -seconds : seconds)
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

/** A text, and the blanks and comments after it. */
const token = (text: RegExp) => new RegExp(`(${text.source})(?:\\s|//[^\\n]*)*`, 'y')
const TOKENS = {
  nothing: token(/(?:)/),
  name: token(/[A-Za-z_]\w*/),
  string: token(/"(?:[^"\\]|\\.)*"/),
  time: token(/\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?/),
  duration: token(/-?(?:\d+[a-z]+)+/),
  symbol: token(/\|>|=>|==|!=|[()[\]:,.]|and\b|or\b/),
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

type Cursor = ReturnType<typeof cursorOf>

/** Reads a script from its start to its end. What it cannot read is refused with QueryError 500. */
function cursorOf(script: string) {
  let [offset, before] = [0, 0]
  /** Refuses the query at the text that was read last. */
  const fail = (problem: string, at = before): never => {
    const lines = script.slice(0, at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    throw new QueryError(`failed to compile query: loc ${lines.length}:${column}: ${problem}`)
  }
  /** The next text, if it is of the kind, and the wanted one. */
  const take = (kind: keyof typeof TOKENS, wanted?: string) => {
    TOKENS[kind].lastIndex = offset
    const [whole = '', text] = TOKENS[kind].exec(script) ?? []
    if (text === undefined || (wanted !== undefined && text !== wanted)) return undefined
    before = offset
    offset += whole.length
    return text
  }
  const accept = (symbol: string) => take('symbol', symbol) !== undefined
  const unexpected = () => {
    const isEnd = offset >= script.length
    const found = isEnd ? 'end of the query' : `character ${JSON.stringify(script.charAt(offset))}`
    return fail(`unexpected ${found}`, offset)
  }
  take('nothing')
  return {
    fail,
    take,
    accept,
    expect: (symbol: string) => void (accept(symbol) || unexpected()),
    name: () => take('name') ?? unexpected(),
    string: () => {
      const raw = take('string') ?? unexpected()
      return raw.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character)
    },
    expectEnd: () => void (offset < script.length && unexpected()),
  }
}
