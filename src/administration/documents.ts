import { linkOf, type Provider } from '../api/providers/providers.ts'
import type { ErrorBody } from '../values/http_error.ts'
import { elementsOf, writeXml } from '../xml_writer.ts'

export type DocumentFormat = 'xml' | 'json'

/** API document, "Endpoints": the content type depends on the path. */
export const CONTENT_TYPES: Readonly<Record<DocumentFormat, string>> = {
  xml: 'application/xml',
  json: 'application/json',
}

/** API document, "Authentication provider list". `link` is added if the system omits it. */
export function writeProviders(providers: readonly Provider[], format: DocumentFormat): string {
  const entries = providers.map((provider) => ({ ...provider, link: linkOf(provider) }))
  if (format === 'json') {
    return JSON.stringify({ authnprovider: entries.map(({ name, link, id }) => ({ link, name, id })) })
  }
  const children = entries.map(({ id, link, name }) => ({
    name: 'authnprovider',
    content: [
      { name: 'id', content: id },
      { name: 'link', attributes: { href: link.href, rel: link.rel } },
      { name: 'name', content: name },
    ],
  }))
  return writeXml({ name: 'authnproviders', content: children })
}

/** The error body of the storage system's API. */
export function writeError(
  { code, description, details, retryable }: ErrorBody,
  format: DocumentFormat,
): string {
  const members = { code, description, details, retryable }
  if (format === 'json') return JSON.stringify(members)
  return writeXml({ name: 'error', content: elementsOf(members) })
}
