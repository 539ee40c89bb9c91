import { OBJECT_KINDS } from '../../system_catalogue.ts'
import { ApiError, idSegment } from '../errors/errors.ts'
import { asList, isObject, member, readText } from '../parse/json.ts'
import { parseBody, readObject } from '../parse/xml.ts'
import { listIn } from '../resources/objects.ts'

export interface ProviderLink {
  readonly rel: string
  readonly href: string
}

/** An authentication provider. API document, "Authentication provider list". */
export interface Provider {
  /** Opaque: ids of real systems differ from the URN of the API document. Sent without changes. */
  readonly id: string
  /** Not trimmed; empty if absent. */
  readonly name: string
  /** Absent or null on some real systems. */
  readonly link: ProviderLink | undefined
}

export const PROVIDERS_PATH = OBJECT_KINDS.provider.path
/** Systems may ignore it, so the decoder accepts both formats. */
export const PROVIDERS_ACCEPT = 'application/json, application/xml;q=0.9'
export const LIST_REQUEST = {
  operation: 'providers',
  path: PROVIDERS_PATH,
  headers: { Accept: PROVIDERS_ACCEPT },
} as const

const MAX_PROVIDERS = 2_000
/** Of all ids, names and links, which take time to write as XML. Those of a real provider have about 200. */
const MAX_CHARACTERS = 2 ** 20

/**
 * The path of one provider. An id that ends in `.json` is refused: the system would interpret the suffix as a format,
 * and delete the provider whose id has no suffix.
 * @throws {ApiError} `local` for an id that cannot be sent without changing its meaning
 */
export function providerPath(id: string): string {
  const segment = idSegment(id)
  if (/\.json$/i.test(id)) {
    throw new ApiError('local', 'the id ends in .json, which the system would interpret as a format')
  }
  return `${PROVIDERS_PATH}/${segment}`
}

/** The link of a provider; the one of the API document if the system serves none. */
export function linkOf({ id, link }: Provider): ProviderLink {
  return link ?? { rel: 'self', href: `${PROVIDERS_PATH}/${id}` }
}

/**
 * Reads the list from a body in XML or JSON. The Content-Type is ignored. Providers without an id are left out.
 * @throws {ApiError} `html`, `syntax`, `schema` or `too_large`
 */
export function decodeProviders(text: string): Provider[] {
  const list = listIn(parseBody(text), OBJECT_KINDS.provider).map(providerOf)
  const providers = list.filter(({ id }) => id !== '')
  if (list.length > 0 && providers.length === 0)
    throw new ApiError('schema', 'no provider of the list has an id')
  const most = `${MAX_PROVIDERS} entries or ${MAX_CHARACTERS} characters`
  if (list.length > MAX_PROVIDERS || JSON.stringify(providers).length > MAX_CHARACTERS)
    throw new ApiError('too_large', `the list of providers has more than ${most}, the maximum`)
  return providers
}

/** The id is empty if there is none. */
function providerOf(served: unknown): Provider {
  const entry = served ?? {}
  if (!isObject(entry)) throw new ApiError('schema', 'the response is not a list of authentication providers')
  const [id, name, link] = [member(entry, 'id'), member(entry, 'name'), member(entry, 'link')]
  const [href, rel] = isObject(link) ? [member(link, 'href'), member(link, 'rel')] : []
  return {
    id: typeof id === 'string' ? id.trim() : '',
    name: typeof name === 'string' ? name : '',
    link: typeof href === 'string' ? { href, rel: typeof rel === 'string' ? rel : 'self' } : undefined,
  }
}

/** The user of a token. Source: real systems; the API document does not have it. */
export const WHOAMI_REQUEST = { operation: 'whoami', path: '/user/whoami' } as const

const MAX_NAME_CHARACTERS = 256
const MAX_ROLES = 50

export interface Account {
  /** Undefined if it cannot be read. */
  readonly user: string | undefined
  /** Undefined if they cannot be read. */
  readonly roles: readonly string[] | undefined
}

const READING_ROLES: readonly string[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']

/** API document: the roles that may read the feed. */
export function mayRead({ roles = [] }: Account): boolean {
  return roles.some((role) => READING_ROLES.includes(role))
}

/** Reads a whoami response. The values are shown only: nothing is read of one that cannot be parsed. */
export function decodeAccount(text: string): Account {
  const account = readObject(text, 'user') ?? {}
  const roles = member(account, 'roles')
  const list = asList(isObject(roles) ? member(roles, 'role') : roles).slice(0, MAX_ROLES)
  const named = (text: string | undefined) => text?.slice(0, MAX_NAME_CHARACTERS)
  return {
    user: named(readText(member(account, 'common_name'))),
    roles: roles === undefined ? undefined : list.flatMap((role) => named(readText(role)) ?? []),
  }
}
