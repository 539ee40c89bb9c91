import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { ApiError } from '../errors/errors.ts'
import { isObject, member } from './json.ts'
import { entityText } from './markup.ts'

/** An element, whatever its namespace. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** The text of the element itself, CDATA included, exactly as it stands: blanks count. */
  readonly text: string
}

const MAX_DEPTH = 12
const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'

/**
 * The order of nodes is kept, because text and CDATA must be told apart: entities are decoded in the one and not in
 * the other, by us, so that the library never expands anything.
 */
const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  htmlEntities: false,
  cdataPropName: CDATA,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
})

/**
 * Parses a whole XML document and gives its one root. Document type declarations are refused before anything is
 * parsed, and with them external and self-made entities.
 * @param text no longer than the caller finds likely: nothing else happens in the process meanwhile
 * @throws {ApiError} `syntax`, without a word of the document
 */
export function parseXml(text: string): XmlElement {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw broken('declares a document type or entities')
  // The parser alone would close what was left open, and lose data without a word.
  if (XMLValidator.validate(text) !== true) throw broken('is not well-formed')
  const roots = elementsOf(parseNodes(text))
  const [root] = roots
  if (root === undefined || roots.length > 1 || !/>\s*$/.test(text)) throw broken('has not exactly one root')
  return root
}

function broken(why: string): ApiError {
  return new ApiError('syntax', `the XML document ${why}`)
}

function parseNodes(text: string): readonly Node[] {
  try {
    return nodesOf(PARSER.parse(text))
  } catch {
    // The library's words quote the document.
    throw broken('cannot be parsed')
  }
}

/** The library's node: one member with the name and the content, and perhaps the attributes. */
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
      ([key, value]): [string, string] => [key, attributeText(String(value))],
    )
    return [{ name, attributes: new Map(attributes), children: elementsOf(content), text: textOf(content) }]
  })
}

function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      const plain = member(node, TEXT)
      return plain === undefined ? cdataOf(node) : decodeEntities(String(plain))
    })
    .join('')
}

function cdataOf(node: Node): string {
  return nodesOf(member(node, CDATA))
    .map((part) => String(member(part, TEXT) ?? ''))
    .join('')
}

/** Line ends and tabs that stand in an attribute as they are count as blanks; those written as references stay. */
function attributeText(raw: string): string {
  return decodeEntities(raw.replaceAll(/[\t\n\r]/g, ' '))
}

/** The five entities of XML and character references, in one pass, so that nothing is decoded twice. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&([^;&]{0,32});?/g, (whole, name: string) => {
    const known = entityText(name)
    if (known === undefined || !whole.endsWith(';')) throw broken('has an entity that is not defined')
    return known
  })
}
