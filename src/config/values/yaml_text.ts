import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLParseError,
} from 'yaml'
import { ConfigError } from './problems.ts'

/** The data of a YAML file, and the positions of its keys. */
export interface YamlText {
  readonly data: unknown
  /** `line 5, column 12`; undefined if the path does not end at a key. */
  placeOf(path: readonly PropertyKey[]): string | undefined
}

/** Hints by error code. The messages of the library are not used because they may quote a secret from the file. */
const LIKELY_CAUSES: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_ALIAS: 'quote text that begins with *',
  BAD_DQ_ESCAPE: 'write a backslash in double quotes twice, or use single quotes',
  BAD_INDENT: 'the indentation does not match the surrounding lines',
  BAD_SCALAR_START: 'quote text that begins with this character',
  DUPLICATE_KEY: 'duplicate key',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  MULTIPLE_DOCS: 'the file has more than one document',
  TAB_AS_INDENT: 'indent with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'quote text that begins with !',
  UNEXPECTED_TOKEN: 'quote text that contains special characters',
}

/** @throws {ConfigError} with the position of the first error; the message never quotes the text */
export function parseYaml(file: string, text: string): YamlText {
  const lineCounter = new LineCounter()
  // Pretty errors and logged warnings would quote the file.
  const document = parseDocument(text, { prettyErrors: false, lineCounter, logLevel: 'error' })
  const place = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset)
    return `line ${line}, column ${col}`
  }
  // Warnings are errors too: an unquoted password such as !abc is read as a tag without a value.
  const [first] = [...document.errors, ...document.warnings, ...invalidAliases(document)]
  if (first !== undefined) {
    const cause = LIKELY_CAUSES[first.code]
    const message = `not valid YAML at ${place(first.pos[0])} (${first.code})${cause === undefined ? '' : `: ${cause}`}`
    throw new ConfigError(file, [{ path: '', message }])
  }
  return {
    data: plainData(document, file),
    placeOf(path) {
      const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
      const pairs = isMap(parent) ? parent.items : []
      const key = pairs.map((pair) => pair.key).find((each) => isScalar(each) && each.value === path.at(-1))
      return isScalar(key) && key.range ? place(key.range[0]) : undefined
    },
  }
}

/** Aliases without an anchor before them, or inside the node of their anchor, as errors of the library. */
function invalidAliases(document: Document.Parsed): Pick<YAMLParseError, 'code' | 'pos'>[] {
  const anchors = new Set<string>()
  const invalid: Pick<YAMLParseError, 'code' | 'pos'>[] = []
  visit(document, {
    Value(_, { anchor }) {
      if (anchor !== undefined) anchors.add(anchor)
    },
    Alias(_, { source, range }, path) {
      const [start, end] = range ?? [0, 0]
      const isRecursive = path.some((parent) => isCollection(parent) && parent.anchor === source)
      if (isRecursive || !anchors.has(source)) invalid.push({ code: 'BAD_ALIAS', pos: [start, end] })
    },
  })
  return invalid
}

function plainData(document: { toJS(): unknown }, file: string): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    // The library limits the expansion of aliases.
    throw new ConfigError(file, [{ path: '', message: 'its aliases cannot be resolved' }])
  }
}
