import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import {
  createPoolList,
  POOL_LISTS,
  type PoolRef,
  sameOriginPath,
} from '../../../src/api/resources/pool_list.ts'
import { never } from '../http/responses.ts'

const [FIRST, SECOND] = POOL_LISTS
const POOLS: readonly PoolRef[] = [{ id: 'p1', name: 'one' }]

/** A system with an outcome for each of its two lists. Tests may change the outcomes. */
function setup(first: Reason | 'ok', second: Reason | 'ok') {
  const outcomes = new Map<(typeof POOL_LISTS)[number], Reason | 'ok'>([
    [FIRST, first],
    [SECOND, second],
  ])
  const requested: string[] = []
  const pools = createPoolList(async (request) => {
    const list = POOL_LISTS.find(({ path }) => path === request.path) ?? FIRST
    requested.push(list === FIRST ? 'first' : 'second')
    const outcome = outcomes.get(list) ?? 'ok'
    if (outcome !== 'ok') throw new ApiError(outcome, list.path)
    return POOLS as never
  })
  return { outcomes, requested, pools: () => pools(never()) }
}

test.each<Reason>(['not_found', 'client_error', 'schema'])(
  'if the first list fails with %s, the second one is used, now and later',
  async (reason) => {
    const { pools, requested, outcomes } = setup(reason, 'ok')
    expect(await pools()).toBe(POOLS)
    outcomes.set(SECOND, 'unavailable')
    await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
    expect(requested).toEqual(['first', 'second', 'second'])
  },
)

test('after a success the other list is tried on the second 404 in a row', async () => {
  const { pools, requested, outcomes } = setup('ok', 'ok')
  await pools()
  for (const outcome of ['not_found', 'timeout', 'not_found'] as const) {
    outcomes.set(FIRST, outcome)
    await expect(pools()).rejects.toMatchObject({ reason: outcome })
  }
  expect(requested).toEqual(['first', 'first', 'first', 'first'])
  expect(await pools()).toBe(POOLS)
  expect(requested.slice(4)).toEqual(['first', 'second'])
  await pools()
  expect(requested.slice(6)).toEqual(['second'])
  // The same in the other direction.
  outcomes.set(FIRST, 'ok')
  outcomes.set(SECOND, 'not_found')
  await expect(pools()).rejects.toMatchObject({ reason: 'not_found' })
  expect(await pools()).toBe(POOLS)
  expect(requested.at(-1)).toBe('first')
})

test('another failure does not try the other list', async () => {
  const { pools, requested } = setup('unavailable', 'ok')
  await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
  expect(requested).toEqual(['first'])
})

test.each<[Reason, Reason, Reason]>([
  ['not_found', 'forbidden', 'forbidden'],
  ['schema', 'not_found', 'schema'],
])('of two failures (%s, %s) the more specific one is reported', async (first, second, reported) => {
  await expect(setup(first, second).pools()).rejects.toMatchObject({ reason: reported })
})

const [storagePools, virtualArrays] = POOL_LISTS
const BASE = 'https://ecs1.example.net:4443'
const list = (key: string, ...pools: unknown[]) => ({ _embedded: { [key]: pools } })
const linked = (href: unknown) => list('_instances', { name: 'sp', _links: { nodes: { href } } })
const RESPONSE = { baseUrl: BASE, now: 0 }
const ids = (body: unknown) => storagePools.decode(body, RESPONSE).pools.map(({ id }) => id)

describe('the list of storage pools', () => {
  test.each(['_instances', 'instances'])('%s', (key) => {
    const body = list(key, { id: 'urn:storageos:VirtualArray:1', name: 'sp1', numNodes: '5' }, { id: 2 })
    expect(storagePools.decode(body, RESPONSE).pools).toEqual([
      { id: 'urn:storageos:VirtualArray:1', name: 'sp1' },
      { id: '2', name: undefined },
    ])
  })

  test.each([
    '/dashboard/storagepools/urn:x:1/nodes',
    'dashboard/storagepools/urn:x:1/nodes',
    '/dashboard/storagepools/urn:x:1/nodes ',
    '/dashboard/storagepools/urn%3Ax%3A1/nodes.json',
    `${BASE}/dashboard/storagepools/urn:x:1/nodes`,
  ])('the link %j contains the id', (href) => {
    expect(ids(linked(href))).toEqual(['urn:x:1'])
  })

  test.each([
    'https://evil.example.net:4443/dashboard/storagepools/urn:x:1/nodes',
    'https://ecs1.example.net/dashboard/storagepools/urn:x:1/nodes',
    'http://ecs1.example.net:4443/dashboard/storagepools/urn:x:1/nodes',
    '//evil.example.net:4443/dashboard/storagepools/urn:x:1/nodes',
    '\\\\evil.example.net\\dashboard/storagepools/urn:x:1/nodes',
    'javascript:alert(1)',
    'https://',
    '/dashboard/nodes/1',
    '/dashboard/storagepools/%zz/nodes',
    `${'a/'.repeat(2048)}dashboard/storagepools/urn:x:1/nodes`,
    '',
    7,
    null,
  ])('the link %j contains no id: the member id is used, else the list is refused', (href) => {
    expect(() => ids(linked(href))).toThrow('1 of 1 entries of the list of pools have no id')
    expect(ids(list('_instances', { id: 'good', _links: { nodes: { href } } }))).toEqual(['good'])
  })

  test('the id of the link is used before the member id', () => {
    const href = '/dashboard/storagepools/urn:storageos:VirtualArray:b17d/nodes'
    const body = list('_instances', { id: 'b17d', _links: { nodes: { href } } })
    expect(ids(body)).toEqual(['urn:storageos:VirtualArray:b17d'])
  })

  test('a duplicate pool is listed once', () => {
    expect(ids(list('_instances', { id: 'a' }, { id: 'a', name: 'x' }))).toEqual(['a'])
  })

  test.each([[null], ['x'], [{ name: 'no id' }], [{ id: 'x'.repeat(257) }]])(
    'the list is refused with %j as a pool',
    (entry) => {
      expect(() => ids(list('_instances', { id: 'a' }, entry))).toThrow('1 of 2 entries')
      expect(ids(list('_instances', { id: 'x'.repeat(256) }))).toEqual(['x'.repeat(256)])
    },
  )

  test('the list with entries is used, as in the feed', () => {
    const pools = [{ id: 'a' }]
    expect(ids({ _embedded: { _instances: [], instances: pools } })).toEqual(['a'])
    expect(ids({ _embedded: { _instances: null, instances: pools } })).toEqual(['a'])
    expect(ids({ _embedded: { _instances: pools, instances: [{ id: 'b' }] } })).toEqual(['a'])
  })

  test('an empty list is a system without pools', () => {
    expect(ids(list('_instances'))).toEqual([])
  })

  test.each([[null], [{}], [{ _embedded: {} }], [{ _embedded: { _instances: {} } }], [[]], ['x']])(
    '%j is refused',
    (body) => {
      expect(() => ids(body)).toThrowError(expect.objectContaining({ reason: 'schema' }))
    },
  )

  test('is refused with more than 1000 pools', () => {
    const pools = Array.from({ length: 1001 }, (_, id) => ({ id }))
    expect(ids(list('_instances', ...pools.slice(1)))).toHaveLength(1000)
    const refused = expect.objectContaining({ reason: 'too_large' })
    expect(() => ids(list('_instances', ...pools))).toThrowError(refused)
  })
})

describe('the list of virtual arrays', () => {
  test.each<[unknown, string[]]>([
    [{ varray: [{ id: 'a', name: 'p', isProtected: false, isColdStorageEnabled: 'false' }] }, ['a']],
    [{ varray: { id: 'a' } }, ['a']],
    [{ varray: [] }, []],
  ])('%j', (body, expected) => {
    expect(virtualArrays.decode(body).pools.map(({ id }) => id)).toEqual(expected)
  })

  test('with another shape is refused', () => {
    const bodies = [null, {}, [], { varray: null }, { varray: 'oops' }, { varray: [{ name: 'no id' }] }]
    const refused = expect.objectContaining({ reason: 'schema' })
    for (const body of bodies) expect(() => virtualArrays.decode(body)).toThrowError(refused)
  })
})

test('sameOriginPath keeps the path and drops the query', () => {
  expect(sameOriginPath(' /a/b?c=1 ', BASE)).toBe('/a/b')
  expect(sameOriginPath('/a', 'https://host/below')).toBe('/a')
})
