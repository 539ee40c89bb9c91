import { QueryError } from '../../protocol/errors.ts'

export type TokenKind = 'name' | 'string' | 'time' | 'duration' | 'number' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** Of a string: its content. */
  readonly text: string
  /** Of its first character. */
  readonly offset: number
}

const BLANK = /(?:\s|\/\/[^\n]*)*/y
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['time', /\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?/y],
  ['duration', /-?(?:\d+(?:ns|us|ms|mo|[smhdwy]))+/y],
  ['number', /-?\d+(?:\.\d+)?/y],
  ['name', /[A-Za-z_]\w*/y],
  ['string', /"(?:[^"\\]|\\.)*"/y],
  ['symbol', /\|>|=>|==|!=|=~|!~|[()[\]{}:,.=]/y],
]
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The tokens of a script, with one of kind `end` as the last. @throws QueryError 500 for text that is no token */
export function tokensOf(script: string): Token[] {
  const tokens: Token[] = []
  let offset = skipBlanks(script, 0)
  while (offset < script.length) {
    const [kind, raw] = tokenAt(script, offset) ?? fail(script, offset)
    tokens.push({ kind, text: contentOf(kind, raw), offset })
    offset = skipBlanks(script, offset + raw.length)
  }
  tokens.push({ kind: 'end', text: 'end of the query', offset })
  return tokens
}

function skipBlanks(script: string, offset: number): number {
  BLANK.lastIndex = offset
  return offset + (BLANK.exec(script)?.[0].length ?? 0)
}

function tokenAt(script: string, offset: number): [TokenKind, string] | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = offset
    const text = pattern.exec(script)?.[0]
    if (text !== undefined) return [kind, text]
  }
  return undefined
}

function contentOf(kind: TokenKind, raw: string): string {
  if (kind !== 'string') return raw
  return raw.slice(1, -1).replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character)
}

/** The error of a script that is no query, with line and column, from 1. */
export function compileError(script: string, offset: number, problem: string): QueryError {
  const before = script.slice(0, offset)
  const [line, column] = [before.split('\n').length, offset - before.lastIndexOf('\n')]
  return new QueryError(`failed to compile query: loc ${line}:${column}: ${problem}`)
}

function fail(script: string, offset: number): never {
  throw compileError(script, offset, `unexpected character ${JSON.stringify(script.charAt(offset))}`)
}
