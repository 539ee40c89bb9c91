import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { MAX_ERROR_TYPES } from '../../../src/api/feed/transaction_errors.ts'
import { isObject } from '../../../src/api/parse/json.ts'
import { ATTRIBUTES, COVERAGE_ATTRIBUTES } from '../../../src/catalogue.ts'
import { parseExposition } from '../../metrics/exposition_text.ts'
import { decodeText, feedFile, nodeLines } from './feed_files.ts'

const feed = (...nodes: unknown[]) => ({ _embedded: { _instances: nodes } })
const rejectedIn = (body: unknown) =>
  decodeFeed(body).rejected.map(({ attribute, reason, times }) => [attribute, reason, times])

describe('feeds typed by hand become the series typed by hand', () => {
  test.each(['documented', 'classic', 'modern', 'awkward', 'empty'])('%s', (name) => {
    const expected = feedFile(`${name}.prom`)
      .split('\n')
      .filter((line) => line !== '')
    expect(nodeLines(decodeText(feedFile(`${name}.json`)))).toEqual(expected)
  })

  test('the documented one has every attribute there is', () => {
    const { coverage, rejected } = decodeText(feedFile('documented.json'))
    expect(rejected).toEqual([])
    for (const attribute of COVERAGE_ATTRIBUTES) {
      expect([attribute, coverage.get(attribute)]).toEqual([
        attribute,
        { served: 1, absent: 0, unreadable: 0 },
      ])
    }
  })
})

describe('coverage', () => {
  test('says of each attribute how many nodes serve it, lack it or garble it', () => {
    const { coverage, rejected } = decodeText(feedFile('classic.json'))
    expect(coverage.get('diskSpaceTotal')).toEqual({ served: 1, absent: 0, unreadable: 0 })
    expect(coverage.get('transactionReadBandwidth')).toEqual({ served: 0, absent: 1, unreadable: 0 })
    expect(coverage.get('transactionWriteLatency')).toEqual({ served: 0, absent: 0, unreadable: 1 })
    expect(coverage.get('allocatedCapacityForecast')).toEqual({ served: 0, absent: 1, unreadable: 0 })
    expect(rejected.map(({ attribute, reason }) => [attribute, reason])).toEqual([
      ['transactionWriteLatency', 'text'],
      ['diskReadBandwidthTotal', 'negative'],
    ])
  })

  test('counts every node once, also where an id comes twice', () => {
    const { nodes, coverage } = decodeText(feedFile('awkward.json'))
    for (const counts of coverage.values()) {
      expect(counts.served + counts.absent + counts.unreadable).toBe(nodes.length)
    }
    expect(coverage.get('healthStatus')).toEqual({ served: 1, absent: 2, unreadable: 1 })
  })

  test('tells a garbled list from a missing one', () => {
    const { coverage } = decodeFeed(
      feed({
        id: 'a',
        transactionErrorsCurrent: { all: [{ t: 1, Rate: 'NaN' }] },
        allocatedCapacityForecast: [{ unit: 'day', forecast: 'soon', history: '7', target: '80' }],
      }),
    )
    expect(coverage.get('transactionErrors')).toEqual({ served: 0, absent: 0, unreadable: 1 })
    expect(coverage.get('allocatedCapacityForecast')).toEqual({ served: 0, absent: 0, unreadable: 1 })
  })
})

describe('what is no feed', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a text', 'nodes'],
    ['a number', 7],
    ['no _embedded', { title: 'Nodes List' }],
    ['_embedded that is a list', { _embedded: [] }],
    ['no list in it', { _embedded: { nodes: [] } }],
    ['a list that is an object', { _embedded: { instances: {} } }],
    ['_embedded that is inherited', JSON.parse('{"__proto__": {"_embedded": {"instances": []}}}')],
    ['entries without a single id', feed({ displayName: 'a' }, null, 7)],
  ])('%s is refused as schema', (_, body) => {
    expect(() => decodeFeed(body)).toThrowError(expect.objectContaining({ reason: 'schema' }))
  })

  test('of both names of the list the one of real systems counts, where it is a list', () => {
    const both = { _embedded: { instances: [{ id: 'a' }], _instances: [{ id: 'b' }] } }
    expect(decodeFeed(both).nodes.map(({ id }) => id)).toEqual(['b'])
    const odd = { _embedded: { instances: [{ id: 'a' }], _instances: null } }
    expect(decodeFeed(odd).nodes.map(({ id }) => id)).toEqual(['a'])
    const empty = { _embedded: { instances: [{ id: 'a' }], _instances: [] } }
    expect(decodeFeed(empty).nodes.map(({ id }) => id)).toEqual(['a'])
  })
})

describe('nodes', () => {
  test('come in the order of their ids, whatever the order of the feed', () => {
    const nodes = ['c', 'a', 'b'].map((id) => ({ id, displayName: `node ${id}`, healthStatus: 'Good' }))
    const lines = nodeLines(decodeFeed(feed(...nodes)))
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: 3 }), (shuffled) => {
        expect(nodeLines(decodeFeed(feed(...shuffled)))).toEqual(lines)
      }),
    )
  })

  test('with one id: the last wins, and the others are counted', () => {
    const body = feed(
      { id: 'a', numDisks: 1 },
      { id: 'b' },
      { id: ' a ', numDisks: 2 },
      { id: 'a', numDisks: 3 },
    )
    const { nodes } = decodeFeed(body)
    expect(nodes.map(({ id, disks }) => [id, disks.get('numDisks')])).toEqual([
      ['a', 3],
      ['b', undefined],
    ])
    expect(rejectedIn(body)).toEqual([['id', 'duplicate', 2]])
  })

  test('with names that differ in half a surrogate pair do not become one series', () => {
    const body = feed({ id: 'a', displayName: 'x\ud800' }, { id: 'b', displayName: 'x\ufffd' })
    const names = parseExposition(nodeLines(decodeFeed(body)).join('\n')).map(({ labels }) => labels['node'])
    expect(names).toEqual(['a', 'b'])
  })
})

describe('bounds', () => {
  test('five thousand types of errors: the most frequent are kept, the others counted', () => {
    const types = Array.from({ length: 5000 }, (_, index) => ({
      errorType: `${index} (S3)`,
      category: 'User',
      errorCount: String(index),
    }))
    const body = feed({ id: 'a', transactionErrorsCurrent: { types } })
    const kept = decodeFeed(body).nodes[0]?.errors?.types ?? []
    expect(kept).toHaveLength(MAX_ERROR_TYPES)
    expect(kept[0]?.errorType).toBe('4999 (S3)')
    expect(rejectedIn(body)).toEqual([['transactionErrors', 'too_many', 5000 - MAX_ERROR_TYPES]])
  })

  test('a million types of errors', () => {
    const types = Array.from({ length: 1_000_000 }, (_, index) => ({ errorType: index, errorCount: index }))
    const body = feed({ id: 'a', transactionErrorsCurrent: { types } })
    expect(decodeFeed(body).nodes[0]?.errors?.types[0]?.count).toBe(9999)
    expect(rejectedIn(body)).toEqual([['transactionErrors', 'too_many', 1_000_000 - MAX_ERROR_TYPES]])
  })

  test('error types of all nodes together are bounded as well', () => {
    const types = Array.from({ length: 100 }, (_, index) => ({ errorType: `${index}`, errorCount: '1' }))
    const nodes = Array.from({ length: 1001 }, (_, id) => ({ id, transactionErrorsCurrent: { types } }))
    const { rejected } = decodeFeed(feed(...nodes))
    expect(rejected).toMatchObject([{ attribute: 'transactionErrors', reason: 'too_many', times: 100 }])
  })

  test('forecasts of one node', () => {
    const allocatedCapacityForecast = Array.from({ length: 150 }, (_, history) => ({
      unit: 'day',
      forecast: '1',
      history,
      target: '80',
    }))
    const body = feed({ id: 'a', allocatedCapacityForecast })
    expect(decodeFeed(body).nodes[0]?.forecasts).toHaveLength(100)
    expect(rejectedIn(body)).toEqual([['allocatedCapacityForecast', 'too_many', 50]])
  })

  test('nodes', () => {
    const nodes = Array.from({ length: 20_003 }, (_, id) => ({ id }))
    expect(decodeFeed(feed(...nodes)).nodes).toHaveLength(20_000)
    expect(rejectedIn(feed(...nodes))).toEqual([['id', 'too_many', 3]])
  })

  test('words of rejected values: those of the first of each kind', () => {
    const nodes = Array.from({ length: 3000 }, (_, id) => ({ id, numDisks: `bad ${id}` }))
    expect(decodeFeed(feed(...nodes)).rejected).toEqual([
      { attribute: 'numDisks', reason: 'text', node: '0', text: 'bad 0', times: 3000 },
    ])
  })
})

/** Every member of the node in a fixture, and the attribute that its loss takes away. */
describe('a member that is lost, null or of another type takes away its own series alone', () => {
  const body = () => JSON.parse(feedFile('documented.json'))
  const nodeOf = (feedBody: ReturnType<typeof body>) => feedBody._embedded.instances[0]
  const families = (lines: readonly string[]) =>
    new Set(lines.map((line) => line.slice(0, line.indexOf('{'))))
  const all = nodeLines(decodeFeed(body()))
  const members = ATTRIBUTES.map(({ name, family, labels }) => ({ key: `${name}Current`, family, labels }))
  const counts = ['numDisks', 'numGoodDisks', 'numBadDisks', 'numMaintenanceDisks', 'numReadyToReplaceDisks']
  const others = [
    { key: 'healthStatus', families: ['sds_node_health_status'] },
    {
      key: 'transactionErrorsCurrent',
      families: [
        'sds_node_transaction_errors_ratio',
        'sds_node_transactions_succeeded',
        'sds_node_transactions_failed',
        'sds_node_transaction_errors_by_type',
        'sds_node_transaction_errors_by_type_ratio',
      ],
    },
    {
      key: 'allocatedCapacityForecast',
      families: ['sds_node_capacity_forecast_seconds', 'sds_node_capacity_forecast_available'],
    },
  ]
  /** What stands in the place of the member; undefined: it is removed. */
  const spoilings: [string, unknown][] = [
    ['removed', undefined],
    ['null', null],
    ['true', true],
    ['a list of lists', [[]]],
    ['an empty object', {}],
  ]
  const spoiled = (key: string, value: unknown) => {
    const feedBody = body()
    if (value === undefined) delete nodeOf(feedBody)[key]
    else nodeOf(feedBody)[key] = value
    return nodeLines(decodeFeed(feedBody))
  }
  const withoutAges = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith('sds_node_sample_timestamp_seconds'))

  test.each(spoilings)('attributes: %s', (_, value) => {
    for (const { key, family, labels } of members) {
      const ends = Object.entries(labels).map(([name, value]) => `,${name}="${value}"`)
      const own = (line: string) => line.startsWith(`${family}{`) && ends.every((end) => line.includes(end))
      expect([key, withoutAges(spoiled(key, value))]).toEqual([
        key,
        withoutAges(all).filter((line) => !own(line)),
      ])
    }
  })

  test.each(spoilings)('counts of disks: %s', (_, value) => {
    for (const key of counts) expect([key, spoiled(key, value).length]).toEqual([key, all.length - 1])
  })

  test.each(spoilings)('lists and states: %s', (_, value) => {
    for (const { key, families: lost } of others) {
      const left = families(withoutAges(spoiled(key, value)))
      const expected = [...families(withoutAges(all))].filter((family) => !lost.includes(family))
      expect([key, [...left]]).toEqual([key, expected])
    }
  })

  test('any JSON in the place of any member: nothing throws, no series is twice, no value is no number', () => {
    const keys = Object.keys(nodeOf(body())).filter((key) => key !== 'id')
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
        const feedBody = body()
        nodeOf(feedBody)[key] = value
        const lines = nodeLines(decodeFeed(feedBody))
        const series = parseExposition(lines.join('\n'))
        expect(series.every(({ value: number }) => Number.isFinite(number))).toBe(true)
        expect(new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(lines.length)
      }),
      { numRuns: 300 },
    )
  })

  test('any JSON as a feed: a reading or the reason schema', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.jsonValue().map((value) => feed(value)),
        ),
        (value) => {
          try {
            expect(isObject(decodeFeed(value))).toBe(true)
          } catch (failure) {
            expect(failure).toMatchObject({ reason: 'schema' })
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
