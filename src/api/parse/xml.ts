import { createRequire } from 'node:module'
import type * as Library from 'fast-xml-parser'
import { ApiError } from '../errors/errors.ts'
import { isObject, member, parseJson } from './json.ts'
import { entityText, isPage } from './markup.ts'

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
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

/**
 * `preserveOrder` keeps text and CDATA apart: this file decodes entities in text and not in CDATA. The library
 * decodes none, so it cannot expand entities without limit. With `jPath`, it would build the path of names for each
 * child, which multiplies the length of a name by the number of children.
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
  processEntities: false,
  htmlEntities: false,
  cdataPropName: CDATA,
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
  const roots = elementsOf(parseNodes(text))
  const [root] = roots
  if (root === undefined || roots.length > 1 || !/>\s*$/.test(text))
    throw syntaxError('has not exactly one root')
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
    return nodesOf(new (library().XMLParser)(OPTIONS).parse(text))
  } catch (failure) {
    if (failure instanceof ApiError) throw failure
    // The message of the library quotes the document.
    throw syntaxError('cannot be parsed')
  }
}

/** A node of the library: one member with name and content, and optionally the attributes. */
type Node = Readonly<Record<string, unknown>>

function nodesOf(content: unknown): readonly Node[] {
  return Array.isArray(content) ? content.filter(isObject) : []
}

function elementsOf(nodes: readonly Node[]): XmlElement[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => ![TEXT, CDATA, ATTRIBUTES].includes(key))
    if (name === undefined) return []
    const content = nodesOf(member(node, name))
    const attributes = Object.entries(member(node, ATTRIBUTES) ?? {}).map(
      // Attribute value normalization: literal line ends and tabs become blanks, references to them do not.
      ([key, value]) => [key, decodeEntities(String(value).replaceAll(/[\t\n\r]/g, ' '))] as const,
    )
    return [{ name, attributes: new Map(attributes), children: elementsOf(content), text: textOf(content) }]
  })
}

function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      const plain = member(node, TEXT)
      if (plain !== undefined) return decodeEntities(String(plain))
      const parts = nodesOf(member(node, CDATA))
      return parts.map((part) => String(member(part, TEXT) ?? '')).join('')
    })
    .join('')
}

/** Decodes the predefined entities and character references in one pass, so that nothing is decoded twice. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&([^;&]{0,32});?/g, (whole, name: string) => {
    const known = entityText(name)
    if (known === undefined || !whole.endsWith(';')) throw syntaxError('has an entity that is not defined')
    return known
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
