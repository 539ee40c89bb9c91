import { describe, expect, test } from 'vitest'
import { createRejectedValues } from '../../../src/api/parse/json.ts'
import type { FieldSeries } from '../../../src/api/query/answers/answer.ts'
import { calculatePast, type NodePast } from '../../../src/api/query/past_reader.ts'
import type { TransactionTotals } from '../../../src/api/query/values/errors.ts'
import { createInterfaceRule } from '../../../src/api/query/values/interfaces.ts'
import { MEASUREMENTS } from '../../../src/query_catalogue.ts'
import { NO_FILTER, pastValues } from './query_files.ts'

const START = 1_772_323_200
const STEP = 300
/** As far as the poller looks back with this step. */
const WINDOW_SECONDS = 1320
const WINDOW = { start: START, end: START + 3600 }

interface SeriesOptions {
  readonly measurement?: string
  readonly field: string
  readonly node?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** Points every five minutes from 20 minutes before the window, at a phase of their own. */
function series(
  { measurement = 'any', field, node = 'n1', tags = {} }: SeriesOptions,
  valueAt: (k: number) => number | undefined,
  phase = 96,
): FieldSeries {
  const all = { host: node, node_id: `id-${node}`, ...tags }
  const points = Array.from({ length: 16 }, (_, index) => index - 4).flatMap((k) => {
    const value = valueAt(k)
    return value === undefined ? [] : [{ t: START + k * STEP + phase, value }]
  })
  return { measurement, field, tags: new Map(Object.entries(all)), points }
}

function past(all: readonly FieldSeries[], window = WINDOW): NodePast {
  const options = {
    interfaces: createInterfaceRule(NO_FILTER),
    failedFields: new Set<string>(),
    rejected: createRejectedValues(),
    windowOf: () => WINDOW_SECONDS,
    ...window,
  }
  const [node, ...others] = calculatePast(all, options)
  expect(others).toEqual([])
  if (node === undefined) throw new Error('no node')
  return node
}

const THROUGHPUT = { measurement: MEASUREMENTS.throughput.name, field: 'total_read_requests_size' }
const readBandwidth = (all: readonly FieldSeries[], window = WINDOW) =>
  pastValues(past(all, window), 'transactionReadBandwidth').map(({ t, value }) => [
    (t - START - 96) / STEP,
    value,
  ])

/** The values of the moments that have them for the first time. */
function valuesAt<T extends { readonly t: number }, V>(
  { moments }: NodePast,
  find: (performance: NodePast['moments'][number]['performance']) => T | undefined,
  read: (found: T) => V,
): NonNullable<V>[] {
  return moments.flatMap(({ t, performance }) => {
    const found = find(performance)
    const value = found?.t === t ? read(found) : undefined
    return value === undefined || value === null ? [] : [value]
  })
}

describe('rates of the past', () => {
  test('have the times of their points, each one that is in the window', () => {
    const found = readBandwidth([series(THROUGHPUT, (k) => 1000 + k * STEP * 7)])
    const inWindow = Array.from({ length: 12 }, (_, k) => [k, 7])
    expect(found).toEqual(inWindow)
    // The point at its end belongs to the next window.
    expect(readBandwidth([series(THROUGHPUT, (k) => 1000 + k * STEP * 7, STEP)])).toHaveLength(
      inWindow.length,
    )
  })

  test('are calculated with the difference of the times', () => {
    const growing = series(THROUGHPUT, (k) => 10_000 + k * 3000)
    const late = growing.points.map(({ t, value }, index) => ({ t: index === 6 ? t + 60 : t, value }))
    const found = pastValues(past([{ ...growing, points: late }]), 'transactionReadBandwidth')
    expect(found.slice(0, 5).map(({ value }) => value)).toEqual([10, 10, 3000 / 360, 3000 / 240, 10])
    expect(found[2]?.t).toBe(START + 2 * STEP + 96 + 60)
  })

  test('do not exist for the first point after a reset', () => {
    const found = readBandwidth([series(THROUGHPUT, (k) => (k < 5 ? 50_000 + k * 3000 : (k - 4) * 3000))])
    expect(found.map(([k]) => k)).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11])
    expect(new Set(found.map(([, value]) => value))).toEqual(new Set([10]))
  })

  test('do not exist for the first point after a gap for which the poller does not look back, and span a shorter one', () => {
    const without = (...missing: readonly number[]) =>
      readBandwidth([series(THROUGHPUT, (k) => (missing.includes(k) ? undefined : 50_000 + k * 3000))])
    expect(without(3, 4, 5, 6).map(([k]) => k)).toEqual([0, 1, 2, 8, 9, 10, 11])
    expect(without(3, 4, 5)).toEqual([0, 1, 2, 6, 7, 8, 9, 10, 11].map((k) => [k, 10]))
  })

  test('do not depend on where windows begin', () => {
    const all = [series(THROUGHPUT, (k) => (k === 5 ? 0 : 50_000 + k * k * 300))]
    const whole = readBandwidth(all)
    for (const minutes of [5, 20, 25, 40]) {
      const middle = START + minutes * 60
      const second = all.map((one) => ({
        ...one,
        points: one.points.filter(({ t }) => t >= middle - WINDOW_SECONDS),
      }))
      const parts = [
        ...readBandwidth(all, { start: START, end: middle }),
        ...readBandwidth(second, { start: middle, end: WINDOW.end }),
      ]
      expect(parts).toEqual(whole)
    }
  })

  test('of services with other times are added up, and one that has ended is left out 22 minutes later', () => {
    const service = (name: string) => ({
      measurement: `${name}_IO_Statistics_data_read`,
      field: 'read_ECTotal',
      tags: { process: name },
    })
    const node = past([
      series(service('blob'), (k) => 10_000 + k * 3000),
      series(service('cm'), (k) => (k > 5 ? undefined : 10_000 + k * 600), 156),
    ])
    const found = pastValues(node, 'diskReadBandwidthEc')
    const [times, values] = [found.map(({ t }) => t), found.map(({ value }) => value)]
    expect(times.slice(0, 3).map((t) => t - START)).toEqual([96, 156, 396])
    expect(values.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 12))
    expect(values.slice(13)).toEqual([10, 10])
  })
})

test('gauges need all of their fields at the same time', () => {
  const cpu = (field: string, valueAt: (k: number) => number | undefined) =>
    series({ measurement: 'cpu', field, tags: { cpu: 'cpu-total' } }, valueAt, 3)
  const node = past([
    cpu('usage_user', () => 5),
    cpu('usage_nice', () => 1),
    cpu('usage_system', (k) => (k === 2 ? undefined : 2)),
  ])
  const found = pastValues(node, 'nodeCpuUtilization')
  expect(found.map(({ t }) => (t - START - 3) / STEP)).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(new Set(found.map(({ value }) => value))).toEqual(new Set([0.08]))
})

test('errors have ratios and counts of each interval', () => {
  const transactions = (field: string) => ({ measurement: MEASUREMENTS.transactions.name, field })
  const node = past([
    series(transactions('succeed_request_counter'), (k) => 100_000 + k * 900),
    series(transactions('failed_request_counter'), (k) => (k < 2 ? undefined : 500 + k * 100)),
  ])
  const errors = <V>(read: (found: TransactionTotals) => V) =>
    valuesAt(node, ({ transactions }) => transactions, read)
  expect(errors(({ succeeded }) => succeeded)).toEqual(Array.from({ length: 12 }, () => 900))
  // Before its first failure a node has no series of failures. Its first point has no growth.
  expect(errors(({ all }) => all?.value)).toEqual([0, 0, ...Array.from({ length: 9 }, () => 0.1)])
  expect(errors(({ failed }) => failed)).toEqual(Array.from({ length: 9 }, () => 100))
})

test('histograms are as they were served, and the traffic of interfaces is that between two points', () => {
  const latency = (bound: string, count: number) =>
    series({ measurement: MEASUREMENTS.latency.name, field: bound, tags: { id: 'ttfb_read' } }, (k) =>
      bound === '1.0' && k === 3 ? undefined : count + k,
    )
  const net = series(
    { measurement: 'net', field: 'bytes_recv', tags: { interface: 'public' } },
    (k) => 1000 + 600 * k,
  )
  const node = past([latency('+Inf', 900), latency('1.0', 300), net])
  const buckets = valuesAt(
    node,
    ({ latencies }) => latencies.get('read'),
    ({ buckets: all }) => all,
  )
  // A histogram that lacks a bound is not usable.
  expect(buckets).toHaveLength(11)
  expect(buckets[0]?.map(({ seconds }) => seconds)).toEqual([0.001, Number.POSITIVE_INFINITY])
  expect(buckets.slice(0, 4).map(([first]) => first?.count)).toEqual([300, 301, 302, 304])
  const traffic = valuesAt(
    node,
    ({ interfaces }) => interfaces[0],
    ({ name, receivedBytesPerSecond, transmittedBytesPerSecond }) => [
      name,
      receivedBytesPerSecond,
      transmittedBytesPerSecond,
    ],
  )
  expect(traffic).toEqual(Array.from({ length: 12 }, () => ['public', 2, undefined]))
})
