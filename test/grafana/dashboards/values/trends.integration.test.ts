import { expect, test } from 'vitest'
import { substitute } from '../../../../grafana/mixin/promql/selection.ts'
import { queriesAt, run } from './evaluate.ts'
import { type InputSeries, labelText, text } from './series.ts'

/**
 * Sums of pools over 31 days with a point an hour. The recording rules are evaluated by promtool, because trends are
 * calculated from recorded sums.
 */
const HOURS = 31 * 24
const POOL = { system: 'fra', pool: 'p1' }
const ALLOCATED = 'sds_node_disk_space_allocated_bytes'
const TOTAL = 'sds_node_disk_space_total_bytes'

/** The value `begin + perHour * hour` from one hour to another, exclusive. */
interface Course {
  readonly node: string
  readonly instance?: string
  readonly from: number
  readonly to: number
  readonly begin: number
  readonly perHour: number
}

const series = (
  name: string,
  { node, instance = 'a:9438', from, to, begin, perHour }: Course,
): InputSeries => {
  const gap = from > 0 ? `_x${from} ` : ''
  const step = perHour < 0 ? `${perHour}` : `+${perHour}`
  return {
    series: text(name, { ...POOL, node, job: 'sds', instance }),
    values: `${gap}${begin + perHour * from}${step}x${to - from - 1} stale`,
  }
}

const check = async (
  input: readonly InputSeries[],
  expected: Readonly<Record<string, number | undefined>>,
) => {
  const promql_expr_test = Object.entries(expected).flatMap(([where, value]) => {
    const queries = queriesAt(where)
    expect(queries, where).toHaveLength(1)
    return queries.map(({ expr }) => ({
      expr: substitute(expr),
      eval_time: `${HOURS}h`,
      exp_samples: value === undefined ? [] : [{ labels: labelText(POOL), value }],
    }))
  })
  const test = { interval: '1h', input_series: input, promql_expr_test }
  expect(await run([test], { every: '1h' })).toContain('SUCCESS')
}

/** The pool as a whole: 90,000 bytes that grow by 300 an hour, of 3,000,000. */
const GROWTH_PER_HOUR = 300
const NOW_BYTES = 90_000 + GROWTH_PER_HOUR * HOURS
const TOTAL_BYTES = 3_000_000

const EXPECTED = {
  'sds-capacity / When pools are full / C': GROWTH_PER_HOUR * 24,
  'sds-capacity / When pools are full / D': GROWTH_PER_HOUR * 24 * 7,
  'sds-capacity / When pools are full / E': GROWTH_PER_HOUR * 24 * 30,
  'sds-capacity / When pools are full / G': (0.9 * TOTAL_BYTES - NOW_BYTES) / (GROWTH_PER_HOUR / 3600),
  'sds-capacity / Top $topn pools by space used, and in 30 days / B':
    (NOW_BYTES + GROWTH_PER_HOUR * 24 * 30) / TOTAL_BYTES,
}

const nodes = (courses: readonly (Course & { readonly total: number })[]): InputSeries[] =>
  courses.flatMap((course) => [
    series(ALLOCATED, course),
    series(TOTAL, { ...course, begin: course.total, perHour: 0 }),
  ])

const END = HOURS + 1
/** One of three nodes. */
const THIRD = { begin: 30_000, perHour: 100, total: 1_000_000 }
/** Growth and trends over more than a day. */
const OF_WEEKS = Object.fromEntries(Object.keys(EXPECTED).map((where) => [where, undefined]))
const DAY = 'sds-capacity / When pools are full / C'
const OF_A_DAY = { [DAY]: EXPECTED[DAY] }

test('a node that left, and whose data the others took over, is no growth: the trends of its time are blank', async () => {
  const left = 28 * 24
  const two = { begin: 45_000, perHour: 150, total: 1_500_000 }
  await check(
    nodes([
      { node: 'n3', from: 0, to: left, ...THIRD },
      ...['n1', 'n2'].flatMap((node) => [
        { node, from: 0, to: left, ...THIRD },
        { node, instance: 'b:9438', from: left, to: END, ...two },
      ]),
    ]),
    { ...OF_WEEKS, ...OF_A_DAY },
  )
})

test('a node that joins with data is no growth: all trends are blank, and those of a day after a day', async () => {
  const joined = (node: string, from: number) =>
    nodes([
      { node: 'n1', from: 0, to: END, ...THIRD },
      { node: 'n2', from: 0, to: END, ...THIRD },
      { node, from, to: END, ...THIRD },
    ])
  await check(joined('n3', HOURS - 1), OF_WEEKS)
  await check(joined('n3', HOURS - 26), { ...OF_WEEKS, ...OF_A_DAY })
})

test('a node that was away for a day changes no trend after it is back', async () => {
  const away = 15 * 24
  await check(
    nodes([
      { node: 'n1', from: 0, to: END, ...THIRD },
      { node: 'n2', from: 0, to: END, ...THIRD },
      { node: 'n3', from: 0, to: away, ...THIRD },
      { node: 'n3', instance: 'b:9438', from: away + 24, to: END, ...THIRD },
    ]),
    EXPECTED,
  )
})

test('exporters that were replaced change no trend', async () => {
  const replaced = [0, 25 * 24, 29 * 24, 30 * 24, END]
  await check(
    nodes(
      replaced.slice(1).flatMap((to, index) =>
        ['n1', 'n2', 'n3'].map((node) => {
          return { node, instance: `pod-${index}:9438`, from: replaced[index] ?? 0, to, ...THIRD }
        }),
      ),
    ),
    EXPECTED,
  )
})

test('columns without enough history are blank, not extrapolated', async () => {
  const threeDays = ['n1', 'n2', 'n3'].map((node) => ({ node, from: HOURS - 3 * 24, to: END, ...THIRD }))
  await check(nodes(threeDays), { ...OF_WEEKS, ...OF_A_DAY })
})
