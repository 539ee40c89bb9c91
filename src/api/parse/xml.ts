import { createRequire } from 'node:module'
import type * as Library from 'fast-xml-parser'
import { ApiError } from '../errors/errors.ts'
import { isObject, isPage, type JsonObject, member, parseJson } from './json.ts'

/** An element. Namespaces are ignored. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text of the element itself, including CDATA and blanks. */
  readonly text: string
}

const MAX_DEPTH = 12
/** The parser takes about 5 µs for an element or attribute, and cannot be interrupted. */
const MAX_MARKS = 40_000
/** The parser adds texts character by character, which takes 32 bytes of memory for each until the text ends. */
const MAX_CHARACTERS = 2_000_000
/** Names of elements and attributes. The longest of the API has 29. */
const MAX_NAME_CHARACTERS = 256
const TEXT = '#text'
const ATTRIBUTES = ':@'

/**
 * `htmlEntities` decodes references to characters, too; documents that declare entities are refused before. With `jPath`, the
 * library would build the path of names for each child, which multiplies the length of a name by the number of children.
 */
const OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  jPath: false,
  htmlEntities: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  transformTagName: boundedName,
  transformAttributeName: boundedName,
} as const

/** Called for each name before anything is built of it. @throws {ApiError} `too_large` */
function boundedName(name: string): string {
  if (name.length > MAX_NAME_CHARACTERS)
    throw tooLarge(`a name of more than ${MAX_NAME_CHARACTERS} characters`)
  return name
}

const require = createRequire(import.meta.url)

/** Loaded with the first document: most systems respond in JSON, and the library takes 3 MiB. */
function library(): typeof Library {
  return require('fast-xml-parser')
}

/**
 * Parses an XML document and returns its root. Document type declarations are refused before parsing, so there are no
 * external and no declared entities.
 * @throws {ApiError} `too_large`, or `syntax`; the message does not quote the document
 */
export function parseXml(text: string): XmlElement {
  checkBounds(text)
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw syntaxError('declares a document type or entities')
  // The parser silently closes open elements, which would lose data.
  if (library().XMLValidator.validate(text) !== true) throw syntaxError('is not well-formed')
  const [root, second] = elementsOf(parseNodes(text))
  if (root === undefined || second !== undefined) throw syntaxError('has not exactly one root')
  return root
}

/**
 * Counts the beginnings of elements, attributes and entities before the parser builds objects of them. Inside of text
 * the same characters count as well: what is a tag is known only to a parser.
 */
function checkBounds(text: string): void {
  if (text.length > MAX_CHARACTERS) throw tooLarge(`more than ${MAX_CHARACTERS} characters`)
  const marks = text.matchAll(/[<=&]|\s\S/g)
  for (let count = 0; marks.next().done !== true; count += 1)
    if (count >= MAX_MARKS) throw tooLarge(`more than ${MAX_MARKS} elements, attributes and words`)
}

function tooLarge(what: string): ApiError {
  return new ApiError('too_large', `the XML document has ${what}, the maximum`)
}

function syntaxError(why: string): ApiError {
  return new ApiError('syntax', `the XML document ${why}`)
}

function parseNodes(text: string): readonly Node[] {
  try {
    return new (library().XMLParser)(OPTIONS).parse(text)
  } catch (failure) {
    if (failure instanceof ApiError) throw failure
    // The message of the library quotes the document.
    throw syntaxError('cannot be parsed')
  }
}

/** A node of the library: one member with name and content, and optionally the attributes. */
type Node = Readonly<Record<string, unknown>>

function elementsOf(nodes: readonly Node[]): XmlElement[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => ![TEXT, ATTRIBUTES].includes(key))
    if (name === undefined) return []
    const content = node[name] as readonly Node[]
    const attributes = Object.entries(node[ATTRIBUTES] ?? {}).map(
      ([key, value]) => [key, String(value)] as const,
    )
    // CDATA is text between other text.
    const text = content.map((part) => String(part[TEXT] ?? '')).join('')
    return [{ name, attributes: new Map(attributes), children: elementsOf(content), text }]
  })
}

/**
 * Parses a body in JSON, or in XML from a system that ignores `Accept`. An XML document becomes an object with its root as the
 * only member: elements of one name are a list, an empty element is null, text stays text, and attributes are members.
 * @throws {ApiError} `html`, `syntax`, or `too_large` for XML beyond its bounds
 */
export function parseBody(text: string): unknown {
  const body = text.trimStart()
  if (!body.startsWith('<') || isPage(body)) return parseJson(body)
  const root = parseXml(body)
  return { [root.name]: asValue(root) }
}

/** The object of a body in either format, without its root if that has this name; undefined for a body that cannot be read. */
export function readObject(text: string, root: string): JsonObject | undefined {
  try {
    const body = parseBody(text)
    return isObject(body) ? [member(body, root), body].find(isObject) : undefined
  } catch {
    return undefined
  }
}

function asValue({ attributes, children, text }: XmlElement): unknown {
  if (children.length === 0 && text.trim() !== '') return text
  const members = [
    ...[...attributes].filter(([name]) => name !== 'xmlns'),
    ...[...Map.groupBy(children, ({ name }) => name)].map(([name, elements]) => {
      const values = elements.map(asValue)
      return [name, values.length === 1 ? values[0] : values] as const
    }),
  ]
  return members.length === 0 ? null : Object.fromEntries(members)
}
