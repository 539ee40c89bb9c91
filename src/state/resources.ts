import { ApiError } from '../api/errors/errors.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { isFailure, isNotAvailable, withResourceRemedy } from '../api/resources/refusals.ts'
import { renderPart } from '../metrics/lines.ts'
import { groupNames, resourceSamples } from '../metrics/resource_samples.ts'
import type { ResourceName } from '../system_catalogue.ts'
import { newlyRejected, withRejected } from './rejections.ts'
import { failureOf, NOTHING, type ResourceState, type SystemState } from './state.ts'

const NEW: ResourceState = {
  reading: undefined,
  lastSuccess: undefined,
  isAvailable: true,
  failure: undefined,
  partFailure: undefined,
  isComplete: true,
  part: NOTHING,
}

/** Of `limits.max_response_bytes`, for the lines of all resources. */
const SHARE = 0.25

/**
 * A reading replaces all values of a resource.
 * @param at seconds since the epoch
 * @throws {ApiError} `too_large` when the lines of the resources take more than a quarter of `maxBytes`
 */
export function withResource(
  system: SystemState,
  name: ResourceName,
  reading: ResourceReading,
  at: number,
  maxBytes: number,
): SystemState {
  const { missing } = reading
  const before = system.resources.get(name)?.reading?.rejected
  const partFailure = missing && failureOf(withResourceRemedy(missing, name), at)
  const isComplete = !isFailure(missing)
  const state = rendered({ ...NEW, reading, lastSuccess: at, partFailure, isComplete }, system)
  const named = withState(system, name, state)
  const next = name === 'replication' ? relabelled(named, 'system_queries') : named
  const bytes = [...next.resources.values()].reduce((sum, { part }) => sum + part.text.length, 0)
  const limit = `a quarter of limits.max_response_bytes (${maxBytes} bytes)`
  if (bytes > maxBytes * SHARE)
    throw new ApiError('too_large', `the series of the resources take more than ${limit} on /metrics`)
  return { ...next, rejections: withRejected(system.rejections, newlyRejected(reading.rejected, before)) }
}

/** The values stay until they are too old. */
export function withResourceFailure(
  system: SystemState,
  name: ResourceName,
  cause: ApiError,
  at: number,
): SystemState {
  const before = system.resources.get(name) ?? NEW
  const isAvailable = !isNotAvailable(cause)
  return withState(system, name, { ...before, isAvailable, failure: failureOf(cause, at) })
}

/** Without the values of a resource, which are too old. */
export function withdrawnResource(system: SystemState, name: ResourceName): SystemState {
  const before = system.resources.get(name)
  return before === undefined
    ? system
    : withState(system, name, { ...before, reading: undefined, part: NOTHING })
}

/** Without what is known of a resource that is turned off. */
export function withoutResource(system: SystemState, name: ResourceName): SystemState {
  if (!system.resources.has(name)) return system
  return { ...system, resources: new Map([...system.resources].filter(([other]) => other !== name)) }
}

/** With the labels that the objects of the resource have in other readings now. */
export function relabelled(system: SystemState, name: ResourceName): SystemState {
  const state = system.resources.get(name)
  return state?.reading === undefined ? system : withState(system, name, rendered(state, system))
}

function rendered(state: ResourceState, { name, pools, resources }: SystemState): ResourceState {
  if (state.reading === undefined) return state
  const groups = groupNames(resources.get('replication')?.reading)
  const known = { pool: (id: string) => pools.get(id)?.label, replicationLag: groups }
  return { ...state, part: renderPart(resourceSamples(name, state.reading, known)) }
}

function withState(system: SystemState, name: ResourceName, state: ResourceState): SystemState {
  return { ...system, resources: new Map(system.resources).set(name, state) }
}
