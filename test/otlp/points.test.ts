import { expect, test } from 'vitest'
import type { Series } from '../../src/metrics/exposition.ts'
import type { Family } from '../../src/metrics/families.ts'
import { type MetricPoints, pointBatches } from '../../src/otlp/points.ts'

const START = [1, 500_000_000]
const TIME = [1_700_000_000, 250_000_000]

const family = (name: string, type: Family['type'], series: readonly Series[]) => ({
  family: { name, help: 'Help.', type },
  series,
})

function pointsOf(families: readonly ReturnType<typeof family>[], seriesOfBatch = 1000) {
  const sources = [{ families, timeMs: 1_700_000_000_250 }]
  return [...pointBatches(sources, { startMs: 1500, seriesOfBatch })] as (readonly MetricPoints[])[]
}

test('numbers, with their labels and values as they are', () => {
  const [a, b] = ['sds_a_bytes', 'sds_b_total']
  const families = [
    family(a, 'gauge', [
      { name: a, labels: { a: 'x y', b: '"q" \\ \n{},=' }, value: 1.5 },
      { name: a, labels: { a: '' }, value: Number.POSITIVE_INFINITY },
    ]),
    // Another part with the same family.
    family(a, 'gauge', [{ name: a, labels: { a: 'n' }, value: Number.NaN }]),
    family(b, 'counter', [{ name: b, labels: {}, value: 7 }]),
  ]
  const times = { startTime: START, endTime: TIME }
  expect(pointsOf(families)).toEqual([
    [
      {
        ...{ name: a, help: 'Help.', type: 'gauge', unit: 'By' },
        points: [
          { ...times, attributes: { a: 'x y', b: '"q" \\ \n{},=' }, value: 1.5 },
          { ...times, attributes: { a: '' }, value: Number.POSITIVE_INFINITY },
          { ...times, attributes: { a: 'n' }, value: Number.NaN },
        ],
      },
      {
        ...{ name: b, help: 'Help.', type: 'counter', unit: '' },
        points: [{ ...times, attributes: {}, value: 7 }],
      },
    ],
  ])
})

test.each([
  ['sds_a_seconds', 's'],
  ['sds_a_seconds_total', 's'],
  ['sds_a_ratio', '1'],
  ['sds_a_bytes_per_second', ''],
  ['sds_a_disks', ''],
])('the unit of %s', (name, unit) => {
  const [[metric] = []] = pointsOf([family(name, 'gauge', [{ name, labels: {}, value: 1 }])])
  expect(metric?.unit).toBe(unit)
})

test('a family without series gives no metric', () => {
  expect(pointsOf([family('sds_a', 'gauge', []), family('h', 'histogram', [])])).toEqual([])
})

const bucket = (labels: Series['labels'], value: number): Series => ({
  name: 'h_seconds_bucket',
  labels,
  value,
})

test('histograms, with and without a sum', () => {
  const series = [
    bucket({ le: '0.1', a: 'x' }, 1),
    bucket({ le: '2.0', a: 'x' }, 1),
    bucket({ le: '+Inf', a: 'x' }, 4),
    { name: 'h_seconds_sum', labels: { a: 'x' }, value: 9.5 },
    { name: 'h_seconds_count', labels: { a: 'x' }, value: 4 },
    bucket({ a: 'y', le: '0.1' }, 0),
    bucket({ a: 'y', le: '+Inf' }, 3),
  ]
  const [[metric] = []] = pointsOf([family('h_seconds', 'histogram', series)])
  expect(metric).toMatchObject({ name: 'h_seconds', type: 'histogram', unit: 's' })
  expect(metric?.points.map(({ attributes, value }) => ({ attributes, value }))).toEqual([
    {
      attributes: { a: 'x' },
      value: { count: 4, sum: 9.5, buckets: { boundaries: [0.1, 2], counts: [1, 0, 3] } },
    },
    { attributes: { a: 'y' }, value: { count: 3, buckets: { boundaries: [0.1], counts: [0, 3] } } },
  ])
})

test('batches of at most so many series, with whole histograms', () => {
  const numbers = [0, 1, 2, 3, 4].map((value) => ({ name: 'g', labels: { i: String(value) }, value }))
  const buckets = ['a', 'b'].flatMap((a) => [bucket({ a, le: '1' }, 1), bucket({ a, le: '+Inf' }, 2)])
  const batches = pointsOf([family('g', 'gauge', numbers), family('h', 'histogram', buckets)], 2)
  expect(batches.map((batch) => batch.map(({ name, points }) => [name, points.length]))).toEqual([
    [['g', 2]],
    [['g', 2]],
    [
      ['g', 1],
      ['h', 1],
    ],
    [['h', 1]],
  ])
})
