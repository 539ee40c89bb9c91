import { ApiError } from '../api/errors/errors.ts'
import type { ResourceObject } from '../api/resources/objects.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { isNotAvailable } from '../api/resources/refusals.ts'
import { type AddSample, createPart, labelText } from '../metrics/lines.ts'
import { type FindHardware, type NodeHardware, uniqueNames } from '../metrics/samples.ts'
import {
  type Column,
  kindsOf,
  kindWith,
  OBJECT_KINDS,
  type ObjectKind,
  type ObjectName,
  POOL_SAMPLE_TIME,
  RESOURCE_NAMES,
  type ResourceName,
  type SampleCategory,
} from '../system_catalogue.ts'
import { counted, namesText } from '../text.ts'
import { memoizeWeak } from '../values/cache.ts'
import {
  failureOf,
  NOTHING,
  newlyRejected,
  type ResourceState,
  type SystemState,
  withRejected,
} from './state.ts'

const NEW: ResourceState = {
  reading: undefined,
  lastSuccess: undefined,
  isAvailable: true,
  failure: undefined,
  part: NOTHING,
}

/** Share of `limits.max_response_bytes` for the lines of all resources. */
const SHARE = 0.25
/** Part of that share that each kind of object may take in any case: a large one does not make the others fail. */
const SMALL_SHARE = 1 / kindsOf().length

/**
 * A reading replaces all values of the objects of a kind.
 * @param at seconds since the epoch
 * @throws {ApiError} `too_large` when the lines of the resources take more than a quarter of the limit of the system
 */
export function withResource(
  system: SystemState,
  name: ObjectName,
  reading: ResourceReading,
  at: number,
): SystemState {
  const { maxBytes } = system
  const before = system.resources.get(name)?.reading?.rejected
  const state = rendered({ ...NEW, reading, lastSuccess: at }, name, system)
  const next = relabelled(withState(system, name, state), name)
  const bytes = [...next.resources.values()].reduce((sum, { part }) => sum + part.bytes, 0)
  const limit = `a quarter of limits.max_response_bytes (${maxBytes} bytes)`
  if (bytes > maxBytes * SHARE && state.part.bytes > maxBytes * SHARE * SMALL_SHARE)
    throw new ApiError('too_large', `the series of the resources take more than ${limit} on /metrics`)
  return withRejected(next, newlyRejected(reading.rejected, before))
}

/** The values stay until they are too old. */
export function withResourceFailure(
  system: SystemState,
  name: ObjectName,
  cause: ApiError,
  at: number,
): SystemState {
  const before = system.resources.get(name) ?? NEW
  const isAvailable = !isNotAvailable(cause)
  return withState(system, name, { ...before, isAvailable, failure: failureOf(cause, at) })
}

/** Without the values of a kind, which are too old. */
export function dropResource(system: SystemState, name: ObjectName): SystemState {
  const before = system.resources.get(name)
  if (before === undefined) return system
  return relabelled(withState(system, name, { ...before, reading: undefined, part: NOTHING }), name)
}

/** Without what is known of resources that are turned off. */
export function withoutResources(system: SystemState, isOff: (kind: ObjectKind) => boolean): SystemState {
  const kept = [...system.resources].filter(([name]) => !isOff(OBJECT_KINDS[name]))
  return kept.length === system.resources.size ? system : { ...system, resources: new Map(kept) }
}

/** With the labels that a new reading of a kind gives to objects of other kinds; undefined: that pools have other labels. */
export function relabelled(system: SystemState, changed?: ObjectName): SystemState {
  let next = system
  for (const [name, state] of system.resources) {
    const { within, namedBy, isListOfPools } = OBJECT_KINDS[name]
    const parts = state.reading?.objects.some(({ kind }) => kind.within === changed)
    const isNamed = within === changed || namedBy === changed || parts === true
    if (changed === undefined ? isListOfPools : isNamed)
      next = withState(next, name, rendered(state, name, next))
  }
  return next
}

function rendered(state: ResourceState, name: ObjectName, system: SystemState): ResourceState {
  const { reading } = state
  if (reading === undefined) return state
  const objects = reading.objects.filter(({ kind, labels }) => {
    const others = kind.within && system.resources.get(kind.within)?.reading
    return others === undefined || exportedLabels(others).has(labels[0])
  })
  const labelOf = labelsOf(OBJECT_KINDS[name], system)
  const known: KnownNames = labelOf === undefined ? {} : { [name]: labelOf }
  const shown = { ...reading, objects }
  return { ...state, part: createPart((add) => addResource(add, system.name, shown, known)) }
}

function labelsOf({ isListOfPools, namedBy }: ObjectKind, { pools, resources }: SystemState) {
  if (isListOfPools) return (id: string) => pools.get(id)?.label
  return namedBy && exportedNames(resources.get(namedBy)?.reading)
}

const exportedLabels = memoizeWeak(
  ({ objects }: ResourceReading) => new Set(objects.map(({ labels }) => labels[0])),
)

const NODES = kindWith('isOfNodes')

const NONE: readonly ResourceObject[] = []

/** The objects that say where the nodes of a system are, and what runs on them. */
export function nodesIn(resources: SystemState['resources']): readonly ResourceObject[] {
  return resources.get(NODES.name)?.reading?.objects ?? NONE
}

function withState(system: SystemState, name: ObjectName, state: ResourceState): SystemState {
  return { ...system, resources: new Map(system.resources).set(name, state) }
}

/** What is known of a resource, from all requests of it. */
export type ResourceSummary = Readonly<NonNullable<ReturnType<typeof summaryOf>>>

/** The resources of which a request was sent. */
export function resourceSummaries({ resources }: SystemState): ReadonlyMap<ResourceName, ResourceSummary> {
  const summaries = new Map<ResourceName, ResourceSummary>()
  for (const name of RESOURCE_NAMES) {
    const states = kindsOf(name).flatMap((kind) => resources.get(kind.name) ?? [])
    const summary = summaryOf(states)
    if (summary !== undefined) summaries.set(name, summary)
  }
  return summaries
}

function summaryOf(states: readonly ResourceState[]) {
  if (states.length === 0) return undefined
  const available = states.filter(({ isAvailable }) => isAvailable)
  const readings = states.flatMap(({ reading }) => reading ?? [])
  const sum = (key: 'exportedObjects' | 'leftOut' | 'rejectedObjects') =>
    readings.reduce((total, reading) => total + reading[key], 0)
  const times = available.flatMap(({ lastSuccess }) => lastSuccess ?? [])
  const failing = available.find(({ failure }) => failure !== undefined)
  const refused = states.find(({ isAvailable }) => !isAvailable)
  return {
    /** False: the system serves none of it, or the account lacks the role. */
    isAvailable: available.length > 0,
    /** Why a request failed; of several, the first. */
    failure: failing?.failure,
    /** Why a request is not served or not allowed; of several, the first. */
    refusal: refused?.failure,
    isAnswered: states.some(({ failure }) => failure === undefined),
    /** The oldest of the last successes of its requests, in seconds since the epoch. */
    lastSuccess: times.length === 0 ? undefined : Math.min(...times),
    /** Undefined while nothing is known. */
    objects:
      readings.length === 0
        ? undefined
        : { exported: sum('exportedObjects'), left_out: sum('leftOut'), rejected: sum('rejectedObjects') },
  }
}

/** From the nodes of the inventory. Every poll of a pool needs it, and a reading has the nodes of all pools. */
export const hardwareFinder = memoizeWeak((objects: readonly ResourceObject[]): FindHardware => {
  const byId = new Map<string | undefined, NodeHardware>()
  const byName = new Map<string | undefined, NodeHardware | undefined>()
  for (const { id, labels, details } of objects) {
    byId.set(id, details)
    // A name that several nodes have tells nothing.
    byName.set(labels[0], byName.has(labels[0]) ? undefined : details)
  }
  // Old releases use the address as the id of the feed, but not here.
  return ({ id, name }) => byId.get(id) ?? (name === undefined ? undefined : byName.get(name))
})

/** The versions with their number of nodes, the most frequent first. */
export function softwareVersions(objects: readonly ResourceObject[]): [version: string, nodes: number][] {
  const counts = new Map<string, number>()
  for (const { details } of objects) {
    const version = details['version']
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  return [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || a.localeCompare(b))
}

/** `3.8.1.4 (4 nodes), 3.8.1.5 (1 node)`, or the only version; at most five, because a system may have any number. */
export function softwareText(versions: readonly (readonly [version: string, nodes: number])[]): string {
  const [only, second] = versions
  if (only !== undefined && second === undefined) return only[0]
  return namesText(versions, ([version, nodes]) => `${version} (${counted(nodes, 'node')})`)
}

/** Names of objects in other readings, by id; undefined if there is none. */
export type KnownNames = Partial<Readonly<Record<ObjectName, (id: string) => string | undefined>>>

/**
 * What was read of a resource, in base units.
 * @param known replaces the first label of objects
 */
export function addResource(
  add: AddSample,
  system: string,
  { objects, counts }: Pick<ResourceReading, 'objects' | 'counts'>,
  known: KnownNames = {},
): void {
  for (const [family, count] of counts) add(family, labelText({ system }), count)
  for (const list of Map.groupBy(objects, ({ kind }) => kind.name).values()) {
    const names = firstLabels(list, known)
    // The last of two entries of one object is exported, of which one has no id.
    const byLabels = new Map(list.map((object, index) => [baseLabels(system, object, names[index]), object]))
    for (const [base, object] of byLabels) addObject(add, base, object)
  }
}

/** The names under which objects are exported, by the id as lists or the Flux API have it. */
export function exportedNames({
  objects = [],
}: Partial<ResourceReading> = {}): (id: string) => string | undefined {
  const names = firstLabels(objects)
  const byId = new Map(objects.map(({ id = '' }, index) => [urnOf(id), names[index]]))
  return (id) => byId.get(urnOf(id))
}

/** Lists of replication groups have a prefix, with or without a blank. */
function urnOf(id: string): string {
  return id.replace(/^Replication_Group:\s*/, '')
}

/**
 * Objects with an id, or with a name in another reading, have the id instead of a name that is missing or not unique. A
 * name in another reading that is given to an object with an id is unique there, and must be the same here.
 */
function firstLabels(
  objects: readonly ResourceObject[],
  known: KnownNames = {},
): readonly (string | undefined)[] {
  const [kind] = objects.map((object) => object.kind)
  const knownName = kind && known[kind.name]
  if (kind?.id === undefined && knownName === undefined) return objects.map(({ labels }) => labels[0])
  const named = objects.map(({ id, labels: [name] }) => ({ id: id ?? name ?? '', name }))
  const other = named.map(({ id }) => knownName?.(id))
  if (kind?.id === undefined)
    return uniqueNames(named.map(({ id, name }, index) => ({ id, name: other[index] ?? name })))
  return uniqueNames(named).map((name, index) => other[index] ?? name)
}

function baseLabels(system: string, { kind, labels, id }: ResourceObject, first: string | undefined): string {
  const entries = Object.keys(kind.labels).map((label, index) => {
    if (index === 0) return [label, first ?? '']
    return [label, kind.labels[label] === kind.id ? (id ?? '') : (labels[index] ?? '')]
  })
  return labelText({ system, ...Object.fromEntries(entries) })
}

function addObject(add: AddSample, base: string, { values }: ResourceObject): void {
  for (const { column, value, text } of values) add(column.family, `${base}${tailOf(column, text)}`, value)
  const newest = new Map<SampleCategory, number>()
  for (const { column, t } of values) {
    if (column.category === undefined || t === undefined) continue
    newest.set(column.category, Math.max(newest.get(column.category) ?? 0, t))
  }
  for (const [category, t] of newest) add(POOL_SAMPLE_TIME.name, `${base},category="${category}"`, t)
}

function tailOf({ labels, text: ofText }: Column, text: string | undefined): string {
  const own = { ...labels, ...(ofText !== undefined && { [ofText.label]: text ?? '' }) }
  return Object.keys(own).length === 0 ? '' : `,${labelText(own)}`
}
