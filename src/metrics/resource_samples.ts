import type { ResourceObject } from '../api/resources/objects.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { type Column, type ObjectName, POOL_SAMPLE_TIME, type SampleCategory } from '../system_catalogue.ts'
import { labelText, type SampleSet, Samples } from './lines.ts'
import { uniqueNames } from './samples.ts'

/**
 * Samples of what was read of a resource, in base units.
 * @param poolLabel the label of a pool that is polled; undefined for others
 */
export function resourceSamples(
  system: string,
  { objects, counts }: ResourceReading,
  poolLabel: (id: string) => string | undefined,
): SampleSet {
  const samples = new Samples()
  for (const [family, count] of counts) samples.add(family, labelText({ system }), count)
  for (const list of Map.groupBy(objects, ({ kind }) => kind.name).values()) {
    const names = firstLabels(list)
    for (const [index, object] of list.entries()) {
      const polled = object.kind.name === POOL && object.id !== undefined ? poolLabel(object.id) : undefined
      addObject(samples, baseLabels(system, object, polled ?? names[index]), object)
    }
  }
  return samples.byFamily
}

const POOL: ObjectName = 'pool'

/** Objects with an id have the id instead of a name that is missing or not unique. */
function firstLabels(objects: readonly ResourceObject[]): readonly (string | undefined)[] {
  if (objects[0]?.kind.id === undefined) return objects.map(({ labels }) => labels[0])
  return uniqueNames(objects.map(({ id, labels: [name = ''] }) => ({ id: id ?? name, name })))
}

function baseLabels(system: string, { kind, labels, id }: ResourceObject, first: string | undefined): string {
  const entries = Object.keys(kind.labels).map((label, index) => {
    if (index === 0) return [label, first ?? '']
    return [label, kind.labels[label] === kind.id ? (id ?? '') : (labels[index] ?? '')]
  })
  return labelText({ system, ...Object.fromEntries(entries) })
}

function addObject(samples: Samples, base: string, { kind, values }: ResourceObject): void {
  for (const { column, value, text } of values)
    samples.add(column.family, `${base}${tailOf(column, text)}`, value)
  if (kind.name !== POOL) return
  const newest = new Map<SampleCategory, number>()
  for (const { column, t } of values) {
    if (column.category === undefined || t === undefined) continue
    newest.set(column.category, Math.max(newest.get(column.category) ?? 0, t))
  }
  for (const [category, t] of newest) samples.add(POOL_SAMPLE_TIME.name, `${base},category="${category}"`, t)
}

function tailOf({ labels, text: ofText }: Column, text: string | undefined): string {
  const own = { ...labels, ...(ofText !== undefined && { [ofText.label]: text ?? '' }) }
  return Object.keys(own).length === 0 ? '' : `,${labelText(own)}`
}
