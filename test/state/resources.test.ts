import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { ResourceReading } from '../../src/api/resources/reading.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import { withPools } from '../../src/state/changes.ts'
import { withResource, withResourceFailure } from '../../src/state/resources.ts'
import { newSystem, type SystemState } from '../../src/state/state.ts'
import { systemParts } from '../../src/state/store.ts'
import { OBJECT_KINDS, type ObjectName } from '../../src/system_catalogue.ts'
import { parseExposition, partText } from '../metrics/exposition_text.ts'

const READING: ResourceReading = {
  objects: [],
  exportedObjects: 0,
  counts: new Map(),
  leftOut: 2,
  rejectedObjects: 1,
  rejected: [],
}

/** The states of the resources of a system: values by metric and resource. */
function shown(system: SystemState): Record<string, number> {
  const series = parseExposition(createExposition([...systemParts(system)]).text('text'))
  const ofResources = series.filter(({ name }) => /^sds_resource_(available|up|objects)$/.test(name))
  const keyOf = (name: string, { resource, state }: Record<string, string>) =>
    [name.replace('sds_resource_', ''), resource, state].filter((part) => part !== undefined).join(' ')
  return Object.fromEntries(ofResources.map(({ name, labels, value }) => [keyOf(name, labels), value]))
}

const system = newSystem('a')

test('a resource shows whether it is up, and how many objects were left out or rejected', () => {
  expect(shown(withResource(system, 'namespace', READING, 5))).toEqual({
    'available namespaces': 1,
    'up namespaces': 1,
    'objects namespaces exported': 0,
    'objects namespaces left_out': 2,
    'objects namespaces rejected': 1,
  })
})

test('a resource is not up if one of its requests failed, and is if the system does not serve it', () => {
  const read = withResource(system, 'node', READING, 5)
  const upAfter = (failure: ApiError) =>
    shown(withResourceFailure(read, 'license', failure, 5))['up inventory']
  expect(upAfter(new ApiError('server_error', 'failed', { status: 500 }))).toBe(0)
  expect(upAfter(new ApiError('not_found', 'none', { status: 404 }))).toBe(1)
})

test('an invalid value is counted when it appears, not with each reading', () => {
  const invalid = (text: string, times: number) => ({
    ...READING,
    rejected: [{ attribute: 'inventory', reason: 'time' as const, node: '', text, times }],
  })
  const counts = [
    invalid('a', 1),
    invalid('a', 1),
    invalid('a', 3),
    READING,
    invalid('a', 1),
    invalid('b', 1),
  ]
  let state = system
  const counted = counts.map((reading) => {
    state = withResource(state, 'node', reading, 5)
    return [...state.rejections.byAttribute.values()][0]
  })
  expect(counted).toEqual([1, 1, 3, 3, 4, 5])
})

/** An object with the value 1 in its first column. */
function readingOf(name: ObjectName, id: string): ResourceReading {
  const kind = OBJECT_KINDS[name]
  const [column] = kind.columns
  if (column === undefined) throw new Error(`${name} has no column`)
  const object = { kind, labels: [id], id, details: {}, values: [{ column, value: 1 }] }
  return { ...READING, objects: [object] }
}

test('figures of a pool have the label that the pool has now', () => {
  const pool = (id: string) => ({ id, name: 'gold' })
  const labelIn = (state: SystemState) => {
    const { part } = state.resources.get('pool') ?? {}
    return parseExposition(part === undefined ? '' : partText(part)).map(({ labels }) => labels['pool'])
  }
  const alone = withPools(system, [pool('p1')])
  const read = withResource(alone, 'pool', readingOf('pool', 'p1'), 5)
  expect(labelIn(read)).toEqual(['gold'])
  expect(labelIn(withPools(read, [pool('p1'), pool('p2')]))).toEqual(['p1'])
})

test('the lines of all resources may take a quarter of the limit', () => {
  const pools = readingOf('pool', 'p1')
  const bytes = withResource(system, 'pool', pools, 5).resources.get('pool')?.part.bytes
  const maxBytes = 4 * (bytes ?? 0)
  expect(() => withResource({ ...system, maxBytes }, 'pool', pools, 5)).not.toThrow()
  expect(() => withResource({ ...system, maxBytes: maxBytes - 1 }, 'pool', pools, 5)).toThrow(
    'limits.max_response_bytes',
  )
  // A small one is exported beside one that takes nearly all of it, not the other way round.
  const [object] = pools.objects
  if (object === undefined) throw new Error('there is an object')
  const ids = Array.from({ length: 200 }, (_, index) => `p${index}`)
  const large = { ...pools, objects: ids.map((id) => ({ ...object, labels: [id], id })) }
  const ofLarge = withResource(system, 'pool', large, 5).resources.get('pool')?.part.bytes
  const limited = { ...system, maxBytes: 4 * (ofLarge ?? 0) }
  const full = withResource(limited, 'pool', large, 5)
  expect(withResource(full, 'vdc', readingOf('vdc', 'v1'), 5).resources.get('vdc')?.reading).toBeDefined()
  const small = withResource(limited, 'vdc', readingOf('vdc', 'v1'), 5)
  expect(() => withResource(small, 'pool', large, 5)).toThrow('limits.max_response_bytes')
})
