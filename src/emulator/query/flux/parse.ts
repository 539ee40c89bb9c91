import { QueryError } from '../../protocol/errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { type Cursor, cursorOf } from './cursor.ts'
import {
  ALLOWED_OPERATIONS,
  type Operation,
  type Pipeline,
  REFUSED_FUNCTIONS,
  type TimeExpression,
} from './pipeline.ts'
import { parsePredicate } from './predicate.ts'
import { parseInstant, secondsOf } from './time.ts'

type ParseOptions = Pick<Settings, 'refusedOperations' | 'refusesAbsolute'>

/**
 * Parses `from(bucket: "B") |> range(start: -20m) |> filter(fn: (r) => …) |> last() |> keep(columns: […])`.
 *
 * @throws QueryError 500 for a syntax error, and for a function that exists and is not allowed
 */
export function parseFlux(script: string, options: ParseOptions): Pipeline {
  const cursor = cursorOf(script)
  const refused: string[] = []
  const bucket = parseSource(cursor, refused)
  const operations: Operation[] = []
  while (cursor.accept('|>')) {
    const operation = parseOperation(cursor, refused, options)
    if (operation === undefined) continue
    operations.push(operation)
    if (options.refusedOperations.includes(operation.name)) refused.push(operation.name)
  }
  cursor.expectEnd()
  const [first] = refused
  if (first !== undefined) throw notAllowed(first, options)
  return { bucket, operations }
}

function parseSource(cursor: Cursor, refused: string[]): string {
  const name = cursor.name()
  if (name !== 'from') return skipCall(cursor, name, refused)
  const { bucket } = parseArguments(cursor, { bucket: () => cursor.text('string') })
  return bucket ?? cursor.fail('missing required argument bucket')
}

function parseOperation(cursor: Cursor, refused: string[], options: ParseOptions): Operation | undefined {
  const name = cursor.name()
  switch (name) {
    case 'range':
      return parseRange(cursor, options)
    case 'filter': {
      const { fn } = parseArguments(cursor, { fn: () => parsePredicate(cursor) })
      return { name, accepts: fn ?? cursor.fail('missing required argument fn') }
    }
    case 'last':
      parseArguments(cursor, { column: () => cursor.text('string') })
      return { name }
    case 'keep':
    case 'drop': {
      const { columns } = parseArguments(cursor, { columns: () => parseStrings(cursor) })
      return { name, columns: columns ?? cursor.fail('missing required argument columns') }
    }
    default:
      skipCall(cursor, name, refused)
      return undefined
  }
}

function parseRange(cursor: Cursor, options: ParseOptions): Operation {
  const { start, stop } = parseArguments(cursor, {
    start: () => parseTime(cursor, options),
    stop: () => parseTime(cursor, options),
  })
  return { name: 'range', start: start ?? cursor.fail('missing required argument start'), stop }
}

function parseTime(cursor: Cursor, { refusesAbsolute }: ParseOptions): TimeExpression {
  const { kind, text } = cursor.next()
  if (kind === 'duration') return { relativeSeconds: secondsOf(text) ?? cursor.fail(`unit of "${text}"`) }
  if (kind === 'time' && !refusesAbsolute)
    return { absolute: parseInstant(text) ?? cursor.fail(`"${text}" is not a time`) }
  return cursor.fail(`expected a duration or a time, got ${text}`)
}

function parseStrings(cursor: Cursor): string[] {
  const strings: string[] = []
  cursor.expect('[')
  while (!cursor.accept(']')) {
    if (strings.length > 0) cursor.expect(',')
    strings.push(cursor.text('string'))
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

/** Skips the call of a function that is not allowed: its arguments may have any content with balanced brackets. */
function skipCall(cursor: Cursor, name: string, refused: string[]): string {
  if (!REFUSED_FUNCTIONS.has(name)) return cursor.fail(`undefined identifier ${name}`)
  refused.push(name)
  cursor.skipBrackets()
  return ''
}

function notAllowed(name: string, { refusedOperations }: ParseOptions): QueryError {
  const allowed = ALLOWED_OPERATIONS.filter((operation) => !refusedOperations.includes(operation))
  return new QueryError(`operation '${name}' is not allowed. Allowed operations: ${allowed.join(', ')}`)
}
