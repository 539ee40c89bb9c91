import {
  CST,
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import { ConfigError, type Position } from './problems.ts'

export interface YamlText {
  readonly data: unknown
  /** The position of the key or element at the end of a path; of the innermost one around it if that is missing. */
  positionOf(path: readonly PropertyKey[]): Position | undefined
}

/** Keys and values of a file, with aliases expanded. A system of a configuration has about 20. */
const MAX_VALUES = 20_000

/** Tokens of a file except blanks and comments: the library takes 1 kB of memory and 20 µs for each. */
const MAX_TOKENS = 2 * MAX_VALUES

/** Anchors and aliases of a file. The library needs quadratic time for them, 0.1 s for this number. */
const MAX_REFERENCES = 2_000

const WRONG_INDENTATION = 'the indentation does not match the surrounding lines'

/** Hints by error code. The messages of the library are not used because they may quote a secret from the file. */
const LIKELY_CAUSES: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_ALIAS: 'quote text that begins with *',
  BAD_DQ_ESCAPE: 'write a backslash in double quotes twice, or use single quotes',
  BAD_INDENT: WRONG_INDENTATION,
  BAD_SCALAR_START: 'quote text that begins with this character',
  BLOCK_AS_IMPLICIT_KEY: 'the next line is indented too far, or a value with ": " needs quotes',
  BLOCK_IN_FLOW: 'a comma is missing',
  DUPLICATE_KEY: 'duplicate key',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing after the key',
  MULTIPLE_DOCS: 'the file has more than one document',
  RESOURCE_EXHAUSTION: 'nested too deeply, or too many anchors and aliases',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'quote text that begins with !',
  UNEXPECTED_TOKEN: 'quote text that contains special characters',
}

type Fault = Pick<YAMLParseError, 'code' | 'pos'> & Partial<Pick<YAMLParseError, 'message'>>

/** @throws {ConfigError} with the position of the first error; the message never quotes the text */
export function parseYaml(file: string, text: string): YamlText {
  if (hasMoreTokens(text, MAX_TOKENS)) throw tooManyValues(file)
  const lineCounter = new LineCounter()
  const document = parsedDocument(text, lineCounter, file)
  const place = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  // Warnings are errors too: an unquoted password such as !abc is read as a tag without a value.
  const first = document.errors[0] ?? document.warnings[0] ?? firstFault(document)
  if (first !== undefined) {
    const cause = likelyCause(first)
    const { line, column } = place(first.pos[0])
    const message = `not valid YAML at line ${line}, column ${column} (${first.code})${cause === undefined ? '' : `: ${cause}`}`
    throw new ConfigError(file, [{ path: '', message }])
  }
  const offsetOf = createIndex(document)
  return {
    data: plainData(document, file),
    positionOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const offset = offsetOf(path.slice(0, length))
        if (offset !== undefined) return place(offset)
      }
      return undefined
    },
  }
}

/** For a wrong indentation in a list, the library has the code of a missing character. */
function likelyCause({ code, message = '' }: Fault): string | undefined {
  return message.startsWith('Sequence item without') ? WRONG_INDENTATION : LIKELY_CAUSES[code]
}

function parsedDocument(text: string, lineCounter: LineCounter, file: string): Document.Parsed {
  try {
    // Pretty errors and logged warnings would quote the file. The library's check of keys takes quadratic time.
    const options = { prettyErrors: false, uniqueKeys: false, lineCounter, logLevel: 'error' } as const
    return parseDocument(text, options)
  } catch {
    // The library limits the depth, but in some forms the stack overflows before.
    throw new ConfigError(file, [{ path: '', message: 'not valid YAML: it is nested too deeply' }])
  }
}

/**
 * The first duplicate key, list or object as a key, alias without an anchor before it or inside the node of its anchor,
 * or excess reference. The library needs cubic time for keys within keys.
 */
function firstFault(document: Document.Parsed): Fault | undefined {
  const anchors = new Set<string>()
  let references = 0
  let fault: Fault | undefined
  const stopAt = (found: Fault | undefined) => {
    fault = found
    return found && visit.BREAK
  }
  const refer = (range: NodeRange) => {
    references += 1
    return references > MAX_REFERENCES ? faultAt('RESOURCE_EXHAUSTION', range) : undefined
  }
  visit(document, {
    Pair: (_, { key }) => stopAt(isCollection(key) ? faultAt('UNEXPECTED_TOKEN', key.range) : undefined),
    Value(_, node) {
      const excess = node.anchor === undefined ? undefined : refer(node.range)
      if (node.anchor !== undefined) anchors.add(node.anchor)
      return stopAt(excess ?? (isMap(node) ? duplicateKey(node) : undefined))
    },
    Alias(_, { source, range }, path) {
      const isRecursive = path.some((parent) => isCollection(parent) && parent.anchor === source)
      return stopAt(isRecursive || !anchors.has(source) ? faultAt('BAD_ALIAS', range) : refer(range))
    },
  })
  return fault
}

type NodeRange = readonly [number, number, number] | null | undefined

function faultAt(code: Fault['code'], range: NodeRange): Fault {
  return { code, pos: [range?.[0] ?? 0, range?.[1] ?? 0] }
}

function duplicateKey({ items }: YAMLMap): Fault | undefined {
  const keys = new Set<unknown>()
  const scalars = items.map(({ key }) => key).filter(isScalar)
  const duplicate = scalars.find(({ value }) => keys.size === keys.add(value).size)
  return duplicate && faultAt('DUPLICATE_KEY', duplicate.range)
}

/** Finds the offset of the key or element at the end of a path. Keys are indexed, because a file may have many. */
function createIndex(document: Document.Parsed): (path: readonly PropertyKey[]) => number | undefined {
  const indices = new Map<unknown, ReadonlyMap<unknown, number>>()
  return (path) => {
    const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
    if (isSeq(parent)) return rangeStart(parent.items[Number(path.at(-1))])
    if (!isMap(parent)) return undefined
    const index = indices.get(parent) ?? keyOffsets(parent)
    indices.set(parent, index)
    return index.get(path.at(-1))
  }
}

function keyOffsets({ items }: YAMLMap): ReadonlyMap<unknown, number> {
  const keys = items.map(({ key }) => key).filter(isScalar)
  return new Map(keys.flatMap(({ value, range }) => (range ? [[value, range[0]] as const] : [])))
}

function rangeStart(item: unknown): number | undefined {
  return isNode(item) ? item.range?.[0] : undefined
}

function plainData(document: Document.Parsed, file: string): unknown {
  // The library's limit is for the aliases of one anchor, which many systems may share. Data of anchors is not copied.
  const data = document.toJS({ maxAliasCount: -1 }) ?? {}
  if (hasMoreValues(data, MAX_VALUES)) throw tooManyValues(file)
  return data
}

function tooManyValues(file: string): ConfigError {
  const message = `has more than ${MAX_VALUES} keys and values, including those of aliases`
  return new ConfigError(file, [{ path: '', message }])
}

/** A plain scalar is two tokens: a marker of type `scalar`, then its text. */
const NO_VALUES: readonly (CST.TokenType | null)[] = ['space', 'newline', 'comment', 'scalar']

/** Stops at the limit, before the library creates objects of the tokens. */
function hasMoreTokens(text: string, limit: number): boolean {
  let count = 0
  for (const token of new Lexer().lex(text)) {
    if (!NO_VALUES.includes(CST.tokenType(token))) count += 1
    if (count > limit) return true
  }
  return false
}

/** Whether the data has more keys and values than `limit`. Stops at the limit: aliases may expand to any number. */
export function hasMoreValues(data: unknown, limit: number): boolean {
  const open = [data]
  let found = 0
  for (let value = open.pop(); value !== undefined && found <= limit; value = open.pop()) {
    const children = value !== null && typeof value === 'object' ? Object.values(value) : []
    found += 1 + children.length
    if (found <= limit) for (const child of children) open.push(child ?? null)
  }
  return found > limit
}
