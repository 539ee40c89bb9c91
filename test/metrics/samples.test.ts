import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../src/api/feed/feed.ts'
import { createPart } from '../../src/metrics/lines.ts'
import {
  addForecasts,
  boundText,
  type FindHardware,
  renderNodes,
  uniqueNames,
} from '../../src/metrics/samples.ts'
import { oneSample, parseExposition, partText } from './exposition_text.ts'

const LABELS = { system: 's', poolId: 'urn:pool', pool: 'p' }

/** One node with these members, as lines. */
function linesOf(members: Record<string, unknown>, hardwareOf?: FindHardware): string {
  const reading = decodeFeed({ _embedded: { instances: [{ id: 'n1', displayName: 'node', ...members }] } })
  const forecasts = new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts]))
  const ofForecasts = createPart((add) => addForecasts(add, reading, forecasts, LABELS))
  const ofNodes = renderNodes(reading, { ...LABELS, ...(hardwareOf && { hardwareOf }) })
  return [ofNodes, ofForecasts].map((part) => part && partText(part)).join('')
}

test('an attribute that a node does not serve gives no sample', () => {
  const names = new Set(parseExposition(linesOf({})).map(({ name }) => name))
  expect([...names]).toEqual(['sds_node_info'])
})

test('series carry the name of their node, and its identity is one series', () => {
  const hardware = { rack: 'r1', address: '10.0.0.1' }
  const allocatedCapacityForecast = [{ unit: 'day', forecast: '9', history: '7', target: '80' }]
  const lines = linesOf({ apiChange: '7', allocatedCapacityForecast }, () => ({ ...hardware, version: '4' }))
  const node = { system: 's', pool: 'p', node: 'node' }
  const labels = { ...node, node_id: 'n1', pool_id: 'urn:pool', api_change: '' }
  const expected = { name: 'sds_node_info', labels: { ...labels, ...hardware, api_change: '7' }, value: 1 }
  expect(oneSample(lines, 'sds_node_info')).toEqual(expected)
  expect(oneSample(lines, 'sds_node_capacity_forecast_available', node).value).toBe(1)
  expect(oneSample(linesOf({}), 'sds_node_info').labels).toEqual(labels)
})

test.each([
  ['Suspect', { Good: 0, Suspect: 1, Bad: 0, NotAccessible: 0, Maintenance: 0 }],
  ['Rebooting', { Good: 0, Suspect: 0, Bad: 0, NotAccessible: 0, Maintenance: 0, Rebooting: 1 }],
])('health %s is one series a status, with one more for an unknown one', (healthStatus, expected) => {
  const series = parseExposition(linesOf({ healthStatus }))
  const health = series.filter(({ name }) => name === 'sds_node_health_status')
  expect(Object.fromEntries(health.map(({ labels, value }) => [labels['status'], value]))).toEqual(expected)
})

test('forecasts of another node give no sample', () => {
  const reading = decodeFeed({ _embedded: { instances: [{ id: 'n1' }] } })
  const forecasts = new Map([['n2', [{ historyDays: '7', targetPercent: '80', days: 1 }]]])
  expect(createPart((add) => addForecasts(add, reading, forecasts, LABELS)).series).toBe(0)
})

describe('transaction errors', () => {
  const errorNames = (errors: Record<string, unknown>) =>
    parseExposition(linesOf({ transactionErrorsCurrent: errors }))
      .map(({ name }) => name)
      .filter((name) => name.startsWith('sds_node_transaction'))
  const type = { errorType: '404', category: 'User' }
  const rate = [{ t: '100', Rate: '7' }]

  test.each([
    [{ all: rate }, 'sds_node_transaction_errors_ratio'],
    [{ errorSuccessTotals: [{ successTotal: '1' }] }, 'sds_node_transactions_succeeded'],
    [{ errorSuccessTotals: [{ errorTotal: '1' }] }, 'sds_node_transactions_failed'],
    [{ types: [{ ...type, errorCount: '1' }] }, 'sds_node_transaction_errors_by_type'],
    [{ types: [{ ...type, errorRate: rate }] }, 'sds_node_transaction_errors_by_type_ratio'],
  ])('%j give %s alone', (errors, name) => {
    expect(errorNames(errors)).toEqual([name])
  })
})

describe('unique names', () => {
  test.each([
    ['names where all differ', '1=a 2=b', ['a', 'b']],
    ['ids where a name is used twice', '1=a 2=a 3=b', ['1', '2', 'b']],
    ['the id where a name is missing', '1 2=b', ['1', 'b']],
    ['the id where a name is empty', '1= 2=b', ['1', 'b']],
    ['names that are the id of the same thing', '1=1 2=b', ['1', 'b']],
    ['the id where a name is the id of another', '1=2 2=b', ['1', 'b']],
  ])('are %s', (_, things, expected) => {
    const named = things.split(' ').map((thing) => thing.split('='))
    expect(uniqueNames(named.map(([id = '', name]) => ({ id, name })))).toEqual(expected)
  })
})

test('the figures that only the Flux API has are samples of the node', () => {
  const [node] = decodeFeed({ _embedded: { instances: [{ id: 'n1' }] } }).nodes
  if (node === undefined) throw new Error('a node is required')
  const interfaces = [{ name: 'public', t: 0, receivedBytesPerSecond: 5, transmittedBytesPerSecond: 7 }]
  const part = renderNodes({ nodes: [{ ...node, interfaces }] }, LABELS)
  const lines = part === undefined ? '' : partText(part)
  const received = oneSample(lines, 'sds_node_nic_interface_received_bytes_per_second')
  expect(received).toMatchObject({ labels: { node: 'n1', interface: 'public' }, value: 5 })
  expect(oneSample(lines, 'sds_node_nic_interface_transmitted_bytes_per_second').value).toBe(7)
})

test.each([
  [0.1 + 0.2, '0.3'],
  [2, '2.0'],
  [Number.POSITIVE_INFINITY, '+Inf'],
])('the bound %d of a bucket is written %s', (seconds, text) => {
  expect(boundText(seconds)).toBe(text)
})
