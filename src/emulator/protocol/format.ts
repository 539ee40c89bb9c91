import type { Context } from 'koa'
import { type Element, writeXml } from '../../xml_writer.ts'
import type { Profile } from './profiles.ts'

export type DocumentFormat = 'xml' | 'json'
export type Members = { readonly [name: string]: unknown }

/** A document that exists in both formats: the members of the root element, which JSON does not have. */
export interface Document {
  readonly root: string
  readonly members: Members
  /** The JSON, if it is not the members. */
  readonly json?: Members
  /** The XML, if it is not the same members in the same order. */
  readonly xml?: readonly Element[]
}

export const CONTENT_TYPES: Record<DocumentFormat, string> = {
  xml: 'application/xml',
  json: 'application/json',
}

/**
 * API document, "Endpoints": XML by default, JSON for a path that ends in `.json`. Real systems also honour
 * `Accept`, and the default under /dashboard/ and /flux/ is JSON.
 */
export function formatOf(context: Pick<Context, 'path' | 'accepts'>): DocumentFormat {
  const { path } = context
  if (path.endsWith('.json')) return 'json'
  const xmlTypes = ['application/xml', 'text/xml']
  const order = /^\/(dashboard|flux)\//.test(path)
    ? ['application/json', ...xmlTypes]
    : [...xmlTypes, 'application/json']
  const best = context.accepts(order) || order[0]
  return best === 'application/json' ? 'json' : 'xml'
}

export function writeDocument({ root, members, json, xml }: Document, format: DocumentFormat): string {
  if (format === 'json') return JSON.stringify(json ?? members)
  return writeXml({ name: root, content: xml ?? contentOf(members) })
}

/** One element for each member and each item of a list; undefined members are omitted. */
function contentOf(members: Members): Element[] {
  const elementsOf = (name: string, value: unknown): Element[] => {
    if (Array.isArray(value)) return value.flatMap((item) => elementsOf(name, item))
    if (value === undefined) return []
    return [{ name, content: typeof value === 'object' ? contentOf(value as Members) : String(value) }]
  }
  return Object.entries(members).flatMap(([name, value]) => elementsOf(name, value))
}

export type JsonObject = { [name: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a JSON object. One whose value is undefined is not served. */
export type Member = readonly [name: string, value: unknown]

/** A year of a large pool exceeds the maximum length of a string, so the pieces are sent one by one. */
export function* listText(
  profile: Profile,
  title: string,
  href: string,
  objects: Iterable<Iterable<Member>>,
): Generator<string> {
  const list = profile === 'documented' ? 'instances' : '_instances'
  const links = JSON.stringify({ self: { href } })
  yield `{"title":${JSON.stringify(title)},"_links":${links},"_embedded":{"${list}":[`
  let separator = ''
  for (const members of objects) {
    yield separator
    yield* objectText(members)
    separator = ','
  }
  yield ']}}'
}

export function* objectText(members: Iterable<Member>): Generator<string> {
  let opening = '{'
  for (const [name, value] of members) {
    if (value === undefined) continue
    yield `${opening}"${name}":${JSON.stringify(value)}`
    opening = ','
  }
  yield '}'
}

export const ZONE = '/dashboard/zones/localzone'

/** The member `_links`. */
export function linksTo(hrefs: Readonly<Record<string, string>>): Members {
  return Object.fromEntries(Object.entries(hrefs).map(([name, href]) => [name, { href }]))
}
