import type { ResourceObject } from '../api/resources/objects.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { type Column, type ObjectName, POOL_SAMPLE_TIME, type SampleCategory } from '../system_catalogue.ts'
import { type AddSample, labelText } from './lines.ts'
import { uniqueNames } from './samples.ts'

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
