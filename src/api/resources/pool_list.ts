import { kindWith, MAX_POOLS } from '../../system_catalogue.ts'
import { MAX_ID_CHARACTERS } from '../../values/names.ts'
import { ApiError } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { embeddedList, isObject, type JsonObject, member, readName, readText } from '../parse/json.ts'
import { decodeObjects } from './objects.ts'
import { createReadingBuilder, type ResourceReading } from './reading.ts'
import { type DecodeResource, requestOf, type SendResource } from './requests.ts'

export interface PoolRef {
  readonly id: string
  /** Undefined for configured pools; the nodes have the name. */
  readonly name: string | undefined
}

/** The pools with the ids of the configuration; undefined if it has none. */
export function configuredPools(ids: readonly string[] | undefined): readonly PoolRef[] | undefined {
  return ids?.map((id) => ({ id, name: undefined }))
}

export interface PoolList {
  readonly pools: readonly PoolRef[]
  /** What the list says of the pools beyond their ids. */
  readonly values: ResourceReading | ApiError
}

const KIND = kindWith('isListOfPools')

/** The lists of pools, preferred list first. Source: real systems; the API document has neither. */
export const POOL_LISTS = [
  // Without the parameter, real systems add the history of every attribute: 28 to 330 kB for each pool.
  { ...requestOf(KIND), decode: decodeStoragePools },
  { operation: KIND.resource, path: '/vdc/data-services/varrays.json', decode: decodeVirtualArrays },
] as const

const [NEWER, OLDER] = POOL_LISTS
type PoolListRow = (typeof POOL_LISTS)[number]

function decodeStoragePools(
  body: unknown,
  { baseUrl, now }: Parameters<DecodeResource<PoolList>>[1],
): PoolList {
  const idOf = (entry: JsonObject) => storagePoolId(entry, baseUrl)
  const pools = poolsOf(embeddedList(body, 'list of pools'), idOf)
  const builder = createReadingBuilder(KIND)
  try {
    builder.add(decodeObjects(body, KIND, { ...builder, now, idOf }))
    return { pools, values: builder.reading() }
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure
    return { pools, values: failure }
  }
}

/** Reads the list of virtual arrays, the older name of storage pools. */
function decodeVirtualArrays(body: unknown): PoolList {
  const root = isObject(body) ? (member(body, 'varrays') ?? body) : body
  const list = isObject(root) ? member(root, 'varray') : undefined
  if (!Array.isArray(list) && !isObject(list))
    throw new ApiError('schema', 'the response has no list of pools')
  const pools = poolsOf([list].flat(), (entry) => readText(member(entry, 'id')))
  return { pools, values: new ApiError('not_found', 'the list of pools has no values of them') }
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

const POOL_HREF = /\/dashboard\/storagepools\/([^/]+)\/nodes(?:\.json)?$/

/**
 * The id of a pool in the dashboard's list: that in the link to the nodes, because the dashboard API uses this form. Without
 * a link the member `id` is used, which may have another form.
 * @param baseUrl links to another origin are ignored, so that the token is sent only to configured hosts
 */
function storagePoolId(entry: JsonObject, baseUrl: string): string | undefined {
  const links = member(entry, '_links')
  const nodes = isObject(links) ? member(links, 'nodes') : undefined
  const href = isObject(nodes) ? readText(member(nodes, 'href')) : undefined
  const segment = POOL_HREF.exec(sameOriginPath(href ?? '', baseUrl) ?? '')?.[1]
  const id = segment === undefined ? undefined : decoded(segment)
  return id ?? readText(member(entry, 'id'))
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
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

/**
 * A single 404 may come from a system that is starting. Switching lists needlessly can change the ids of the pools,
 * because the two lists may have different ids.
 */
const MAX_NOT_FOUND_IN_ROW = 1

/**
 * Reads the pools of a system from one of two lists: older and newer systems have only one of them. The list that
 * succeeded last is used again; the other list is tried after repeated 404, as after an upgrade.
 */
export function createPoolList(send: SendResource) {
  let lastGood: PoolListRow | undefined
  let notFoundInRow = 0

  async function readList(list: PoolListRow, signal: AbortSignal): Promise<PoolList> {
    const { decode, ...request } = list
    const pools = await send(request, decode, signal)
    lastGood = list
    notFoundInRow = 0
    return pools
  }

  function shouldTryOther({ reason }: ApiError): boolean {
    if (lastGood === undefined) return REASONS[reason].origin === 'request'
    notFoundInRow = reason === 'not_found' ? notFoundInRow + 1 : 0
    return notFoundInRow > MAX_NOT_FOUND_IN_ROW
  }

  return async (signal: AbortSignal): Promise<PoolList> => {
    const [first, second] = lastGood === OLDER ? [OLDER, NEWER] : [NEWER, OLDER]
    try {
      return await readList(first, signal)
    } catch (failure) {
      if (!(failure instanceof ApiError) || !shouldTryOther(failure)) throw failure
      // The more specific failure is reported: the first, unless it is only a 404 before any success.
      return await readList(second, signal).catch((other: unknown) => {
        throw failure.reason === 'not_found' && lastGood === undefined ? other : failure
      })
    }
  }
}
