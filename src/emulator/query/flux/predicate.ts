import type { Cursor } from './cursor.ts'
import type { Predicate } from './pipeline.ts'

const MAX_DEPTH = 100

/** Parses `(r) => r.name == "text" and (… or …)`. A column that a series does not have fulfils no comparison. */
export function parsePredicate(cursor: Cursor): Predicate {
  cursor.expect('(')
  const row = cursor.name()
  cursor.expect(')')
  cursor.expect('=>')
  return parseAlternatives({ cursor, row, depth: 0 })
}

interface Context {
  readonly cursor: Cursor
  /** Name of the parameter that is the row. */
  readonly row: string
  readonly depth: number
}

function parseAlternatives(context: Context): Predicate {
  const terms = parseSeparated(context, 'or', parseConjunction)
  const [only] = terms
  if (terms.length === 1 && only !== undefined) return only
  return (columns) => terms.some((term) => term(columns))
}

function parseConjunction(context: Context): Predicate {
  const terms = parseSeparated(context, 'and', parseTerm)
  const [only] = terms
  if (terms.length === 1 && only !== undefined) return only
  return (columns) => terms.every((term) => term(columns))
}

function parseSeparated(
  context: Context,
  separator: 'and' | 'or',
  parse: (context: Context) => Predicate,
): Predicate[] {
  const { cursor } = context
  const terms = [parse(context)]
  while (cursor.peek().kind === 'name' && cursor.peek().text === separator) {
    cursor.next()
    terms.push(parse(context))
  }
  return terms
}

function parseTerm(context: Context): Predicate {
  const { cursor, depth } = context
  if (!cursor.accept('(')) return parseComparison(context)
  if (depth >= MAX_DEPTH) return cursor.fail('too many nested parentheses')
  const inner = parseAlternatives({ ...context, depth: depth + 1 })
  cursor.expect(')')
  return inner
}

function parseComparison({ cursor, row }: Context): Predicate {
  const name = parseColumn(cursor, row)
  const { text: operator } = cursor.next()
  if (operator !== '==' && operator !== '!=') return cursor.fail(`operator ${operator} is not supported`)
  const expected = cursor.text('string')
  const isEqual = operator === '=='
  return (columns) => Object.hasOwn(columns, name) && (columns[name] === expected) === isEqual
}

/** `r.name` or `r["name"]`. */
function parseColumn(cursor: Cursor, row: string): string {
  const name = cursor.name()
  if (name !== row) return cursor.fail(`undefined identifier ${name}`)
  if (cursor.accept('.')) return cursor.name()
  cursor.expect('[')
  const column = cursor.text('string')
  cursor.expect(']')
  return column
}
