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

/** A YAML file as data, and where in it a key stands. */
export interface YamlText {
  readonly data: unknown
  /** `line 5, column 12`; undefined for a path that does not end at a key of the file. */
  placeOf(path: readonly PropertyKey[]): string | undefined
}

/** What mostly is behind an error; the library's own words may quote the file, which may hold a secret. */
const LIKELY_CAUSES: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_ALIAS: 'a text that begins with * needs quotes',
  BAD_DQ_ESCAPE: 'a backslash between double quotes is written twice, or the text in single quotes',
  BAD_INDENT: 'the indentation is not that of the lines around',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  DUPLICATE_KEY: 'this key stands here for the second time',
  MISSING_CHAR: 'a quote, bracket or comma is missing',
  MULTIPLE_DOCS: 'the file has more than one document',
  TAB_AS_INDENT: 'lines are indented by blanks, not by tabs',
  TAG_RESOLVE_FAILED: 'a text that begins with ! needs quotes',
  UNEXPECTED_TOKEN: 'a text with characters like these needs quotes',
}

/** @throws {ConfigError} that says where the text is no YAML, and never quotes it */
export function parseYaml(file: string, text: string): YamlText {
  const lineCounter = new LineCounter()
  // What the library would print may quote the file.
  const document = parseDocument(text, { prettyErrors: false, lineCounter, logLevel: 'error' })
  const place = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset)
    return `line ${line}, column ${col}`
  }
  // A warning is a password such as !abc, which would be read as a tag without a value.
  const [first] = [...document.errors, ...document.warnings, ...lostAliases(document)]
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

/** Aliases without an anchor before them, or within what they stand for, in the form of the library's own errors. */
function lostAliases(document: Document.Parsed): Pick<YAMLParseError, 'code' | 'pos'>[] {
  const anchors = new Set<string>()
  const lost: Pick<YAMLParseError, 'code' | 'pos'>[] = []
  visit(document, {
    Value(_, { anchor }) {
      if (anchor !== undefined) anchors.add(anchor)
    },
    Alias(_, { source, range }, path) {
      const [start, end] = range ?? [0, 0]
      const isEndless = path.some((parent) => isCollection(parent) && parent.anchor === source)
      if (isEndless || !anchors.has(source)) lost.push({ code: 'BAD_ALIAS', pos: [start, end] })
    },
  })
  return lost
}

function plainData(document: { toJS(): unknown }, file: string): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    // So many that they would expand beyond measure.
    throw new ConfigError(file, [{ path: '', message: 'its aliases cannot be resolved' }])
  }
}
