import { expect, test } from 'vitest'
import type { ResourceObject } from '../../src/api/resources/objects.ts'
import { renderPart } from '../../src/metrics/lines.ts'
import { resourceSamples } from '../../src/metrics/resource_samples.ts'
import { OBJECT_KINDS, type ObjectName } from '../../src/system_catalogue.ts'
import { parseExposition } from './exposition_text.ts'

/** An object with the value 1 in all columns. */
function objectOf(name: ObjectName, label: string, id: string): ResourceObject {
  const kind = OBJECT_KINDS.get(name)
  if (kind === undefined) throw new Error(`there is no object ${name}`)
  const values = kind.columns.map((column) => ({ column, value: 1, text: 'text' }))
  return { kind, labels: [label], id, details: {}, values }
}

function seriesOf(objects: readonly ResourceObject[]) {
  const samples = resourceSamples('s', {
    objects: [...objects],
    counts: new Map(),
    exportedObjects: objects.length,
    leftOut: 0,
    rejectedObjects: 0,
    rejected: [],
    missing: undefined,
  })
  return parseExposition(renderPart(samples).text.toString())
}

test('objects of different kinds may have the same name; two of one kind have their ids', () => {
  const names = (objects: readonly ResourceObject[], label: string) =>
    new Set(seriesOf(objects).flatMap(({ labels }) => labels[label] ?? []))
  const [pool, group] = [objectOf('pool', 'hot', 'p1'), objectOf('group', 'hot', 'g1')]
  expect(names([pool, group], 'pool')).toEqual(new Set(['hot']))
  expect(names([pool, group], 'replication_group')).toEqual(new Set(['hot']))
  expect(names([pool, objectOf('pool', 'hot', 'p2'), group], 'pool')).toEqual(new Set(['p1', 'p2']))
})

test('columns of one family differ in their labels', () => {
  const series = seriesOf([objectOf('pool', 'hot', 'p1'), objectOf('group', 'hot', 'g1')])
  const keys = series.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
  expect(new Set(keys).size).toBe(keys.length)
})
