import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeListed, type ResourceObject } from '../../src/api/resources/objects.ts'
import { createReadingBuilder } from '../../src/api/resources/reading.ts'
import { createPart } from '../../src/metrics/lines.ts'
import { addResource, exportedNames, type KnownNames } from '../../src/state/resources.ts'
import { OBJECT_KINDS, type ObjectName } from '../../src/system_catalogue.ts'
import { parseExposition, partText } from '../metrics/exposition_text.ts'

/** An object with the value 1 in all columns. */
function objectOf(name: ObjectName, label: string, id: string): ResourceObject {
  const kind = OBJECT_KINDS[name]
  const values = kind.columns.map((column) => ({ column, value: 1, text: 'text' }))
  return { kind, labels: [label], id, details: {}, values }
}

function seriesOf(
  objects: readonly ResourceObject[],
  known: KnownNames = {},
  counts = new Map<string, number>(),
) {
  const reading = { objects: [...objects], counts }
  return parseExposition(partText(createPart((add) => addResource(add, 's', reading, known))))
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

test('an entry without an id that has the name of a node in the feed is this node', () => {
  const entries = [
    { nodeid: 'id-1', nodename: 'n1.example', version: '4' },
    { nodename: 'n1', version: '4' },
  ]
  const known = { node: (id: string) => (id === 'id-1' ? 'n1' : undefined) }
  expect(seriesOf(readingOf(OBJECT_KINDS.node, entries).objects, known).map(({ labels }) => labels)).toEqual([
    { system: 's', node: 'n1', version: '4' },
  ])
})

test('a lag has the name of the group with its id, which lists write with a prefix', () => {
  const group = objectOf('group', 'rg1', 'Replication_Group: urn:g1')
  const known = { replicationLag: exportedNames({ objects: [group] }) }
  const [series] = seriesOf([objectOf('replicationLag', 'urn:g1', 'urn:g1')], known)
  expect(series?.labels).toMatchObject({ replication_group: 'rg1' })
})

const LISTED_KINDS = Object.values(OBJECT_KINDS).filter(({ labels }) => Object.keys(labels).length > 0)
const name = fc.constantFrom(undefined, null, '', ' ', 'x', ' x', 'y', 'Replication_Group: x')

/** Entries of a list with few different names and ids, and with all figures. */
function listOf({ columns, labels, id }: (typeof LISTED_KINDS)[number]) {
  const figures = columns.flatMap(({ members: [first] }) => (first === undefined ? [] : [[first, 1]]))
  const texts = columns.flatMap(({ text }) => (text === undefined ? [] : [text.member]))
  const members = [
    ...Object.values(labels).flatMap((names) => names.split('|')),
    ...(id === undefined ? [] : [id]),
  ]
  const named = fc.record(Object.fromEntries([...members, ...texts].map((member) => [member, name])))
  return fc.array(
    named.map((entry) => ({ ...Object.fromEntries(figures), ...entry })),
    { maxLength: 5 },
  )
}

function readingOf(kind: (typeof LISTED_KINDS)[number], entries: readonly unknown[]) {
  const builder = createReadingBuilder(kind)
  builder.add(decodeListed(entries, kind, { ...builder, now: 0 }))
  return builder.reading()
}

test.each(LISTED_KINDS.map((kind) => [kind.name, kind] as const))(
  'no series of %s has an empty name, and no two are equal',
  (_, kind) => {
    fc.assert(
      fc.property(listOf(kind), listOf(OBJECT_KINDS.group), (entries, others) => {
        const known = { replicationLag: exportedNames(readingOf(OBJECT_KINDS.group, others)) }
        const { objects, counts } = readingOf(kind, entries)
        const series = seriesOf(objects, known, counts)
        const keys = series.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
        expect(keys).toEqual([...new Set(keys)])
        const [first = ''] = Object.keys(kind.labels)
        const ofObjects = series.filter(({ name }) => name !== kind.count?.family)
        expect(ofObjects.filter(({ labels }) => labels[first] === '')).toEqual([])
      }),
      { numRuns: 200 },
    )
  },
)
