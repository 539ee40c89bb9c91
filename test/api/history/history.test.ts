import { describe, expect, test } from 'vitest'
import { decodeHistory, type Period } from '../../../src/api/history/history.ts'

const PERIOD: Period = { start: 6000, end: 7200, interval: 300 }
/** In the period, and on the grid of its points. */
const ANSWERED_AT = 6900

function decode(members: object, period = PERIOD, bandwidthUnit?: 'kB/s') {
  const node = { id: 'n1', displayName: 'one', storagePoolName: 'hot', ...members }
  const options = { period, respondedAt: ANSWERED_AT, ...(bandwidthUnit && { bandwidthUnit }) }
  const reading = decodeHistory({ _embedded: { _instances: [node] } }, options)
  const [first] = reading.nodes
  if (first === undefined) throw new Error('there is no node')
  return { ...reading, node: first }
}

const seriesOf = (points: unknown) => decode({ diskSpaceTotal: points }).node.attributes.get('diskSpaceTotal')

describe('a series', () => {
  test.each<[string, string, number[], number[]]>([
    ['an array', '[{"t":6000,"Space":1},{"t":6300,"Space":2}]', [6000, 6300], [1, 2]],
    ['a single snapshot', '{"t":"6000","Space":"2.3e7"}', [6000], [23_000_000]],
    ['Java doubles', '[{"t":"6000","Space":"1.5434643250766666E13"}]', [6000], [15_434_643_250_766.666]],
    ['other members and blanks', '[{" t ":" 6000 "," Space ":" 5 ","x":1}]', [6000], [5]],
    ['out of order', '[{"t":6600,"Space":3},{"t":6000,"Space":1}]', [6000, 6600], [1, 3]],
    ['duplicates', '[{"t":6000,"Space":1},{"t":6000,"Space":1},{"t":6300,"Space":2}]', [6000, 6300], [1, 2]],
    ['absent values', '[{"t":6000,"Space":"N/A"},null,{"t":6300,"Space":2},{"t":6600}]', [6300], [2]],
    ['a gap', '[{"t":6000,"Space":1},{"t":6900,"Space":2}]', [6000, 6900], [1, 2]],
    ['zero', '[{"t":6000,"Space":"0.0"},{"t":6300,"Space":0}]', [6000, 6300], [0, 0]],
  ])('of %s', (_, points, times, values) => {
    expect(seriesOf(JSON.parse(points))).toEqual({ series: { times, values } })
  })

  test.each([
    ['no member', undefined],
    ['null', null],
    ['an empty array', []],
    ['a zero with the time of the response, off the grid', [{ t: '6901', Space: '0' }]],
    ['a zero with the time of the response, on the grid', [{ t: '6900', Space: '0' }]],
    ['a time of zero', [{ t: 0, Space: 1 }]],
    ['a time in milliseconds', [{ t: 6_000_000_000_000, Space: 2 }]],
    ['a point before the period', [{ t: 5999, Space: 1 }]],
    ['a point after the period', [{ t: 7200, Space: 2 }]],
  ])('is missing for %s', (_, points) => {
    expect(seriesOf(points)).toBeUndefined()
  })

  test('has the first point of the period, and not that of its end', () => {
    const points = [5700, 6000, 6900, 7200].map((t) => ({ t, Space: t }))
    expect(seriesOf(points)?.series.times).toEqual([6000, 6900])
  })

  test('keeps a zero that is not alone, or of another time than the response', () => {
    expect(seriesOf([{ t: 6000, Space: 0 }])?.series.values).toEqual([0])
    expect(seriesOf([{ t: 6001, Space: 0 }])?.series.values).toEqual([0])
    expect(seriesOf([6601, 6901].map((t) => ({ t, Space: 0 })))?.series.values).toEqual([0, 0])
  })

  test.each([
    ['-1', 'negative'],
    ['1e400', 'infinite'],
    ['1.1e18', 'range'],
    [[], 'shape'],
    ['many', 'text'],
  ])('rejects the value %o', (value, reason) => {
    const diskSpaceTotal = [value, 7].map((Space, index) => ({ t: 6000 + 300 * index, Space }))
    const { node, rejected } = decode({ diskSpaceTotal })
    expect(node.attributes.get('diskSpaceTotal')?.series).toEqual({ times: [6300], values: [7] })
    expect(rejected).toMatchObject([{ attribute: 'diskSpaceTotal', reason, node: 'n1', times: 1 }])
  })

  test('rejects points without time, other shapes, and the first of two values of one time', () => {
    const points = [{ Space: 1 }, 'text', { t: 6000, Space: 1 }, { t: 6000, Space: 2 }]
    const { node, rejected } = decode({ diskSpaceTotal: points })
    expect(node.attributes.get('diskSpaceTotal')?.series).toEqual({ times: [6000], values: [2] })
    expect(rejected.map(({ reason }) => reason)).toEqual(['time', 'shape', 'duplicate'])
  })

  test('rejects what is not plausible for the unit, in transaction errors, too', () => {
    const { node, rejected } = decode({
      nodeCpuUtilization: [{ t: 6000, Percent: 201 }],
      transactionReadLatency: [{ t: 6000, Latency: 1e9 }],
      transactionErrors: { all: [{ t: 6000, Rate: 1e298 }] },
      transactionReadBandwidth: [{ t: 6000, Bandwidth: 2_000_000 }],
    })
    expect([...node.attributes, node.errors.all]).toEqual([undefined])
    expect(rejected.map(({ attribute, reason, times }) => `${attribute} ${reason} ${times}`)).toEqual([
      'nodeCpuUtilization range 1',
      'transactionReadLatency range 1',
      'transactionReadBandwidth range 1',
      'transactionErrors range 1',
    ])
  })

  test('of a bandwidth has the configured unit, that of disk I/O MB/s', () => {
    const [nodeNicBandwidth, diskReadBandwidthTotal] = [[{ t: 6000, Bandwidth: 1 }], [{ t: 6000, diskIO: 1 }]]
    const { attributes } = decode({ nodeNicBandwidth, diskReadBandwidthTotal }, PERIOD, 'kB/s').node
    expect(attributes.get('nodeNicBandwidth')?.series.values).toEqual([1000])
    expect(attributes.get('diskReadBandwidthTotal')?.series.values).toEqual([1_000_000])
  })
})

describe('transaction errors', () => {
  const errors = {
    all: [{ t: 6000, Rate: 30 }],
    errorSuccessTotals: [{ successTotal: 2020, errorTotal: 6298 }],
    types: [
      {
        errorType: '404 (S3)',
        category: 'User',
        errorCount: '3',
        errorRate: Object.entries({ 6000: '75.75', 6900: '1' }).map(([t, Rate]) => ({ t, Rate })),
      },
      { errorType: '412 (ATMOS)', category: 'User', errorCount: '1', errorRate: [] },
      { category: 'User' },
    ],
  }

  test('have the rate of all and of each type, without the intervals in which it did not occur', () => {
    const { node, rejected } = decode({ transactionErrors: errors })
    expect(node.errors).toEqual({
      all: { times: [6000], values: [0.3] },
      types: [
        { category: 'User', errorType: '404 (S3)', rate: { times: [6000, 6900], values: [0.7575, 0.01] } },
      ],
    })
    expect(rejected).toMatchObject([{ attribute: 'transactionErrors', reason: 'shape' }])
  })

  test('may be an array of one object, or missing', () => {
    expect(decode({ transactionErrors: [errors] }).node.errors.all?.values).toEqual([0.3])
    for (const absent of [[], null, '', undefined]) {
      const { node, rejected } = decode({ transactionErrors: absent })
      expect([node.errors, rejected]).toEqual([{ all: undefined, types: [] }, []])
    }
    expect(decode({ transactionErrors: 7 }).rejected).toMatchObject([{ reason: 'shape' }])
  })

  const manyTypes = (count: number, name = 'type', errorCount = 1, t = 6000) =>
    Array.from({ length: count }, (_, index) => {
      return { errorType: `${name} ${index}`, errorCount, errorRate: { t, Rate: 1 } }
    })

  test('are bounded and counted as those of the current state', () => {
    const { node, rejected } = decode({ transactionErrors: { types: manyTypes(200_000) } })
    expect(node.errors.types).toHaveLength(100)
    expect(rejected).toMatchObject([{ attribute: 'transactionErrors', reason: 'too_many', times: 199_900 }])
    const [type] = manyTypes(1)
    const faulty = decode({ transactionErrors: { types: [type, { ...type, errorCount: 'many' }] } })
    expect(faulty.rejected.map(({ reason, times }) => `${reason} ${times}`)).toEqual([
      'duplicate 1',
      'text 1',
    ])
  })

  test('without a point in the period take no place of others', () => {
    const old = manyTypes(100, 'old', 1000, 1000)
    const { node, rejected } = decode({ transactionErrors: { types: [...old, ...manyTypes(1)] } })
    expect(node.errors.types.map(({ errorType }) => errorType)).toEqual(['type 0'])
    expect(rejected).toEqual([])
  })

  test('of all nodes together are bounded', () => {
    const transactionErrors = { types: manyTypes(100) }
    const nodes = Array.from({ length: 501 }, (_, id) => ({ id, transactionErrors }))
    const body = { _embedded: { _instances: nodes } }
    const reading = decodeHistory(body, { period: PERIOD, respondedAt: ANSWERED_AT })
    expect(reading.nodes.flatMap(({ errors: { types } }) => types)).toHaveLength(50_000)
    expect(reading.rejected).toMatchObject([{ reason: 'too_many', times: 100 }])
  })
})

describe('a summary', () => {
  const summary = (value: object) => {
    const diskSpaceFree = [{ t: 6000, Space: 1 }]
    return decode({ diskSpaceFree, diskSpaceFreeSummary: value }).node.attributes.get('diskSpaceFree')
      ?.summary
  }
  const [MIN, MAX] = [[{ t: 6000, Space: 1 }], [{ t: 6300, Space: 3 }]]
  const expected = { min: { t: 6000, value: 1 }, max: { t: 6300, value: 3 }, average: 2 }

  test.each([
    ['snapshots', { Min: { t: 6000, Space: 1 }, Max: { t: 6300, Space: 3 }, Avg: 2 }],
    ['arrays of one', { Min: [{ t: '6000', Space: '1' }], Max: [{ t: '6300', Space: '3' }], Avg: '2.0' }],
    ['an average as snapshot', { Min: MIN, Max: MAX, Avg: { Space: '2' } }],
    ['an average in an array', { Min: MIN, Max: MAX, Avg: [{ t: 6000, Space: 2 }] }],
  ])('with %s', (_, value) => expect(summary(value)).toEqual(expected))

  test('may lack members', () => {
    expect(summary({ Avg: '0.0' })).toEqual({ min: undefined, max: undefined, average: 0 })
    expect(summary({ Min: [], Max: [], Avg: 'N/A' })).toBeUndefined()
  })

  test('has no value that is not plausible', () => {
    expect(summary({ Min: MIN, Max: [{ t: 6000, Space: -1 }], Avg: '1e298' })).toEqual({
      min: { t: 6000, value: 1 },
      max: undefined,
      average: undefined,
    })
  })
})

test('nodes without an id are rejected, names are kept', () => {
  const instances = [{ displayName: 'x' }, { id: 'b' }, { id: 'a', displayName: 'y' }]
  const body = { _embedded: { instances } }
  const { nodes, rejected } = decodeHistory(body, { period: PERIOD, respondedAt: ANSWERED_AT })
  expect(nodes.map(({ id, name }) => `${id} ${name}`)).toEqual(['a y', 'b undefined'])
  expect(rejected).toMatchObject([{ reason: 'no_id' }])
})
