import { QueryError } from '../../protocol/errors.ts'

const PATTERNS = {
  blanks: /(?:\s|\/\/[^\n]*)*/y,
  name: /[A-Za-z_]\w*/y,
  string: /"(?:[^"\\]|\\.)*"/y,
  time: /\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?/y,
  duration: /-?(?:\d+[a-z]+)+/y,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

export type Cursor = ReturnType<typeof cursorOf>

/** Reads a script from its start to its end. What it cannot read is refused with QueryError 500. */
export function cursorOf(script: string) {
  let offset = 0
  let before = 0
  /** Refuses the query at the text that was read last. */
  const fail = (problem: string, at = before): never => {
    const lines = script.slice(0, at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    throw new QueryError(`failed to compile query: loc ${lines.length}:${column}: ${problem}`)
  }
  const advance = (length: number) => {
    before = offset
    PATTERNS.blanks.lastIndex = offset + length
    offset += length + (PATTERNS.blanks.exec(script)?.[0].length ?? 0)
  }
  const take = (kind: keyof typeof PATTERNS) => {
    PATTERNS[kind].lastIndex = offset
    const text = PATTERNS[kind].exec(script)?.[0]
    if (text !== undefined) advance(text.length)
    return text
  }
  const accept = (symbol: string) => {
    const end = offset + symbol.length
    const isPart = /\w$/.test(symbol) && /\w/.test(script.charAt(end))
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
