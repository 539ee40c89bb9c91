import { describe, expect, test } from 'vitest'
import { POOL_LISTS, sameOriginPath } from '../../../src/api/feed/pools.ts'

const [storagePools, virtualArrays] = POOL_LISTS
const BASE = 'https://ecs1.example.net:4443'
const list = (key: string, ...pools: unknown[]) => ({ _embedded: { [key]: pools } })
const linked = (href: unknown) => list('_instances', { name: 'sp', _links: { nodes: { href } } })
const ids = (body: unknown) => storagePools.decode(body, BASE).map(({ id }) => id)

describe('the list of storage pools', () => {
  test.each(['_instances', 'instances'])('%s', (key) => {
    const body = list(key, { id: 'urn:storageos:VirtualArray:1', name: 'sp1', numNodes: '5' }, { id: 2 })
    expect(storagePools.decode(body, BASE)).toEqual([
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
    expect(ids(list('_instances', { id: 'b17d', _links: { nodes: { href } } }))).toEqual([
      'urn:storageos:VirtualArray:b17d',
    ])
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
    expect(() => ids(list('_instances', ...pools))).toThrowError(
      expect.objectContaining({ reason: 'too_large' }),
    )
  })
})

describe('the list of virtual arrays', () => {
  test.each<[unknown, string[]]>([
    [{ varray: [{ id: 'a', name: 'p', isProtected: false, isColdStorageEnabled: 'false' }] }, ['a']],
    [{ varray: { id: 'a' } }, ['a']],
    [{ varray: [] }, []],
  ])('%j', (body, expected) => {
    expect(virtualArrays.decode(body).map(({ id }) => id)).toEqual(expected)
  })

  test.each([
    [null],
    [{}],
    [[]],
    [{ varray: null }],
    [{ varray: 'oops' }],
    [{ varray: [{ name: 'no id' }] }],
  ])('%j is refused', (body) => {
    expect(() => virtualArrays.decode(body)).toThrowError(expect.objectContaining({ reason: 'schema' }))
  })
})

test('sameOriginPath keeps the path and drops the query', () => {
  expect(sameOriginPath(' /a/b?c=1 ', BASE)).toBe('/a/b')
  expect(sameOriginPath('/a', 'https://host/below')).toBe('/a')
})
