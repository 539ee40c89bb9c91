import { expect, test } from 'vitest'
import { familiesIn, type MetricPoints, pointBatches } from '../../src/otlp/points.ts'

const START = [1, 500_000_000]
const TIME = [1_700_000_000, 250_000_000]

function pointsOf(text: string, linesOfBatch = 1000): (readonly MetricPoints[])[] {
  return [...pointBatches(familiesIn(text, 1_700_000_000_250), { startMs: 1500, linesOfBatch })]
}

const header = (name: string, type: string, help = 'Help.') =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

test('numbers, with their labels and values as they are', () => {
  const text = `${header('sds_a_bytes', 'gauge', 'Two \\n lines, a \\\\.')}sds_a_bytes{a="x y",b="\\"q\\" \\\\ \\n{},="} 1.5
sds_a_bytes{a=""} -2e-7
sds_a_bytes{a="é"} +Inf
sds_a_bytes{a="n"} NaN

${header('sds_b_total', 'counter')}sds_b_total 7
`
  const times = { startTime: START, endTime: TIME }
  expect(pointsOf(text)).toEqual([
    [
      {
        ...{ name: 'sds_a_bytes', help: 'Two \n lines, a \\.', type: 'gauge', unit: 'By' },
        points: [
          { ...times, attributes: { a: 'x y', b: '"q" \\ \n{},=' }, value: 1.5 },
          { ...times, attributes: { a: '' }, value: -2e-7 },
          { ...times, attributes: { a: 'é' }, value: Number.POSITIVE_INFINITY },
          { ...times, attributes: { a: 'n' }, value: Number.NaN },
        ],
      },
      {
        ...{ name: 'sds_b_total', help: 'Help.', type: 'counter', unit: '' },
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
  const [[metric] = []] = pointsOf(`${header(name, 'gauge')}${name} 1\n`)
  expect(metric?.unit).toBe(unit)
})

test('histograms, with and without a sum', () => {
  const text = `${header('h_seconds', 'histogram')}h_seconds_bucket{le="0.1",a="x"} 1
h_seconds_bucket{le="2.0",a="x"} 1
h_seconds_bucket{le="+Inf",a="x"} 4
h_seconds_sum{a="x"} 9.5
h_seconds_count{a="x"} 4
h_seconds_bucket{a="y",le="0.1"} 0
h_seconds_bucket{a="y",le="+Inf"} 3
`
  const [[metric] = []] = pointsOf(text)
  expect(metric).toMatchObject({ name: 'h_seconds', type: 'histogram', unit: 's' })
  expect(metric?.points.map(({ attributes, value }) => ({ attributes, value }))).toEqual([
    {
      attributes: { a: 'x' },
      value: { count: 4, sum: 9.5, buckets: { boundaries: [0.1, 2], counts: [1, 0, 3] } },
    },
    { attributes: { a: 'y' }, value: { count: 3, buckets: { boundaries: [0.1], counts: [0, 3] } } },
  ])
})

test('batches of at most so many lines, with whole histograms', () => {
  const numbers = Array.from({ length: 5 }, (_, index) => `g{i="${index}"} ${index}\n`).join('')
  const buckets = ['a', 'b']
    .map((a) => `h_bucket{a="${a}",le="1"} 1\nh_bucket{a="${a}",le="+Inf"} 2\n`)
    .join('')
  const batches = pointsOf(`${header('g', 'gauge')}${numbers}${header('h', 'histogram')}${buckets}`, 2)
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

test('a long line takes time in proportion to its length', () => {
  const value = '\\\\'.repeat(2_000_000)
  const [[metric] = []] = pointsOf(`${header('g', 'gauge')}g{a="${value}"} 1\n`)
  expect(metric?.points[0]?.attributes['a']).toHaveLength(2_000_000)
})
