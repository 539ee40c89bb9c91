import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { ATTRIBUTES, COVERAGE_ATTRIBUTES, TRANSACTION_ERRORS } from '../../../src/catalogue.ts'
import { parseExposition } from '../../metrics/exposition_text.ts'
import { decodeText, feedFile, nodeLines } from './feed_files.ts'

const feed = (...nodes: unknown[]) => ({ _embedded: { _instances: nodes } })
const rejectedIn = (body: unknown) =>
  decodeFeed(body).rejected.map(({ attribute, reason, times }) => [attribute, reason, times])

describe('a fixture becomes the expected series', () => {
  test.each(['documented', 'classic', 'modern', 'awkward', 'empty'])('%s', (name) => {
    const lines = nodeLines(decodeText(feedFile(`${name}.json`)))
    expect(lines).toEqual(feedFile(`${name}.prom`).split('\n').filter(Boolean))
  })

  test('the values of fixture documented can be read', () => {
    const { coverage, rejected } = decodeText(feedFile('documented.json'))
    expect(rejected).toEqual([])
    expect(COVERAGE_ATTRIBUTES.filter((attribute) => coverage.get(attribute)?.served !== 1)).toEqual([])
  })
})

describe('coverage', () => {
  test('counts served, absent and unreadable attributes', () => {
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

  test('counts every node once, also with duplicate ids', () => {
    const { nodes, coverage } = decodeText(feedFile('awkward.json'))
    for (const counts of coverage.values()) {
      expect(counts.served + counts.absent + counts.unreadable).toBe(nodes.length)
    }
    expect(coverage.get('healthStatus')).toEqual({ served: 1, absent: 2, unreadable: 1 })
  })

  test('distinguishes an unreadable list from an absent one', () => {
    const transactionErrorsCurrent = { all: [{ t: 1, Rate: 'NaN' }] }
    const allocatedCapacityForecast = [{ unit: 'day', forecast: 'soon', history: '7', target: '80' }]
    const { coverage } = decodeFeed(feed({ id: 'a', transactionErrorsCurrent, allocatedCapacityForecast }))
    expect(coverage.get('transactionErrors')).toEqual({ served: 0, absent: 0, unreadable: 1 })
    expect(coverage.get('allocatedCapacityForecast')).toEqual({ served: 0, absent: 0, unreadable: 1 })
  })
})

describe('a body that is not a feed', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a text', 'nodes'],
    ['a number', 7],
    ['no _embedded', { title: 'Nodes List' }],
    ['_embedded that is a list', { _embedded: [] }],
    ['_embedded without a list', { _embedded: { nodes: [] } }],
    ['a list that is an object', { _embedded: { instances: {} } }],
    ['an inherited _embedded', JSON.parse('{"__proto__": {"_embedded": {"instances": []}}}')],
    ['entries without a single id', feed({ displayName: 'a' }, null, 7)],
  ])('%s is refused with reason schema', (_, body) => {
    expect(() => decodeFeed(body)).toThrowError(expect.objectContaining({ reason: 'schema' }))
  })

  test('_instances is used before instances if it is a list with entries', () => {
    for (const [_instances, used] of [
      [[{ id: 'b' }], 'b'] as const,
      [null, 'a'] as const,
      [[], 'a'] as const,
    ]) {
      const { nodes } = decodeFeed({ _embedded: { instances: [{ id: 'a' }], _instances } })
      expect(nodes.map(({ id }) => id)).toEqual([used])
    }
  })
})

describe('nodes', () => {
  test('are sorted by id, in any order of the feed', () => {
    const nodes = ['c', 'a', 'b'].map((id) => ({ id, displayName: `node ${id}`, healthStatus: 'Good' }))
    const lines = nodeLines(decodeFeed(feed(...nodes)))
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: 3 }), (shuffled) => {
        expect(nodeLines(decodeFeed(feed(...shuffled)))).toEqual(lines)
      }),
    )
  })

  test('with the same id: the last one is used, the others are counted', () => {
    const list = ['a', 'b', ' a ', 'a'].map((id, numDisks) => ({ id, numDisks }))
    const body = feed(...list)
    const { nodes } = decodeFeed(body)
    expect(nodes.map(({ id, disks }) => `${id} ${disks.numDisks}`)).toEqual(['a 3', 'b 1'])
    expect(rejectedIn(body)).toEqual([['id', 'duplicate', 2]])
  })

  test('with names that differ only in a lone surrogate have separate series', () => {
    const body = feed({ id: 'a', displayName: 'x\ud800' }, { id: 'b', displayName: 'x\ufffd' })
    const names = parseExposition(nodeLines(decodeFeed(body)).join('\n')).map(({ labels }) => labels['node'])
    expect(names).toEqual(['a', 'b'])
  })
})

describe('bounds', () => {
  const KEPT = TRANSACTION_ERRORS.maxExported

  test('5000 error types: the most frequent are kept, the others are counted', () => {
    const types = Array.from({ length: 5000 }, (_, index) => {
      return { errorType: `${index} (S3)`, category: 'User', errorCount: String(index) }
    })
    const body = feed({ id: 'a', transactionErrorsCurrent: { types } })
    const kept = decodeFeed(body).nodes[0]?.errors?.types ?? []
    expect(kept).toHaveLength(KEPT)
    expect(kept[0]?.errorType).toBe('4999 (S3)')
    expect(rejectedIn(body)).toEqual([['transactionErrors', 'too_many', 5000 - KEPT]])
  })

  test('a million error types', () => {
    const types = Array.from({ length: 1_000_000 }, (_, index) => ({ errorType: index, errorCount: index }))
    const body = feed({ id: 'a', transactionErrorsCurrent: { types } })
    expect(decodeFeed(body).nodes[0]?.errors?.types[0]?.count).toBe(9999)
    expect(rejectedIn(body)).toEqual([['transactionErrors', 'too_many', 1_000_000 - KEPT]])
  })

  test('the error types of all nodes together', () => {
    const types = Array.from({ length: 100 }, (_, index) => ({ errorType: `${index}`, errorCount: '1' }))
    const nodes = Array.from({ length: 501 }, (_, id) => ({ id, transactionErrorsCurrent: { types } }))
    const { rejected } = decodeFeed(feed(...nodes))
    expect(rejected).toMatchObject([{ attribute: 'transactionErrors', reason: 'too_many', times: 100 }])
  })

  test('forecasts of one node', () => {
    const allocatedCapacityForecast = Array.from({ length: 450 }, (_, history) => {
      return { unit: 'day', forecast: '1', history, target: '80' }
    })
    const body = feed({ id: 'a', allocatedCapacityForecast })
    expect(decodeFeed(body).nodes[0]?.forecasts).toHaveLength(400)
    expect(rejectedIn(body)).toEqual([['allocatedCapacityForecast', 'too_many', 50]])
  })

  test('the forecasts of all nodes together', () => {
    const allocatedCapacityForecast = Array.from({ length: 400 }, () => 'other')
    const nodes = Array.from({ length: 126 }, (_, id) => ({ id, allocatedCapacityForecast }))
    expect(rejectedIn(feed(...nodes))).toEqual([
      ['allocatedCapacityForecast', 'shape', 50_000],
      ['allocatedCapacityForecast', 'too_many', 400],
    ])
  })

  test('nodes', () => {
    const nodes = Array.from({ length: 5_003 }, (_, id) => ({ id }))
    expect(decodeFeed(feed(...nodes)).nodes).toHaveLength(5_000)
    expect(rejectedIn(feed(...nodes))).toEqual([['id', 'too_many', 3]])
  })

  test('names', () => {
    const long = 'x'.repeat(10_000)
    const names = {
      id: long,
      displayName: `${long}1`,
      storagePoolName: long,
      apiChange: long,
      healthStatus: long,
    }
    const types = [{ category: long, errorType: long, errorCount: 1 }]
    const [node] = decodeFeed(feed({ ...names, transactionErrorsCurrent: { types } })).nodes
    expect(node?.id).toMatch(/^x{200}…[0-9a-f]{32}$/)
    expect(node?.name).not.toBe(node?.id)
    const ofErrors = node?.errors?.types[0]?.errorType
    const texts = [node?.name, node?.poolName, node?.apiChange, node?.health, ofErrors]
    expect(texts.map((text) => text?.length)).toEqual([233, 233, 233, 64, 233])
  })

  test('error types without a value are not kept', () => {
    const types = [{ errorType: '404' }, { errorType: '500', errorCount: 1 }]
    const [node] = decodeFeed(feed({ id: 'a', transactionErrorsCurrent: { types } })).nodes
    expect(node?.errors?.types.map(({ errorType }) => errorType)).toEqual(['500'])
  })

  test('error types with a rate alone are kept', () => {
    const errorRate = [{ t: 1_785_312_642, Rate: '2' }]
    const [node] = decodeFeed(
      feed({ id: 'a', transactionErrorsCurrent: { types: { errorType: '503', errorRate } } }),
    ).nodes
    expect(node?.errors?.types).toMatchObject([{ category: '', errorType: '503', rate: { value: 0.02 } }])
  })

  test('transaction errors that are a number are rejected, N/A is absent', () => {
    expect(rejectedIn(feed({ id: 'a', transactionErrorsCurrent: 5 }))).toEqual([
      ['transactionErrors', 'shape', 1],
    ])
    expect(rejectedIn(feed({ id: 'a', transactionErrorsCurrent: 'N/A' }))).toEqual([])
  })

  test('a forecast in another unit than days is rejected, unless it is 0', () => {
    const allocatedCapacityForecast = [
      { unit: 'day', forecast: '3', history: '1', target: '80' },
      { unit: 'days', forecast: '4', history: '2', target: '80' },
      { unit: 'month', forecast: '5', history: '3', target: '80' },
      { forecast: '6', history: '4', target: '80' },
      { unit: 'month', forecast: '0', history: '5', target: '80' },
      { forecast: 'N/A', history: '6', target: '80' },
    ]
    const { nodes, rejected } = decodeFeed(feed({ id: 'a', allocatedCapacityForecast }))
    const kept = nodes[0]?.forecasts.map(({ historyDays, days }) => [historyDays, days])
    expect(kept).toEqual([
      ['1', 3],
      ['2', 4],
      ['5', 0],
      ['6', undefined],
    ])
    expect(rejected).toMatchObject([{ reason: 'shape', text: 'the unit month', times: 2 }])
  })

  test('rejects what is not plausible for its unit', () => {
    const t = 1_785_312_642
    const members = {
      numDisks: '1.5',
      diskSpaceTotalCurrent: [{ t, Space: 1.1e18 }],
      nodeCpuUtilizationCurrent: [{ t, Percent: '1e298' }],
      transactionReadLatencyCurrent: [{ t, Latency: 1e8 }],
      transactionReadTransactionsPerSecCurrent: [{ t, TPS: 1e8 }],
      transactionReadBandwidthCurrent: [{ t, Bandwidth: 1_000_001 }],
      diskReadBandwidthTotalCurrent: [{ t, diskIO: 1_000_000 }],
      transactionErrorsCurrent: { errorSuccessTotals: [{ successTotal: 1.5, errorTotal: 2 }] },
      allocatedCapacityForecast: [{ unit: 'day', forecast: 1e10, history: '7', target: '80' }],
    }
    const { nodes, rejected } = decodeFeed(feed({ id: 'a', ...members }))
    expect(new Set(rejected.map(({ reason }) => reason))).toEqual(new Set(['range']))
    expect(rejected).toHaveLength(Object.keys(members).length - 1)
    expect(nodes[0]?.disks).toEqual({})
    expect([...(nodes[0]?.values ?? [])]).toEqual([['diskReadBandwidthTotal', { t, value: 1e12 }]])
    expect(nodes[0]?.errors).toMatchObject({ succeeded: undefined, failed: 2 })
    expect([...(decodeFeed(feed({ id: 'a', ...members }), 'kB/s').nodes[0]?.values ?? [])]).toHaveLength(2)
  })

  test('rejected values: only the first of each kind is quoted', () => {
    const nodes = Array.from({ length: 3000 }, (_, id) => ({ id, numDisks: `bad ${id}` }))
    expect(decodeFeed(feed(...nodes)).rejected).toEqual([
      { attribute: 'numDisks', reason: 'text', node: '0', text: 'bad 0', times: 3000 },
    ])
  })
})

/** Replaces each member of the node of a fixture. */
describe('a member that is missing, null or of another type removes only its own series', () => {
  const body = () => JSON.parse(feedFile('documented.json'))
  const nodeOf = (feedBody: ReturnType<typeof body>) => feedBody._embedded.instances[0]
  const families = (lines: readonly string[]) => new Set(lines.map((line) => line.replace(/\{.*/, '')))
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
  /** Replacement of the member; undefined: the member is removed. */
  const replacements: [string, unknown][] = [
    ['removed', undefined],
    ['null', null],
    ['true', true],
    ['a list of lists', [[]]],
    ['an empty object', {}],
  ]
  const linesWith = (key: string, value: unknown) => {
    const feedBody = body()
    if (value === undefined) delete nodeOf(feedBody)[key]
    else nodeOf(feedBody)[key] = value
    return nodeLines(decodeFeed(feedBody))
  }
  const withoutTimestamps = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith('sds_node_sample_timestamp_seconds'))

  test.each(replacements)('%s', (_, value) => {
    for (const { key, family, labels } of members) {
      const ends = Object.entries(labels).map(([name, value]) => `,${name}="${value}"`)
      const own = (line: string) => line.startsWith(`${family}{`) && ends.every((end) => line.includes(end))
      const left = withoutTimestamps(all).filter((line) => !own(line))
      expect([key, withoutTimestamps(linesWith(key, value))]).toEqual([key, left])
    }
    for (const key of counts) expect([key, linesWith(key, value).length]).toEqual([key, all.length - 1])
    for (const { key, families: lost } of others) {
      const left = families(withoutTimestamps(linesWith(key, value)))
      const expected = [...families(withoutTimestamps(all))].filter((family) => !lost.includes(family))
      expect([key, [...left]]).toEqual([key, expected])
    }
  })
})

describe('the unit of bandwidths', () => {
  const body = feed({
    id: 'n1',
    nodeNicBandwidthCurrent: [{ t: 1, Bandwidth: '5' }],
    diskReadBandwidthTotalCurrent: [{ t: 1, diskIO: '5' }],
  })

  test.each([
    ['MB/s', 5_000_000],
    ['kB/s', 5000],
    ['B/s', 5],
  ] as const)('%s is applied to the value tag Bandwidth only', (unit, expected) => {
    const lines = nodeLines(decodeFeed(body, unit))
    const labels = '{system="frankfurt",pool="p1",node="n1"}'
    expect(lines).toContain(`sds_node_nic_bytes_per_second${labels} ${expected}`)
    expect(lines).toContain(`sds_node_disk_read_bytes_per_second${labels} 5000000`)
  })
})
