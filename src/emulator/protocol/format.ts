import { type Element, elementsOf, writeXml } from '../../xml_writer.ts'

export type DocumentFormat = 'xml' | 'json'

/** A document that exists in both formats. */
export interface Document {
  readonly json: unknown
  readonly xml: Element
}

export const CONTENT_TYPES: Record<DocumentFormat, string> = {
  xml: 'application/xml',
  json: 'application/json',
}

/**
 * API document, "Endpoints": XML by default, JSON for a path that ends in `.json`. Real systems also honour
 * `Accept`, and the default under /dashboard/ and /flux/ is JSON.
 */
export function formatOf(path: string, accepts: (...types: string[]) => string | false): DocumentFormat {
  if (path.endsWith('.json')) return 'json'
  const xmlTypes = ['application/xml', 'text/xml']
  const order = /^\/(dashboard|flux)\//.test(path)
    ? ['application/json', ...xmlTypes]
    : [...xmlTypes, 'application/json']
  const best = accepts(...order) || order[0]
  return best === 'application/json' ? 'json' : 'xml'
}

export function writeDocument(document: Document, format: DocumentFormat): string {
  return format === 'json' ? JSON.stringify(document.json) : writeXml(document.xml)
}

/** A flat object under a root element; the same members in JSON. */
export function flatDocument(
  root: string,
  members: Readonly<Record<string, string | number | boolean | undefined>>,
): Document {
  return { json: members, xml: { name: root, content: elementsOf(members) } }
}
