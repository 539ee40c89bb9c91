import { describe, expect, test } from 'vitest'
import { decodeFeed, type FeedReading } from '../../../src/api/feed/feed.ts'
import {
  createJoin,
  isQueried,
  lacksPerformance,
  mergePerformance,
  unmatchedRows,
} from '../../../src/api/query/merge.ts'
import type { SystemConfig } from '../../../src/config/config.ts'
import { bodyOf, decodeBody, type RowOptions, readingOf } from './query_files.ts'

const feed = (...nodes: readonly object[]) => decodeFeed({ _embedded: { _instances: nodes } })
const memory = (node: string): RowOptions[] =>
  (['used', 'used_percent'] as const).map((field) => {
    return { time: '08:35:00', value: 50, field, measurement: 'mem', node }
  })
/** Nodes with these names, whose ids are `id-` and the name. */
const performanceOf = (...names: readonly string[]) => readingOf([decodeBody(bodyOf(names.flatMap(memory)))])
/** Merges the only feed of a system. */
const merge = (only: FeedReading, ...names: readonly string[]) =>
  mergePerformance(only, createJoin(performanceOf(...names).nodes, [only]))
const MEMORY = { nodeMemoryUtilizationBytesCurrent: [{ t: 1, Bytes: 7 }] }

describe('nodes', () => {
  test('are joined by id, else by name, without case', () => {
    const nodes = [
      { id: 'ID-A', displayName: 'other' },
      { id: '2', displayName: 'B' },
      { id: '3', displayName: 'c' },
    ]
    const merged = merge(feed(...nodes), 'a', 'b', 'x')
    const used = merged.nodes.map(
      ({ id, values }) => `${id} ${values.get('nodeMemoryUtilizationBytes')?.value}`,
    )
    expect(used).toEqual(['2 50', '3 undefined', 'ID-A 50'])
    expect(unmatchedRows(performanceOf('a', 'b', 'x', 'y'), [feed(...nodes)])).toBe(4)
  })

  test('with a name that is not unique are joined by id only', () => {
    const nodes = ['1', 'id-b'].map((id) => ({ id, displayName: 'a' }))
    const merged = merge(feed(...nodes), 'a', 'b')
    expect(merged.nodes.map(({ id, values }) => `${id} ${[...values].length}`)).toEqual(['1 0', 'id-b 2'])
  })
})

describe('rows that cannot be joined', () => {
  const joined = (names: readonly string[], ...feeds: readonly ReturnType<typeof feed>[]) => {
    const performance = performanceOf(...names)
    const find = createJoin(performance.nodes, feeds)
    const found = feeds.flatMap((one) => mergePerformance(one, find).nodes)
    return {
      joined: found.filter(({ values }) => [...values].length > 0).map(({ id }) => id),
      unmatched: unmatchedRows(performance, feeds),
    }
  }

  test('because their name is not unique are counted, also if the others are in another pool', () => {
    const a = { id: '1', displayName: 'a' }
    const b = { id: '2', displayName: 'A' }
    expect(joined(['a'], feed(a, b))).toEqual({ joined: [], unmatched: 2 })
    expect(joined(['a'], feed(a), feed(b))).toEqual({ joined: [], unmatched: 2 })
    expect(joined(['a'], feed(a))).toEqual({ joined: ['1'], unmatched: 0 })
  })

  test('are not those of another node whose id they have', () => {
    const nodes = [
      { id: 'id-a', displayName: 'new' },
      { id: '2', displayName: 'a' },
    ]
    expect(joined(['a'], feed(...nodes))).toEqual({ joined: ['id-a'], unmatched: 0 })
  })
})

describe('an attribute', () => {
  test('that the feed serves on one node is that of the feed on all nodes', () => {
    const nodes = [
      { id: 'id-a', displayName: 'a', ...MEMORY },
      { id: 'id-b', nodeCpuUtilizationCurrent: [{ t: 1, Percent: 3 }] },
    ]
    const { nodes: merged, queried, coverage } = merge(feed(...nodes), 'a', 'b')
    expect(merged.map(({ values }) => Object.fromEntries(values))).toMatchObject([
      { nodeMemoryUtilizationBytes: { t: 1, value: 7 }, nodeMemoryUtilization: { value: 0.5 } },
      { nodeMemoryUtilization: { value: 0.5 } },
    ])
    expect(merged[1]?.values.get('nodeMemoryUtilizationBytes')).toBeUndefined()
    expect(queried.has('nodeMemoryUtilizationBytes')).toBe(false)
    expect(coverage.get('nodeMemoryUtilizationBytes')).toEqual({ served: 1, absent: 1, unreadable: 0 })
  })

  test('that the feed serves unreadable is not taken from the Flux API', () => {
    const nodes = [{ id: 'id-a', nodeMemoryUtilizationBytesCurrent: [{ t: 1, Bytes: 'NaN' }] }]
    const { nodes: merged } = merge(feed(...nodes), 'a')
    expect(merged[0]?.values.get('nodeMemoryUtilizationBytes')).toBeUndefined()
  })

  test('of the Flux API is counted by node', () => {
    const { coverage, queried } = merge(feed({ id: 'id-a' }, { id: 'id-b' }), 'a')
    expect(coverage.get('nodeMemoryUtilization')).toEqual({ served: 1, absent: 1, unreadable: 0 })
    expect(queried.has('nodeMemoryUtilization')).toBe(true)
    // Which no query can serve.
    expect(queried.has('transactionReadLatency')).toBe(false)
  })

  test('is that of the feed without a reading of the Flux API', () => {
    expect(mergePerformance(feed({ id: 'id-a' }), undefined).queried.size).toBe(0)
  })
})

describe('a pool whose nodes have two releases', () => {
  const OLD = { id: 'id-a', healthStatus: 'Good', ...MEMORY }
  const UPGRADED = { id: 'id-b', healthStatus: 'Good' }

  test('has the figures of the upgraded nodes from the Flux API', () => {
    const { nodes, coverage } = merge(feed(OLD, UPGRADED), 'a', 'b')
    expect(nodes.map(({ values }) => values.get('nodeMemoryUtilizationBytes')?.value)).toEqual([7, 50])
    expect(coverage.get('nodeMemoryUtilizationBytes')).toEqual({ served: 2, absent: 0, unreadable: 0 })
  })

  test.each([
    ['auto', [OLD, UPGRADED], true],
    ['auto', [OLD, { ...UPGRADED, healthStatus: 'NotAccessible' }], false],
    ['auto', [OLD], false],
    ['auto', [UPGRADED], true],
    ['feed', [OLD, UPGRADED], false],
  ] as const)('with the source %s and the nodes %j is queried: %s', (source, nodes, expected) => {
    const performance = { source } as SystemConfig['performance']
    expect(isQueried({ performance }, new Map([['p', { reading: feed(...nodes) }]]))).toBe(expected)
  })
})

test('a feed lacks performance if it has nodes and none of the attributes', () => {
  expect(lacksPerformance(feed())).toBe(false)
  expect(lacksPerformance(feed({ id: 'a', diskSpaceFreeCurrent: [{ t: 1, Space: 5 }] }))).toBe(true)
  expect(lacksPerformance(feed({ id: 'a' }, { id: 'b', ...MEMORY }))).toBe(false)
})
