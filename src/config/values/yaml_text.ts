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
  // Pretty errors and logged warnings would quote the file.
  const document = parseDocument(text, { prettyErrors: false, lineCounter, logLevel: 'error' })
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
  return {
    data: dataOf(file, document),
    positionOf(path) {
      const offset = offsetOf(document, path)
      return offset === undefined ? undefined : place(offset)
    },
  }
}

/** For a wrong indentation in a list, the library has the code of a missing character. */
function likelyCause({ code, message = '' }: Fault): string | undefined {
  return message.startsWith('Sequence item without') ? WRONG_INDENTATION : LIKELY_CAUSES[code]
}

/** @throws {ConfigError} for what the library throws without a position: too many aliases */
function dataOf(file: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
  } catch {
    const message = `not valid YAML: an anchor has more than ${MAX_ALIASES} aliases`
    throw new ConfigError(file, [{ path: '', message }])
  }
}

/**
 * The first alias without an anchor before it, or inside the node of its anchor, of which the library reports no position; or
 * the first key that is a collection, such as an unquoted `{{ name }}`: keys within keys take exponential time.
 */
function faultOfNodes(document: Document.Parsed): Fault | undefined {
  const anchors = new Set<string | undefined>()
  let fault: Fault | undefined
  const found = (code: Fault['code'], { range }: Node) => {
    fault = { code, pos: [range?.[0] ?? 0, range?.[1] ?? 0] }
    return visit.BREAK
  }
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Pair: (_, { key }) => (isCollection(key) ? found('BAD_SCALAR_START', key) : undefined),
    Alias(_, alias, path) {
      const isInside = path.some((parent) => isCollection(parent) && parent.anchor === alias.source)
      return anchors.has(alias.source) && !isInside ? undefined : found('BAD_ALIAS', alias)
    },
  })
  return fault
}

/** The offset of the key or element at the end of a path; of the innermost one around it if that is missing. */
function offsetOf({ contents }: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  let node: unknown = contents
  let offset: number | undefined
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
    const place: unknown = isSeq(node) ? node.items[Number(step)] : pair?.key
    if (!isNode(place)) break
    offset = place.range?.[0] ?? offset
    node = pair === undefined ? place : pair.value
  }
  return offset
}
