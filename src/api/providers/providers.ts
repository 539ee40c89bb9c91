import { ApiError } from '../errors/errors.ts'
import { idSegment } from '../errors/paths.ts'
import { isObject, member, parseJson } from '../parse/json.ts'
import { isPage } from '../parse/markup.ts'
import { parseXml, type XmlElement } from '../parse/xml.ts'

/** Where a provider is found, as the system says it. */
export interface ProviderLink {
  readonly rel: string
  readonly href: string
}

/** An authentication provider. API document, "Authentication provider list". */
export interface Provider {
  /** Opaque: real systems have other forms than the document's URN. Sent back exactly. */
  readonly id: string
  /** As it stands, blanks and markup included; empty where the system gives none. */
  readonly name: string
  /** Real systems leave it out, or send null. */
  readonly link: ProviderLink | undefined
}

export const PROVIDERS_PATH = '/vdc/admin/authnproviders'
/** The system may answer in the one or the other whatever it was asked for. */
export const PROVIDERS_ACCEPT = 'application/json, application/xml;q=0.9'

/** The list cannot be longer: an answer that is, is none. A provider takes about two hundred characters of it. */
const MAX_PROVIDERS = 10_000
const MAX_CHARACTERS = 3_000_000

/**
 * The path of one provider. The id is sent exactly; one that ends in `.json` is refused, because the system would take
 * the ending for the format, and delete the provider whose id lacks it.
 * @throws {ApiError} `local` for an id that cannot be sent so that it stays what it is
 */
export function providerPath(id: string): string {
  const segment = idSegment(id)
  if (/\.json$/i.test(id)) {
    throw new ApiError('local', 'the id ends in .json, which the system would take for a format')
  }
  return `${PROVIDERS_PATH}/${segment}`
}

/** The link of a provider, as the API document has it, where the system leaves it out. */
export function linkOf({ id, link }: Provider): ProviderLink {
  return link ?? { rel: 'self', href: `${PROVIDERS_PATH}/${id}` }
}

/**
 * Reads the list from the body of an answer, in XML or JSON by what the body is, not by what its header says.
 * @throws {ApiError} `html`, `syntax`, `schema` or `too_large`
 */
export function decodeProviders(text: string): Provider[] {
  if (text.length > MAX_CHARACTERS) throw new ApiError('too_large', 'the list of providers is too long')
  const body = text.trimStart()
  const isXml = body.startsWith('<') && !isPage(body)
  const providers = isXml ? fromXml(parseXml(body)) : fromJson(parseJson(body))
  if (providers.length > MAX_PROVIDERS) throw new ApiError('too_large', 'the list of providers is too long')
  return providers
}

function fromXml(root: XmlElement): Provider[] {
  if (root.name !== 'authnproviders') throw notAList()
  return root.children
    .filter(({ name }) => name === 'authnprovider')
    .map(({ children }) => {
      const child = (name: string) => children.find((candidate) => candidate.name === name)
      const link = child('link')?.attributes
      return provider(child('id')?.text.trim(), child('name')?.text, link?.get('href'), link?.get('rel'))
    })
}

/** An array, one object, null or nothing: all are seen, or follow from how such lists are made. */
function fromJson(body: unknown): Provider[] {
  if (body === null) return []
  if (!isObject(body)) throw notAList()
  const list = member(body, 'authnprovider')
  // An object about something else must not pass for a system without providers.
  if (list === undefined && Object.keys(body).length > 0) throw notAList()
  const entries = Array.isArray(list) ? list : list === undefined || list === null ? [] : [list]
  return entries.map((entry: unknown) => {
    if (!isObject(entry)) throw notAList()
    const link = member(entry, 'link')
    const [href, rel] = isObject(link) ? [member(link, 'href'), member(link, 'rel')] : []
    return provider(member(entry, 'id'), member(entry, 'name'), href, rel)
  })
}

function provider(id: unknown, name: unknown, href: unknown, rel: unknown): Provider {
  if (typeof id !== 'string' || id === '') throw new ApiError('schema', 'a provider of the list has no id')
  const link = typeof href === 'string' ? { href, rel: typeof rel === 'string' ? rel : 'self' } : undefined
  return { id, name: typeof name === 'string' ? name : '', link }
}

function notAList(): ApiError {
  return new ApiError('schema', 'the answer is not a list of authentication providers')
}
