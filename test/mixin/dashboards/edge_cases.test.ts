import { expect, test } from 'vitest'
import { type Answers, run, unitTest } from './evaluate.ts'
import { constant, EXPORTERS, type InputSeries, NOW, onBoth, targetOf } from './series.ts'

interface EdgeCase {
  readonly what: string
  readonly series: readonly InputSeries[]
  readonly expected: Readonly<Record<string, Answers>>
}

const POOL = { system: 'fra', pool: 'p1' }
const NODE = { ...POOL, node: 'n1' }
const ELSEWHERE = { system: 'muc', pool: 'p1', node: 'n1' }
const POLLED_POOL = { ...POOL, pool_id: 'id1' }

const EDGE_CASES: readonly EdgeCase[] = [
  {
    what: 'a pool that two exporters polled before and after a rename has both names',
    series: ['old', 'new'].map((pool, index) =>
      constant('sds_pool_up', { ...POLLED_POOL, pool, ...targetOf(EXPORTERS[index] ?? '') }, index),
    ),
    expected: {
      'sds-exporter / Pools whose polls failed': [[[{ system: 'fra', pool: 'old' }, 0]]],
    },
  },
  {
    what: 'a node that does not serve its allocated space does not change the ratio of the others',
    series: [
      ...onBoth('sds_node_disk_space_total_bytes', NODE, 100),
      ...onBoth('sds_node_disk_space_allocated_bytes', NODE, 95),
      ...onBoth('sds_node_disk_space_total_bytes', { ...POOL, node: 'n2' }, 100),
    ],
    expected: {
      'sds-pool / Space used': [0.95],
      'sds-pool / Top $topn nodes by space used': [[[NODE, 0.95]]],
      'sds-capacity / Space used': [0.95],
    },
  },
  {
    what: 'failures without a type are system errors',
    series: [
      ...onBoth('sds_node_transactions_failed', NODE, 50),
      ...onBoth('sds_node_transactions_succeeded', NODE, 950),
    ],
    expected: {
      'sds-errors / Failed transactions': [0.05],
      'sds-errors / System errors': [0.05],
      'sds-errors / User errors': [0],
    },
  },
  {
    what: 'ages are corrected by a known clock skew; an unknown one is taken as 0',
    series: [
      ...onBoth('sds_node_sample_timestamp_seconds', { ...NODE, category: 'capacity' }, NOW - 3900),
      ...onBoth('sds_system_clock_skew_seconds', { system: 'fra' }, -3600),
      ...onBoth('sds_system_up', { system: 'muc' }, 1),
      ...onBoth('sds_node_sample_timestamp_seconds', { ...ELSEWHERE, category: 'capacity' }, NOW - 200),
    ],
    expected: {
      'sds-node / Sample age by category': [[[{ category: 'capacity' }, 300]]],
    },
  },
]

test.each(EDGE_CASES)('$what', async ({ what, series, expected }) => {
  const { code, stdout, stderr } = await run([unitTest(what, series, {}, expected)])
  expect(`${stdout}${stderr}`).toContain('SUCCESS')
  expect(code).toBe(0)
})
