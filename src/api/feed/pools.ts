import { MAX_POOLS } from '../../system_catalogue.ts'
import { MAX_ID_CHARACTERS } from '../../values/ids.ts'
import { ApiError } from '../errors/errors.ts'
import { CURRENT_QUERY } from '../errors/paths.ts'
import { embeddedList, isObject, type JsonObject, member, readName, readText } from '../parse/json.ts'

export interface PoolRef {
  readonly id: string
  /** Undefined for configured pools; the feed has the name. */
  readonly name: string | undefined
}

/** The lists of pools, preferred list first. Source: real systems; the API document has neither. */
export const POOL_LISTS = [
  // Without the parameter, real systems add the history of every attribute: 28 to 330 kB for each pool.
  {
    path: '/dashboard/zones/localzone/storagepools',
    query: CURRENT_QUERY,
    decode: (body: unknown, baseUrl: string) =>
      poolsOf(embeddedList(body, 'list of pools'), (entry) => storagePoolId(entry, baseUrl)),
  },
  { path: '/vdc/data-services/varrays.json', query: undefined, decode: decodeVirtualArrays },
] as const

const POOL_HREF = /\/dashboard\/storagepools\/([^/]+)\/nodes(?:\.json)?$/

/**
 * The id of a pool in the dashboard's list: that in the link to the nodes, because the feed uses this form. Without a
 * link the member `id` is used, which may have another form.
 * @param baseUrl links to another origin are ignored, so that the token is sent only to configured hosts
 */
export function storagePoolId(entry: JsonObject, baseUrl: string): string | undefined {
  return idFromLink(entry, baseUrl) ?? readText(member(entry, 'id'))
}

/**
 * The pools of a list, without duplicates.
 * @throws {ApiError} `too_large`, or `schema` if an entry has no id: the omitted pools would otherwise count as removed
 */
function poolsOf(list: readonly unknown[], idOf: (entry: JsonObject) => string | undefined): PoolRef[] {
  if (list.length > MAX_POOLS)
    throw new ApiError(
      'too_large',
      `the system lists ${list.length} pools, more than the maximum of ${MAX_POOLS}: configure the pools to poll under pools`,
    )
  const pools = list.filter(isObject).flatMap((entry) => {
    const id = idOf(entry)
    if (id === undefined || id.length > MAX_ID_CHARACTERS) return []
    return [{ id, name: readName(member(entry, 'name')) }]
  })
  const withoutId = list.length - pools.length
  if (withoutId > 0)
    throw new ApiError('schema', `${withoutId} of ${list.length} entries of the list of pools have no id`)
  return [...new Map(pools.map((pool) => [pool.id, pool])).values()]
}

function idFromLink(entry: JsonObject, baseUrl: string): string | undefined {
  const links = member(entry, '_links')
  const nodes = isObject(links) ? member(links, 'nodes') : undefined
  const href = isObject(nodes) ? readText(member(nodes, 'href')) : undefined
  const path = href === undefined ? undefined : sameOriginPath(href, baseUrl)
  const segment = path === undefined ? undefined : POOL_HREF.exec(path)?.[1]
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const MAX_LINK_CHARACTERS = 4096

/** Resolves a link of the system, with or without a leading slash; undefined for a link to another origin, or a long one. */
export function sameOriginPath(href: string, baseUrl: string): string | undefined {
  if (href.length > MAX_LINK_CHARACTERS) return undefined
  const base = new URL(baseUrl)
  const resolved = URL.parse(href.trim(), `${base.origin}/`)
  return resolved !== null && resolved.origin === base.origin ? resolved.pathname : undefined
}

/** Reads the list of virtual arrays, the older name of storage pools. */
function decodeVirtualArrays(body: unknown): PoolRef[] {
  const root = isObject(body) ? (member(body, 'varrays') ?? body) : body
  const list = isObject(root) ? member(root, 'varray') : undefined
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list]
  if (!Array.isArray(list) && !isObject(list))
    throw new ApiError('schema', 'the response has no list of pools')
  return poolsOf(entries, (entry) => readText(member(entry, 'id')))
}
