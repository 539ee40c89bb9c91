import { MAX_ID_CHARACTERS } from '../../config/values/ids.ts'
import { ApiError } from '../errors/errors.ts'
import { embeddedList, isObject, type JsonObject, member, readText } from '../parse/json.ts'

/** A storage pool, as it is configured or as the system lists it. */
export interface PoolRef {
  readonly id: string
  /** Undefined where only the configuration names the pool: the feed will tell. */
  readonly name: string | undefined
}

/** Where pools are listed, the first choice first. Both are known from real systems, not from the API document. */
export const POOL_LISTS = [
  { path: '/dashboard/zones/localzone/storagepools', decode: decodeStoragePools },
  { path: '/vdc/data-services/varrays.json', decode: decodeVirtualArrays },
] as const

const POOL_HREF = /\/dashboard\/storagepools\/([^/]+)\/nodes(?:\.json)?$/

/**
 * Reads the dashboard's list of pools. The link to the nodes tells the id that the feed knows the pool by; the member
 * `id`, which may be another form of it, where there is no such link.
 * @param baseUrl links of another origin are refused: a system does not choose where our token goes
 */
function decodeStoragePools(body: unknown, baseUrl: string): PoolRef[] {
  return usable(
    embeddedList(body, 'list of pools'),
    (entry) => idFromLink(entry, baseUrl) ?? readText(member(entry, 'id')),
  )
}

/**
 * The pools of a list, each once.
 * @throws {ApiError} when an entry has no id: the pools that are left out would pass for pools that are gone
 */
function usable(list: readonly unknown[], idOf: (entry: JsonObject) => string | undefined): PoolRef[] {
  const pools = list.filter(isObject).flatMap((entry) => {
    const id = idOf(entry)
    if (id === undefined || id.length > MAX_ID_CHARACTERS) return []
    return [{ id, name: readText(member(entry, 'name')) }]
  })
  const lost = list.length - pools.length
  if (lost > 0)
    throw new ApiError('schema', `${lost} of ${list.length} entries of the list of pools have no id`)
  return unique(pools)
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

/** Resolves a link of the system, with or without a leading slash; undefined for a link to another origin. */
export function sameOriginPath(href: string, baseUrl: string): string | undefined {
  const base = new URL(baseUrl)
  const resolved = URL.parse(href.trim(), `${base.origin}/`)
  return resolved !== null && resolved.origin === base.origin ? resolved.pathname : undefined
}

/** Reads the list of virtual arrays, which are the storage pools under their older name. */
function decodeVirtualArrays(body: unknown): PoolRef[] {
  const list = isObject(body) ? member(body, 'varray') : undefined
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list]
  if (!Array.isArray(list) && !isObject(list)) throw new ApiError('schema', 'the answer has no list of pools')
  return usable(entries, (entry) => readText(member(entry, 'id')))
}

/** Each pool costs a request a minute: a list as long as this is not one of storage pools. */
const MAX_POOLS = 1000

function unique(pools: readonly PoolRef[]): PoolRef[] {
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  if (byId.size <= MAX_POOLS) return [...byId.values()]
  throw new ApiError(
    'too_large',
    `the system lists ${byId.size} pools, more than the ${MAX_POOLS} that are polled: name those to poll under pools`,
  )
}
