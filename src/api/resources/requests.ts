import type { ResourcesConfig } from '../../config/config.ts'
import type { DataPortConfig, ResourceConfig } from '../../config/sections.ts'
import type { ObjectKind, ObjectName, ResourceName } from '../../system_catalogue.ts'
import { wholeName } from '../../values/names.ts'
import { ApiError } from '../errors/errors.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'
import type { SendQuery } from '../query/requests/plan.ts'
import { containersOf, decodeObjects, listIn, type ResourceObject } from './objects.ts'
import type { ReadingBuilder, ResourceReading } from './reading.ts'
import type { RefusalMemory } from './refusals.ts'

/** A request of a resource; with a body it is a POST request. */
export interface ResourceRequest {
  readonly operation: ResourceName | 'version'
  readonly path: string
  readonly query?: string
  readonly body?: string
}

/** What is known of a response beside its body. */
interface ResourceResponse {
  readonly baseUrl: string
  /** By the clock of the system, in seconds since the epoch. */
  readonly now: number
}

export type DecodeResource<T> = (body: unknown, response: ResourceResponse) => T

/** Sends a request of a resource, and decodes the response. @throws {ApiError} */
export type SendResource = <T>(
  request: ResourceRequest,
  decode: DecodeResource<T>,
  signal: AbortSignal,
) => Promise<T>

export function requestOf({ resource, path, query }: ObjectKind, namespace = ''): ResourceRequest {
  return {
    operation: resource,
    path: path.replace('{namespace}', () => encodeURIComponent(namespace)),
    ...(query !== undefined && { query }),
  }
}

/** No published client requests larger pages. */
const PAGE_ENTRIES = 500
const MAX_PAGES = 100

/**
 * Decodes the entries of a list with markers, of all pages.
 * @throws {ApiError} `schema` for a repeated marker, `too_large` for more than 100 pages or more entries than the maximum of
 *   the kind
 */
export async function readPages<T>(
  { send, signal }: Pick<ReadingContext, 'send' | 'signal'>,
  request: ResourceRequest,
  kind: ObjectKind,
  decode: (entry: JsonObject, response: ResourceResponse) => T | undefined,
): Promise<T[]> {
  const { max = Number.POSITIVE_INFINITY } = kind
  const entries: T[] = []
  const markers = new Set<string>()
  let left = max
  const decodePage: DecodeResource<string | undefined> = (body, response) => {
    const list = listIn(body, kind)
    left -= list.length
    if (left < 0) throw tooMany(`${max} entries`)
    for (const value of list) {
      const entry = decode(isObject(value) ? value : {}, response)
      if (entry !== undefined) entries.push(entry)
    }
    return nextMarkerIn(body)
  }
  for (let pages = 0, marker = ''; pages < MAX_PAGES; pages += 1) {
    const next = await send({ ...request, query: pageQuery(request, marker) }, decodePage, signal)
    if (next === undefined) return entries
    if (markers.has(next)) throw new ApiError('schema', 'the marker of the next page is repeated')
    markers.add(next)
    marker = next
  }
  throw tooMany(`${MAX_PAGES} pages`)
}

function tooMany(what: string): ApiError {
  return new ApiError('too_large', `the list has more than ${what}, which is the maximum`)
}

function pageQuery({ query }: ResourceRequest, marker: string): string {
  const markerPart = marker === '' ? undefined : `marker=${encodeURIComponent(marker)}`
  return [query, `limit=${PAGE_ENTRIES}`, markerPart].filter((part) => part !== undefined).join('&')
}

const MAX_MARKER_CHARACTERS = 4096

/** Where the next page of a list begins; undefined after the last one. @throws {ApiError} `too_large` */
function nextMarkerIn(body: unknown): string | undefined {
  const markers = containersOf(body).map((container) => readText(member(container, 'NextMarker')))
  const marker = markers.find((text) => text !== undefined)
  if (marker === undefined || marker.length <= MAX_MARKER_CHARACTERS) return marker
  throw new ApiError(
    'too_large',
    `the marker of the next page has more than ${MAX_MARKER_CHARACTERS} characters`,
  )
}

export interface DataPorts {
  /** Only an address is requested, so that a list of nodes cannot name another host, port or path. @throws {ApiError} */
  read<T>(address: string, signal: AbortSignal, decode: (body: unknown) => T): Promise<T>
  close(): Promise<void>
}

export interface ResourceReaderOptions {
  readonly resources: ResourcesConfig
  readonly send: SendResource
  readonly query: SendQuery
  readonly openDataPorts: (config: DataPortConfig) => DataPorts
  /** What is exported of a kind; undefined if that is not known. */
  readonly known: (kind: ObjectName) => Pick<ResourceReading, 'objects'> | undefined
  /** Objects that take a request each: so many are read at most. */
  readonly maxSingle?: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
}

/** What the functions that read a resource need. */
export interface ReadingContext extends ResourceReaderOptions {
  readonly refusals: RefusalMemory
  readonly builder: ReadingBuilder
  readonly signal: AbortSignal
  readonly spreadMs: number
}

/** The objects of a kind in the response to a request. @param idOf their id, if it is not a member */
export function readObjects(
  { send, builder, signal }: ReadingContext,
  kind: ObjectKind,
  request = requestOf(kind),
  idOf?: () => string,
): Promise<ResourceObject[]> {
  const context = { ...builder, ...(idOf && { idOf }) }
  return send(request, (body, { now }) => decodeObjects(body, kind, { ...context, now }), signal)
}

/** Decides which names are read. */
export function nameFilter({ include, exclude }: Pick<ResourceConfig, 'include' | 'exclude'>) {
  const [included, excluded] = [wholeName(include), wholeName(exclude)]
  return (name: string): boolean => (included?.test(name) ?? true) && !(excluded?.test(name) ?? false)
}
