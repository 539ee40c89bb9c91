import type { ObjectKind } from '../../system_catalogue.ts'
import { createRejectedValues } from '../parse/json.ts'
import type { ResourceObject } from './objects.ts'

/** What was read of a resource. */
export type ResourceReading = ReturnType<ReadingBuilder['reading']>

/** Collects the objects of a reading, each once. */
export type ReadingBuilder = ReturnType<typeof createReadingBuilder>

export function createReadingBuilder({ resource, maxTexts, count }: ObjectKind) {
  const objects = new Map<string, ResourceObject>()
  const rejected = createRejectedValues()
  let leftOut = 0
  /** Objects without a name are counted by their kind, but have no series. */
  let nameless = 0

  function addObject(object: ResourceObject): void {
    const { kind, id, labels } = object
    const isNameless = kind.count !== undefined && (labels[0] ?? id) === undefined
    const key = JSON.stringify([kind.name, identityOf(object)])
    if (isNameless) rejected.add({ attribute: resource, reason: 'no_id', node: '', text: '' })
    else if (objects.has(key)) rejected.add({ attribute: resource, reason: 'duplicate', node: '', text: key })
    if (isNameless) nameless += 1
    else objects.set(key, object)
  }

  return {
    rejected,
    add(list: readonly ResourceObject[]): void {
      const shown = maxTexts === undefined ? list : withFewTexts(list, maxTexts)
      leftOut += list.length - shown.length
      for (const object of shown) addObject(object)
    },
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
        /** Number of objects of a list that is counted, by family. */
        counts: new Map<string, number>(
          count === undefined ? [] : [[count.family, list.length + nameless + leftOut]],
        ),
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

function withFewTexts(objects: readonly ResourceObject[], max: number): ResourceObject[] {
  const textOf = ({ values }: ResourceObject) => values[0]?.text
  const texts = [...new Set(objects.map(textOf))].slice(0, max)
  return objects.filter((object) => texts.includes(textOf(object)))
}
