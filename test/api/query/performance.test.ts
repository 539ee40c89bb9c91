import { describe, expect, test } from 'vitest'
import {
  type PerformanceReading,
  secondsLeft,
  withoutOldValues,
} from '../../../src/api/query/values/performance.ts'
import { withPerformance } from '../../../src/state/changes.ts'
import {
  ANSWERS,
  answerOf,
  bodyOf,
  decodeBody,
  queryFile,
  type RowOptions,
  readingOf,
} from './query_files.ts'
import { linesOf, nodeLines, OF_FEED, rounded, systemWith } from './system_lines.ts'

describe('the answers of a real system', () => {
  const reading = readingOf(ANSWERS.map(answerOf))
  const system = systemWith(reading)

  test('become the expected series', () => {
    const expected = queryFile('expected.prom').split('\n').filter(Boolean)
    expect(nodeLines(reading)).toEqual(expected.map(rounded))
  })

  test('are counted as coverage with their source', () => {
    const coverageOf = (attribute: string) =>
      linesOf(systemWith(reading), 'sds_pool_attribute_nodes{')
        .filter((line) => line.includes(`"${attribute}"`))
        .map((line) => line.replace(/^.*state="(\w+)",source="(\w+)"\}/, '$1 $2'))
    expect(coverageOf('nodeCpuUtilization')).toEqual(['served query 2'])
    expect(coverageOf('transactionErrors')).toEqual(['served query 2'])
    expect(coverageOf('nodeNicBandwidth')).toEqual(['served query 1', 'absent query 1'])
    expect(coverageOf('transactionReadLatency')).toEqual(['served feed 0', 'absent feed 2'])
    expect(coverageOf('diskSpaceTotal')).toEqual(['served feed 2'])
  })

  test('end when the Flux API is asked no more', () => {
    const without = withPerformance(system, undefined)
    const others = linesOf(without, 'sds_node_').filter((line) => !OF_FEED.test(line))
    expect(others.filter((line) => !line.includes('"capacity"'))).toEqual([])
    expect(linesOf(without, 'sds_system_query_up')).toEqual([])
    expect(linesOf(system, 'sds_system_query_up')).toEqual(['sds_system_query_up{system="frankfurt"} 1'])
  })
})

const THROUGHPUT = 'statDataHead_performance_internal_throughput'
const TRANSACTIONS = 'statDataHead_performance_internal_transactions'
const LATENCY = 'statDataHead_performance_internal_latency'
const DISK = 'cm_IO_Statistics_data_read'

/** A counter of a node with these values at 08:30 and 08:35. */
const counter = (measurement: string, field: string, before: number, after: number): RowOptions[] => [
  { time: '08:30:00', value: before, field, measurement },
  { time: '08:35:00', value: after, field, measurement },
]
const readingOfRows = (...rows: readonly RowOptions[]) => readingOf([decodeBody(bodyOf(rows))])
const valuesOf = (reading: PerformanceReading) =>
  Object.fromEntries([...(reading.nodes[0]?.values ?? [])].map(([name, { value }]) => [name, value]))

describe('values of a node', () => {
  test('are absent if their newest point is older than 22 minutes by the clock of the system', () => {
    const used = (time: string) => readingOfRows({ time, value: 5, field: 'used', measurement: 'mem' })
    expect(valuesOf(used('08:16:23'))).toEqual({ nodeMemoryUtilizationBytes: 5 })
    expect(used('08:16:22').nodes).toEqual([])
  })

  test('need all fields of the same time', () => {
    const cpu = (time: string, field: string): RowOptions => ({ time, value: 1, field, measurement: 'cpu' })
    const fields = ['usage_user', 'usage_nice', 'usage_system']
    const all = (last = '08:35:00') => fields.map((field, at) => cpu(at === 2 ? last : '08:35:00', field))
    expect(valuesOf(readingOfRows(...all()))).toEqual({ nodeCpuUtilization: 0.03 })
    expect(valuesOf(readingOfRows(...all('08:30:00')))).toEqual({})
    expect(valuesOf(readingOfRows(...all().slice(1)))).toEqual({})
  })

  test('are those of the newest of several series, such as those of a former name of the node', () => {
    const used = (time: string, value: number, tag: string): RowOptions => {
      return { time, value, field: 'used', measurement: 'mem', tags: { tag } }
    }
    const both = [used('08:30:00', 1, 'a'), used('08:35:00', 2, 'b')]
    for (const rows of [both, both.toReversed()])
      expect(valuesOf(readingOfRows(...rows))).toEqual({ nodeMemoryUtilizationBytes: 2 })
  })

  test('have no rate after a reset, and keep those of other counters', () => {
    const reading = readingOfRows(
      ...counter(THROUGHPUT, 'total_read_requests_size', 5000, 10),
      ...counter(THROUGHPUT, 'total_write_requests_size', 0, 600),
      ...counter(DISK, 'read_USERTotal', 600, 0),
      ...counter(DISK, 'read_ECTotal', 0, 300),
    )
    expect(valuesOf(reading)).toEqual({ transactionWriteBandwidth: 2, diskReadBandwidthEc: 1 })
  })

  test('have no sum of which the newest part could not be read, and the others', () => {
    const unreadable = (row: RowOptions, index: number) => (index === 1 ? { ...row, value: null } : row)
    const reading = readingOfRows(
      ...counter(DISK, 'read_USERTotal', 0, 600).map(unreadable),
      ...counter('blob_IO_Statistics_data_read', 'read_USERTotal', 0, 300),
      ...counter(DISK, 'read_ECTotal', 0, 300),
      { time: '08:30:00', value: 5, field: 'used', measurement: 'mem' },
      { time: '08:35:00', value: 'x', field: 'used', measurement: 'mem' },
    )
    expect(valuesOf(reading)).toEqual({ diskReadBandwidthEc: 1 })
  })

  test('are rejected if they are not plausible for their unit', () => {
    const reading = readingOfRows(
      ...counter(THROUGHPUT, 'total_read_requests_size', 0, 1e15),
      ...counter(DISK, 'read_ECTotal', 0, 1e298),
      { time: '08:35:00', value: 1e298, field: 'used_percent', measurement: 'mem' },
      { time: '08:35:00', value: 1.1e18, field: 'used', measurement: 'mem' },
    )
    expect(valuesOf(reading)).toEqual({})
    expect(reading.rejected.map(({ attribute, reason, node }) => [attribute, reason, node])).toEqual([
      ['query_test', 'range', 'n1'],
      ['nodeMemoryUtilizationBytes', 'range', 'n1'],
      ['transactionReadBandwidth', 'range', 'n1'],
    ])
  })

  test('have failures only if they are served, and a ratio of 0 without them', () => {
    const succeeded = counter(TRANSACTIONS, 'succeed_request_counter', 0, 90)
    const errorsOf = (...rows: readonly RowOptions[]) => readingOfRows(...rows).nodes[0]?.transactions
    expect(errorsOf(...succeeded)).toMatchObject({ all: { value: 0 }, succeeded: 90, failed: undefined })
    const failed = counter(TRANSACTIONS, 'failed_request_counter', 0, 10)
    expect(errorsOf(...succeeded, ...failed)).toMatchObject({ all: { value: 0.1 }, failed: 10 })
    expect(errorsOf(...succeeded, ...failed.slice(1))).toMatchObject({ all: undefined, failed: undefined })
    const idle = counter(TRANSACTIONS, 'succeed_request_counter', 90, 90)
    expect(errorsOf(...idle)).toMatchObject({ all: undefined, succeeded: 0 })
  })

  test('have the errors of each category if there are no codes', () => {
    const reading = readingOfRows(
      ...counter(TRANSACTIONS, 'succeed_request_counter', 0, 200),
      ...counter('statDataHead_performance_internal_error', 'user_errors', 0, 10),
    )
    expect(reading.nodes[0]?.errorTypes?.types).toMatchObject([
      { category: 'User', errorType: 'all', count: 10, rate: { value: 0.05 } },
    ])
  })

  test('have no utilization without speeds, except the one that the system serves', () => {
    const net = (field: string, before: number, after: number) =>
      counter('net', field, before, after).map((row) => ({ ...row, tags: { interface: 'public' } }))
    const bytes = [...net('bytes_recv', 0, 300), ...net('bytes_sent', 0, 600)]
    const bandwidth = { nodeNicBandwidth: 3, nodeNicReceivedBandwidth: 1, nodeNicTransmittedBandwidth: 2 }
    expect(valuesOf(readingOfRows(...bytes))).toEqual(bandwidth)
    const served = readingOfRows(...bytes, ...net('utilization', 7, 8))
    expect(valuesOf(served)).toEqual({ ...bandwidth, nodeNicUtilization: 0.08 })
    const speed = readingOfRows(...bytes, ...net('speed', 1, 1))
    expect(valuesOf(speed)).toMatchObject({
      nodeNicUtilization: 0.000016,
      nodeNicReceivedUtilization: 0.000008,
    })
  })

  test('have no latencies if a bound is missing, of another time, or decreasing', () => {
    const bounds = ['0.0', '1.0', '+Inf']
    const histogram = (node: string, change: (row: RowOptions) => RowOptions | undefined = (row) => row) =>
      bounds.flatMap((field, value) => {
        const row = { time: '08:35:00', value, field, measurement: LATENCY, node, tags: { id: 'ttfb_read' } }
        return change(row) ?? []
      })
    const reading = readingOfRows(
      ...histogram('good'),
      ...histogram('better'),
      ...histogram('best'),
      ...histogram('missing', (row) => (row.field === '1.0' ? undefined : row)),
      ...histogram('late', (row) => (row.field === '1.0' ? { ...row, time: '08:30:00' } : row)),
      ...histogram('decreasing', (row) => (row.field === '1.0' ? { ...row, value: 9 } : row)),
    )
    const found = reading.nodes.filter(({ latencies }) => latencies.size > 0).map(({ host }) => host)
    expect(found).toEqual(['good', 'better', 'best'])
    expect(reading.nodes[0]?.latencies.get('read')?.buckets).toEqual([
      { seconds: 0, count: 0 },
      { seconds: 0.001, count: 1 },
      { seconds: Number.POSITIVE_INFINITY, count: 2 },
    ])
  })

  test('have no latencies if a bound is missing, also on one of two nodes', () => {
    const bound = (node: string, field: string): RowOptions => {
      return { time: '08:35:00', value: 1, field, measurement: LATENCY, node, tags: { id: 'ttfb_read' } }
    }
    const reading = readingOfRows(bound('n1', '1.0'), bound('n1', '+Inf'), bound('n2', '+Inf'))
    expect(reading.nodes.map(({ latencies }) => latencies.size)).toEqual([1, 0])
  })

  test('are dropped when they are older than their age limit, or than a longer one of the configuration', () => {
    const reading = { ...readingOf(ANSWERS.map(answerOf)), maxAgeOf: () => 900 }
    const oldest = Date.parse('2026-07-31T08:35:00Z') / 1000
    expect(secondsLeft(reading, oldest + 100, 0)).toBe(800)
    expect(secondsLeft(reading, oldest + 100, 1200)).toBe(1100)
    const later = withoutOldValues(reading, oldest + 907, 0)
    expect(later.nodes.map(({ values }) => [...values.keys()])).toEqual([
      expect.arrayContaining(['nodeCpuUtilization', 'transactionReadBandwidth']),
      ['nodeCpuUtilization', 'nodeMemoryUtilizationBytes', 'nodeMemoryUtilization'],
    ])
    expect(withoutOldValues(reading, oldest + 907, 1200).nodes).toEqual(reading.nodes)
    expect(secondsLeft(withoutOldValues(reading, oldest + 4500, 0), 0, 0)).toBeUndefined()
  })

  test('have the age limit of their own measurement', () => {
    const maxAgeOf: PerformanceReading['maxAgeOf'] = (subject) => (subject === 'network' ? 3120 : 1320)
    const reading = { ...readingOf(ANSWERS.map(answerOf)), maxAgeOf }
    const [node] = withoutOldValues(reading, (reading.stop ?? 0) + 2000, 0).nodes
    expect([...(node?.values.keys() ?? [])].every((name) => name.startsWith('nodeNic'))).toBe(true)
    const counts = [node?.values.size, node?.interfaces.length, node?.latencies.size]
    expect([...counts, node?.transactions]).toEqual([6, 4, 0, undefined])
  })
})
