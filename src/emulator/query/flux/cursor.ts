import { compileError, type Token, type TokenKind, tokensOf } from './tokens.ts'

/** Reads the tokens of a script in order. All functions throw QueryError 500 for an unexpected token. */
export interface Cursor {
  readonly peek: () => Token
  readonly next: () => Token
  /** Reads this symbol if it comes next. */
  readonly accept: (symbol: string) => boolean
  readonly expect: (symbol: string) => void
  /** Reads a token of a kind and returns its text. */
  readonly text: (kind: TokenKind) => string
  readonly name: () => string
  readonly expectEnd: () => void
  /** Reads from an opening bracket to the closing one. */
  readonly skipBrackets: () => void
  /** Refuses the query at the token that was read last. */
  readonly fail: (problem: string) => never
}

const OPENING = ['(', '[', '{']
const CLOSING = [')', ']', '}']

export function cursorOf(script: string): Cursor {
  const tokens = tokensOf(script)
  let position = 0
  const peek = () => tokens[Math.min(position, tokens.length - 1)] as Token
  const fail = (problem: string): never => {
    const { offset } = tokens[Math.max(0, Math.min(position, tokens.length) - 1)] as Token
    throw compileError(script, offset, problem)
  }
  const next = () => {
    const token = peek()
    position++
    return token
  }
  const accept = (symbol: string) => {
    const { kind, text } = peek()
    if (kind !== 'symbol' || text !== symbol) return false
    position++
    return true
  }
  const text = (kind: TokenKind) => {
    const token = next()
    return token.kind === kind ? token.text : fail(`expected ${kind}, got ${token.text}`)
  }
  return {
    peek,
    next,
    accept,
    text,
    fail,
    expect: (symbol) => {
      const token = next()
      if (token.kind !== 'symbol' || token.text !== symbol) fail(`expected ${symbol}, got ${token.text}`)
    },
    name: () => text('name'),
    expectEnd: () => void text('end'),
    skipBrackets: () => {
      if (peek().text !== '(') fail(`expected (, got ${peek().text}`)
      let depth = 0
      do {
        const { kind, text: symbol } = next()
        if (kind === 'end') fail('unbalanced brackets')
        if (kind === 'symbol' && OPENING.includes(symbol)) depth++
        if (kind === 'symbol' && CLOSING.includes(symbol)) depth--
      } while (depth > 0)
    },
  }
}
