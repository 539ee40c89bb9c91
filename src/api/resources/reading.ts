import type { ObjectKind, ResourceName } from '../../system_catalogue.ts'
import { createRejectedValues } from '../parse/json.ts'
import type { ResourceObject } from './objects.ts'

/** What was read of a resource. */
export type ResourceReading = ReturnType<ReadingBuilder['reading']>

/** Collects the objects of a reading, each once. */
export type ReadingBuilder = ReturnType<typeof createReadingBuilder>

export function createReadingBuilder(resource: ResourceName) {
  const objects = new Map<string, ResourceObject>()
  const counts = new Map<string, number>()
  const rejected = createRejectedValues()
  let leftOut = 0

  function noteDuplicate({ kind: { count } }: ResourceObject, text: string): void {
    rejected.add({ attribute: resource, reason: 'duplicate', node: '', text })
    if (count !== undefined) counts.set(count.family, (counts.get(count.family) ?? 0) - 1)
  }

  return {
    rejected,
    add(list: readonly ResourceObject[]): void {
      for (const object of list) {
        const key = JSON.stringify([object.kind.name, identityOf(object)])
        if (objects.has(key)) noteDuplicate(object, key)
        objects.set(key, object)
      }
    },
    count: (family: string, number: number): void => void counts.set(family, number),
    leaveOut(number: number): void {
      leftOut += number
    },
    reading() {
      const values = rejected.list()
      const times = values.filter(({ reason }) => OF_OBJECTS.includes(reason)).map(({ times }) => times)
      const list = [...objects.values()]
      return {
        objects: list,
        /** Number of objects without those that are part of another one. */
        exportedObjects: list.filter(({ kind }) => kind.isPart !== true).length,
        /** Number of objects of lists that are counted, by family. */
        counts,
        /** Objects that a limit left out. */
        leftOut,
        /** Objects without a name, and those that occur twice. */
        rejectedObjects: times.reduce((sum, number) => sum + number, 0),
        rejected: values,
      }
    },
  }
}

/** The name of an object stands for an id that is missing; objects of kinds without ids differ in their labels. */
function identityOf({ kind, id, labels }: ResourceObject): unknown {
  return id ?? (kind.id === undefined ? labels : labels[0])
}

const OF_OBJECTS: readonly string[] = ['no_id', 'duplicate']

/** Objects without a name are counted by their kind, but have no series. */
export function addObjects(
  builder: ReadingBuilder,
  kind: ObjectKind,
  objects: readonly ResourceObject[],
): void {
  const named = objects.filter(
    ({ id, labels: [name] }) => kind.count === undefined || (name ?? id) !== undefined,
  )
  const nameless = objects.length - named.length
  if (nameless > 0)
    builder.rejected.add({ attribute: kind.resource, reason: 'no_id', node: '', text: '' }, nameless)
  const shown = kind.maxTexts === undefined ? named : withFewTexts(named, kind.maxTexts)
  builder.add(shown)
  builder.leaveOut(named.length - shown.length)
}

function withFewTexts(objects: readonly ResourceObject[], max: number): ResourceObject[] {
  const textOf = ({ values }: ResourceObject) => values[0]?.text
  const texts = [...new Set(objects.map(textOf))].slice(0, max)
  return objects.filter((object) => texts.includes(textOf(object)))
}
