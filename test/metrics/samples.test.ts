import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../src/api/feed/feed.ts'
import { renderPart } from '../../src/metrics/lines.ts'
import {
  boundText,
  coverageSamples,
  feedSamples,
  forecastSamples,
  uniqueNames,
} from '../../src/metrics/samples.ts'
import { boundedName } from '../../src/values/names.ts'
import { oneSample, parseExposition } from './exposition_text.ts'

const LABELS = { system: 's', poolId: 'urn:pool', pool: 'p' }

/** One node with these members, as lines. */
function linesOf(members: Record<string, unknown>): string {
  const reading = decodeFeed({ _embedded: { instances: [{ id: 'n1', displayName: 'node', ...members }] } })
  const forecasts = new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts]))
  const parts = [
    renderPart(feedSamples(reading, LABELS)),
    renderPart(forecastSamples(reading, forecasts, LABELS)),
  ]
  return parts.map(({ text }) => text.toString()).join('')
}

const current = (name: string, tag: string, value: unknown) => ({
  [`${name}Current`]: { t: 1785312642, [tag]: value },
})

describe('units', () => {
  test.each([
    ['diskSpaceFree', 'Space', '2.0e3', 'sds_node_disk_space_free_bytes', 2000],
    ['diskSpaceAllocatedPercentage', 'Percent', '7', 'sds_node_disk_space_allocated_ratio', 0.07],
    ['nodeNicBandwidth', 'Bandwidth', '1.5', 'sds_node_nic_bytes_per_second', 1_500_000],
    ['transactionReadLatency', 'Latency', 250, 'sds_node_transaction_read_latency_seconds', 0.25],
    ['transactionReadTransactionsPerSec', 'TPS', '12.5', 'sds_node_transaction_reads_per_second', 12.5],
    ['diskReadBandwidthTotal', 'diskIO', '3', 'sds_node_disk_read_bytes_per_second', 3_000_000],
  ])('%s %s=%s becomes %s %d', (name, tag, value, metric, expected) => {
    expect(oneSample(linesOf(current(name, tag, value)), metric).value).toBe(expected)
  })
})

test('an attribute that a node does not serve gives no sample', () => {
  const names = new Set(parseExposition(linesOf({})).map(({ name }) => name))
  expect([...names]).toEqual(['sds_node_info'])
})

test('series carry the name of their node, and its identity is one series', () => {
  const lines = linesOf({
    apiChange: '7',
    allocatedCapacityForecast: [{ unit: 'day', forecast: '9', history: '7', target: '80' }],
  })
  const node = { system: 's', pool: 'p', node: 'node' }
  expect(oneSample(lines, 'sds_node_info')).toEqual({
    name: 'sds_node_info',
    labels: { ...node, node_id: 'n1', pool_id: 'urn:pool', api_change: '7' },
    value: 1,
  })
  expect(oneSample(lines, 'sds_node_capacity_forecast_available', node).value).toBe(1)
  expect(oneSample(linesOf({}), 'sds_node_info').labels['api_change']).toBe('')
})

test('forecasts of another node give no sample', () => {
  const reading = decodeFeed({ _embedded: { instances: [{ id: 'n1' }] } })
  const forecasts = new Map([['n2', [{ historyDays: '7', targetPercent: '80', days: 1 }]]])
  expect(forecastSamples(reading, forecasts, LABELS).size).toBe(0)
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

test('coverage is one series for each attribute and state', () => {
  const coverage = new Map([['diskSpaceFree', { served: 3, absent: 2, unreadable: 1 }]] as const)
  const samples = coverageSamples(coverage, LABELS)
  const labels = (state: string) =>
    `system="s",pool="p",pool_id="urn:pool",attribute="diskSpaceFree",state="${state}",source="feed"`
  expect(samples).toEqual([
    { labels: labels('served'), value: 3 },
    { labels: labels('absent'), value: 2 },
    { labels: labels('unreadable'), value: 1 },
  ])
})

test('health is one series a status, 1 for the current one', () => {
  const statuses = (health: string) =>
    Object.fromEntries(
      parseExposition(linesOf({ healthStatus: health }))
        .filter(({ name }) => name === 'sds_node_health_status')
        .map(({ labels, value }) => [labels['status'], value]),
    )
  expect(statuses('Suspect')).toEqual({ Good: 0, Maintenance: 0, Suspect: 1, Bad: 0, NotAccessible: 0 })
  expect(statuses('Rebooting')).toEqual({
    Good: 0,
    Maintenance: 0,
    Suspect: 0,
    Bad: 0,
    NotAccessible: 0,
    Rebooting: 1,
  })
})

test('disks are counted in all and by status', () => {
  const lines = linesOf({ numDisks: '8', numGoodDisks: '6', numBadDisks: '1', numReadyToReplaceDisks: '1' })
  expect(oneSample(lines, 'sds_node_disks').value).toBe(8)
  expect(oneSample(lines, 'sds_node_disks_by_status', { status: 'ReadyToReplace' }).value).toBe(1)
  expect(() => oneSample(lines, 'sds_node_disks_by_status', { status: 'Maintenance' })).toThrow('0 series')
})

test('a forecast that the system cannot make is reported as such, and has no seconds', () => {
  const lines = linesOf({
    allocatedCapacityForecast: [
      { unit: 'day', forecast: '9', history: '7', target: '80' },
      { unit: '', forecast: 'N/A', history: '28', target: '80' },
      { unit: 'day', forecast: '0', history: '7', target: '50' },
    ],
  })
  const seconds = (history_days: string, target_percent: string) =>
    oneSample(lines, 'sds_node_capacity_forecast_seconds', { history_days, target_percent }).value
  expect(seconds('7', '80')).toBe(9 * 86_400)
  expect(seconds('7', '50')).toBe(0)
  expect(() => seconds('28', '80')).toThrow('0 series')
  expect(oneSample(lines, 'sds_node_capacity_forecast_available', { history_days: '28' }).value).toBe(0)
})

test('the age of a category is its newest t', () => {
  const lines = linesOf({
    diskSpaceTotalCurrent: { t: 100, Space: 1 },
    diskSpaceFreeCurrent: [{ t: '300', Space: '1' }],
    nodeCpuUtilizationCurrent: { t: 200, Percent: 1 },
  })
  const t = (category: string) => oneSample(lines, 'sds_node_sample_timestamp_seconds', { category }).value
  expect([t('capacity'), t('health')]).toEqual([300, 200])
})

describe('unique names', () => {
  test.each([
    ['names where all differ', '1=a 2=b', ['a', 'b']],
    ['ids where a name is used twice', '1=a 2=a 3=b', ['1', '2', 'b']],
    ['the id where a name is missing', '1 2=b', ['1', 'b']],
    ['names that are the id of the same thing', '1=1 2=b', ['1', 'b']],
    ['the id where a name is the id of another', '1=2 2=b', ['1', 'b']],
  ])('are %s', (_, things, expected) => {
    const named = things.split(' ').map((thing) => thing.split('='))
    expect(uniqueNames(named.map(([id = '', name]) => ({ id, name })))).toEqual(expected)
  })

  test('are cut where they are too long, and stay apart', () => {
    const [one, two] = [`${'x'.repeat(10_000)}1`, `${'x'.repeat(10_000)}2`].map(boundedName)
    expect(one).toMatch(/^x{200}…[0-9a-f]{32}$/)
    expect(one).not.toBe(two)
    expect(boundedName('x'.repeat(200))).toBe('x'.repeat(200))
  })
})

test('the figures that only the query interface has are samples of the node', () => {
  const [node] = decodeFeed({ _embedded: { instances: [{ id: 'n1' }] } }).nodes
  if (node === undefined) throw new Error('a node is required')
  const interfaces = [{ name: 'public', t: 0, receivedBytesPerSecond: 5, transmittedBytesPerSecond: 7 }]
  const lines = renderPart(feedSamples({ nodes: [{ ...node, interfaces }] }, LABELS)).text.toString()
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
