import type { ResourcesConfig } from '../../config/config.ts'
import type { DataPortConfig, ResourceConfig } from '../../config/sections.ts'
import type { ObjectKind, ObjectName } from '../../system_catalogue.ts'
import { wholeName } from '../../values/names.ts'
import type { SendQuery } from '../query/requests/request_all.ts'
import type { DataPorts } from './data_ports.ts'
import { decodeObjects, type ResourceObject } from './objects.ts'
import type { ReadingBuilder } from './reading.ts'
import type { RefusalMemory } from './refusals.ts'
import { requestOf, type SendResource } from './requests.ts'

export interface ResourceReaderOptions {
  readonly resources: ResourcesConfig
  readonly send: SendResource
  readonly query: SendQuery
  readonly openDataPorts: (config: DataPortConfig) => DataPorts
  /** First labels of the objects of a kind that are exported; undefined if they are not known. */
  readonly exported: (kind: ObjectName) => readonly string[] | undefined
  /** Objects that take a request each: so many are read at most. */
  readonly maxSingle?: number
  /** Waits. */
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
