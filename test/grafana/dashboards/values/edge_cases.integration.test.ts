import { expect, test } from 'vitest'
import type { Selection } from '../../../../grafana/mixin/promql/selection.ts'
import { by, type ExpectedValues, run, unitTest } from './evaluate.ts'
import {
  constant,
  EXPORTERS,
  type InputSeries,
  increasingOnBoth,
  type Labels,
  NOW,
  onBoth,
  targetOf,
  text,
} from './series.ts'

interface EdgeCase {
  readonly what: string
  readonly series: readonly InputSeries[]
  readonly selection?: Selection
  readonly expected: Readonly<Record<string, ExpectedValues>>
}

const POOL = { system: 'fra', pool: 'p1' }
const NODE = { ...POOL, node: 'n1' }
const ELSEWHERE = { system: 'muc', pool: 'p1', node: 'n1' }
const POLLED_POOL = { ...POOL, pool_id: 'id1' }

/** External labels of the Prometheus servers of a common store. */
const SERVERS = ['0a', '0b', '1a'].map(([shard = '', replica = '']) => ({ shard, replica }))

const alert = (alertname: string, labels: Labels): InputSeries =>
  constant('ALERTS', { alertname, alertstate: 'firing', severity: 'warning', ...labels }, 1)

const READS = 'sds_node_transaction_reads_per_second'
/** Reads of a node whose system serves a histogram, with counts a minute up to 1 and 5 s. */
const histogram = (node: Labels, readsPerSecond: number, fast: number, all: number) => {
  const bounds = Object.entries({ 1: fast, 5: all, '+Inf': all })
  const bucket = 'sds_node_transaction_latency_seconds_bucket'
  return [
    ...onBoth('sds_node_info', { ...node, node_id: 'id1' }, 1),
    ...onBoth(READS, node, readsPerSecond),
    ...bounds.flatMap(([le, count]) => increasingOnBoth(bucket, { ...node, operation: 'read', le }, count)),
  ]
}
/** Of 1 to 5 s. */
const HISTOGRAM = histogram(ELSEWHERE, 5000, 0, 300_000)

const FAILED = 'sds_node_transactions_failed'
const FAILING = [...onBoth(FAILED, NODE, 50), ...onBoth('sds_node_transactions_succeeded', NODE, 950)]
const SYSTEM_ERRORS = {
  'sds-errors / Failed transactions': [0.05],
  'sds-errors / System errors': [0.05],
  'sds-errors / User errors': [0],
}

const EDGE_CASES: readonly EdgeCase[] = [
  {
    what: 'a pool that two exporters polled before and after a rename has both names',
    series: ['old', 'new'].map((pool, index) =>
      constant('sds_pool_up', { ...POLLED_POOL, pool, ...targetOf(EXPORTERS[index] ?? '') }, index),
    ),
    expected: { 'sds-exporter / Pools whose polls failed': [[[{ system: 'fra', pool: 'old' }, 0]]] },
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
    series: FAILING,
    expected: SYSTEM_ERRORS,
  },
  {
    what: 'failures of a node that serves no successes do not change the ratios of the others',
    series: [
      ...FAILING,
      ...onBoth(FAILED, { ...POOL, node: 'n2' }, 900),
      ...onBoth(
        'sds_node_transaction_errors_by_type',
        { ...POOL, node: 'n2', category: 'User', error_type: '404 (S3)' },
        20,
      ),
    ],
    expected: SYSTEM_ERRORS,
  },
  {
    what: 'space by level is summed over nodes, once for a pair of exporters',
    series: ['n1', 'n2'].flatMap((node) => [
      ...onBoth('sds_node_disk_space_allocated_level_bytes', { ...POOL, node, level: 'L1' }, 20),
      ...onBoth('sds_node_disk_space_allocated_level_bytes', { ...POOL, node, level: 'L2' }, 1),
      ...onBoth('sds_node_disk_space_free_level_bytes', { ...POOL, node, level: 'L1' }, 7),
    ]),
    expected: { 'sds-capacity / Space by level': [by('level', { L1: 40, L2: 2 }), by('level', { L1: 14 })] },
  },
  {
    what: 'a node that was Bad between two points is drawn, and one that was always Good is not',
    series: [
      // Bad for a minute, two minutes ago.
      { series: text('sds_node_health_status', { ...NODE, status: 'Bad' }), values: '0x117 1 0x1' },
      { series: text('sds_node_health_status', { ...NODE, status: 'Good' }), values: '1x117 0 1x1' },
      ...onBoth('sds_node_health_status', { ...POOL, node: 'n2', status: 'Good' }, 1),
    ],
    selection: { intervalSeconds: 300 },
    expected: { 'sds-pool / Nodes that were not Good': [[[{ ...NODE, _rank: '6' }, 3]]] },
  },
  {
    what: 'ages are corrected by a known clock skew; an unknown one is taken as 0',
    series: [
      ...onBoth('sds_node_sample_timestamp_seconds', { ...NODE, category: 'capacity' }, NOW - 3900),
      ...onBoth('sds_system_clock_skew_seconds', { system: 'fra' }, -3600),
      ...onBoth('sds_system_up', { system: 'muc' }, 1),
      ...onBoth('sds_node_sample_timestamp_seconds', { ...ELSEWHERE, category: 'capacity' }, NOW - 200),
    ],
    expected: { 'sds-node / Sample age by category': [[[{ category: 'capacity' }, 300]]] },
  },
  {
    what: 'counters of exporters that the servers of two shards scrape are counted once, those of two exporters twice',
    series: EXPORTERS.flatMap((instance) =>
      SERVERS.flatMap((server) =>
        ['timeout', 'ok'].map((result) => ({
          series: text('sds_pool_polls_total', { ...POLLED_POOL, result, ...targetOf(instance), ...server }),
          values: '0+1x120',
        })),
      ),
    ),
    expected: { 'sds-exporter / Faults in the time range / B': [240] },
  },
  {
    what: 'the alerts of two shards are counted once, those about shards for each',
    series: [
      ...SERVERS.flatMap((server) => [
        alert('SdsExporterDown', { instance: 'a:9438', ...server }),
        alert('SdsSystemVanished', { system: 'fra', ...server }),
      ]),
      alert('SdsShardReplicaMissing', { shard: '0', replica: 'a' }),
      alert('SdsShardReplicaMissing', { shard: '0', replica: 'b' }),
    ],
    expected: { 'sds-fleet / Alerts / B': [4] },
  },
  {
    what: 'the latency of pools of both kinds is weighted by their transactions',
    series: [
      ...HISTOGRAM,
      ...onBoth('sds_node_transaction_read_latency_seconds', NODE, 0.5),
      ...onBoth(READS, NODE, 5000),
    ],
    expected: {
      'sds-pool / Latency / A': [2.25],
      'sds-performance / Latency / A': [2.25],
      'sds-performance / Read latency of the selected pools / A': [2.25],
    },
  },
  {
    what: 'the latency of pools with histograms only is the quantile of all requests',
    series: [
      ...HISTOGRAM,
      // Faster, with fewer transactions: the mean of the two quantiles is 3.4 s.
      ...histogram(NODE, 1000, 60_000, 60_000),
    ],
    expected: { 'sds-performance / Read latency of the selected pools / A': [3.8] },
  },
]

test.each(EDGE_CASES)('$what', async ({ what, series, selection = {}, expected }) => {
  expect(await run([unitTest(what, series, selection, expected)])).toContain('SUCCESS')
})
