import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
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

/** Aliases of one anchor, which many systems may share. The default of the library is 100. */
const MAX_ALIASES = 1_000

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
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'quote text that begins with !',
  UNEXPECTED_TOKEN: 'quote text that contains special characters',
}

type Fault = Pick<YAMLParseError, 'code' | 'pos'> & Partial<Pick<YAMLParseError, 'message'>>

/** @throws {ConfigError} with the position of the first error; the message never quotes the text */
export function parseYaml(file: string, text: string): YamlText {
  const lineCounter = new LineCounter()
  // Pretty errors and logged warnings would quote the file. The library searches equal keys in quadratic time.
  const options = { prettyErrors: false, uniqueKeys: false, lineCounter, logLevel: 'error' } as const
  const document = withinBounds(file, () => parseDocument(text, options))
  const place = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  // Warnings are errors too: an unquoted password such as !abc is read as a tag without a value.
  const first = document.errors[0] ?? document.warnings[0] ?? faultOfNodes(document)
  if (first !== undefined) {
    const cause = likelyCause(first)
    const { line, column } = place(first.pos[0])
    const message = `not valid YAML at line ${line}, column ${column} (${first.code})${cause === undefined ? '' : `: ${cause}`}`
    throw new ConfigError(file, [{ path: '', message }])
  }
  const offsetOf = createIndex(document)
  return {
    data: withinBounds(file, () => document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown) ?? {},
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

/** Reports what the library throws, which has no position: too many aliases, or an overflow of the stack. @throws {ConfigError} */
function withinBounds<Result>(file: string, read: () => Result): Result {
  try {
    return read()
  } catch {
    const message = `not valid YAML: nested too deeply, or an anchor has more than ${MAX_ALIASES} aliases`
    throw new ConfigError(file, [{ path: '', message }])
  }
}

/**
 * The first key that its mapping has twice; the first alias without an anchor before it, or inside the node of its
 * anchor, of which the library reports no position; or the first key that is a collection, such as an unquoted
 * `{{ name }}`: keys within keys take exponential time.
 */
function faultOfNodes(document: Document.Parsed): Fault | undefined {
  const anchors = new Set<string>()
  let fault: Fault | undefined
  const found = (code: Fault['code'], { range }: Node) => {
    fault = { code, pos: [range?.[0] ?? 0, range?.[1] ?? 0] }
    return visit.BREAK
  }
  visit(document, {
    Value(_, node) {
      if (node.anchor !== undefined) anchors.add(node.anchor)
      const seen = new Set<unknown>()
      for (const { key } of isMap(node) ? node.items : []) {
        const isRepeated = isScalar(key) && seen.size === seen.add(key.value).size
        if (isRepeated) return found('DUPLICATE_KEY', key)
        if (isCollection(key)) return found('BAD_SCALAR_START', key)
      }
      return undefined
    },
    Alias(_, alias, path) {
      const isRecursive = path.some((parent) => isCollection(parent) && parent.anchor === alias.source)
      return anchors.has(alias.source) && !isRecursive ? undefined : found('BAD_ALIAS', alias)
    },
  })
  return fault
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
