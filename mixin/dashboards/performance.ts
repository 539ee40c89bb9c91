import type { Board } from '../grafana/board.ts'
import { heatmap } from '../grafana/heatmap.ts'
import { seriesToNode, seriesToPool } from '../grafana/links.ts'
import { steps, type Tile } from '../grafana/spec.ts'
import { stat } from '../grafana/stat.ts'
import { dashed, timeSeries } from '../grafana/timeseries.ts'
import { type Expression, promql, select } from '../promql/expression.ts'
import type { MetricName } from '../promql/metrics.ts'
import { topNodes } from '../promql/nodes.ts'
import { by, perNode, ratio, sum, sumByPool, weightedMean } from '../promql/operators.ts'
import { SCOPE } from '../promql/scope.ts'
import { GRAFANA, POOL_KEY, THRESHOLDS } from '../settings.ts'
import { feedOffers, SEE_OFFERS } from './common/coverage.ts'
import { nodeLatency } from './common/node_latency.ts'
import { diskReadShare } from './disk_read_share.ts'

type Operation = 'read' | 'write'
const OPERATIONS: readonly Operation[] = ['read', 'write']

const latencyOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}_latency_seconds`, ...SCOPE.node))
const countOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}s_per_second`, ...SCOPE.node))
const bytesOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}_bytes_per_second`, ...SCOPE.node))

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const meanNow = stat({
  title: 'Mean latency now',
  about: [
    'Mean time of a transaction over everything that is selected, each node weighted by its transactions.',
    'Below the yellow mark; no figure where there are no transactions.',
    'Look below: one pool or all, the mean or only the worst node, then whether the load, the CPU or background work rose with it.',
  ],
  queries: OPERATIONS.map((operation) => ({
    expr: weightedMean(latencyOf(operation), countOf(operation), sum),
    legend: capital(operation),
  })),
  unit: 's',
  steps: steps(THRESHOLDS.latencySeconds),
  noValue: SEE_OFFERS,
  width: 8,
})

const latency = (operation: Operation): Tile =>
  timeSeries({
    title: `${capital(operation)} latency: mean, 95th percentile of nodes, worst node`,
    about: [
      `Mean time of a ${operation} transaction by pool: weighted by transactions, and dashed the 95th percentile and the worst of its nodes. The feed knows means only, so these are percentiles of node means, not of requests.`,
      'All three close together and below the marks.',
      'Only the worst is high: one sick node, see “Where”. All are high: load or background work, see “Why”.',
    ],
    queries: [
      {
        expr: weightedMean(latencyOf(operation), countOf(operation), sumByPool),
        legend: '{{system}} / {{pool}} mean',
      },
      {
        expr: promql`quantile by (${POOL_KEY}) (0.95, ${latencyOf(operation)})`,
        legend: '{{system}} / {{pool}} p95 of nodes',
      },
      { expr: by('max', POOL_KEY, latencyOf(operation)), legend: '{{system}} / {{pool}} worst node' },
    ],
    unit: 's',
    min: 0,
    steps: steps(THRESHOLDS.latencySeconds),
    limits: true,
    overrides: [dashed('/ p95 of nodes$/', 'yellow'), dashed('/ worst node$/', 'orange')],
    noValue: SEE_OFFERS,
    links: [seriesToPool],
    width: 12,
  })

const readsAndWrites = (
  title: string,
  about: readonly [string, string, string],
  expr: (operation: Operation) => Expression,
  unit: string,
): Tile =>
  timeSeries({
    title,
    about,
    queries: OPERATIONS.map((operation) => ({
      expr: expr(operation),
      legend: `{{system}} / {{pool}} ${operation}s`,
    })),
    unit,
    min: 0,
    noValue: SEE_OFFERS,
    links: [seriesToPool],
    width: 8,
  })

const transactions = readsAndWrites(
  'Transactions per second',
  [
    'Transactions that clients ask of each pool, per second.',
    'The rhythm of the day.',
    'Latency that rises with it is load; latency that rises without it is not.',
  ],
  (operation) => sumByPool(countOf(operation)),
  'reqps',
)

const bandwidth = readsAndWrites(
  'Bandwidth',
  [
    'Bytes per second that transactions move, by pool.',
    'The rhythm of the day.',
    'A plateau under load is a bottleneck: compare with the use of CPU and network below.',
  ],
  (operation) => sumByPool(bytesOf(operation)),
  'Bps',
)

const objectSize = readsAndWrites(
  'Mean bytes per read and per write',
  [
    'Bandwidth divided by transactions: the mean size of what is read and written, by pool.',
    'Steady, by the applications.',
    'A jump explains latency without any fault: larger objects take longer.',
  ],
  (operation) => ratio(sumByPool(bytesOf(operation)), sumByPool(countOf(operation))),
  'bytes',
)

const topLatency = (operation: Operation): Tile =>
  nodeLatency(
    {
      title: `Top $topn nodes by ${operation} latency`,
      about: [
        `Mean time of a ${operation} transaction on the nodes that were slowest in the last three hours of the range; the choice is the same along the whole axis.`,
        'The slowest are little slower than the rest.',
        'Click the line that stands out to open its node.',
      ],
      width: 12,
    },
    {
      expr: topNodes(`sds_node_transaction_${operation}_latency_seconds`),
      legend: '{{system}} / {{pool}} / {{node}}',
    },
  )

const spread = heatmap({
  title: 'Read latency spread over nodes',
  about: [
    'How many nodes have which read latency, over time; useful from about a dozen nodes.',
    'One narrow band.',
    'A second band or a spot above it is a group of nodes or a node with a problem of its own.',
  ],
  queries: [{ expr: latencyOf('read'), legend: '{{system}} / {{pool}} / {{node}}' }],
  unit: 's',
  calculate: true,
  noValue: SEE_OFFERS,
  width: 24,
})

const topRatio = (title: string, metric: MetricName, limit: keyof typeof THRESHOLDS, what: string): Tile =>
  timeSeries({
    title,
    about: [
      `${what} on the nodes where it was highest in the last three hours of the range.`,
      'Below the dashed marks, and alike on the nodes of a pool.',
      'Nodes at the mark are the bottleneck; one node alone points at the load balancer or at work in the background.',
    ],
    queries: [{ expr: topNodes(metric), legend: '{{system}} / {{pool}} / {{node}}' }],
    unit: 'percentunit',
    steps: steps(THRESHOLDS[limit]),
    limits: true,
    many: true,
    noValue: SEE_OFFERS,
    links: [seriesToNode],
    width: 8,
  })

const background = diskReadShare('purpose!="user"', {
  title: 'Background share of disk reads',
  about: [
    'Share of disk reads that serve recovery, erasure coding, checks and replication instead of users, by pool.',
    'A steady part; more at night, less under load.',
    'A jump with latency is a rebuild: the disks page shows which work it is and since when.',
  ],
})

const diskTotals = timeSeries({
  title: 'Disk traffic',
  about: [
    'Bytes per second read from and written to the disks of each pool, for all purposes.',
    'More than the transactions move: copies, coding and checks come on top.',
    'A plateau is the limit of the disks; see the disks page for what fills it.',
  ],
  queries: OPERATIONS.map((operation) => ({
    expr: sumByPool(perNode(select(`sds_node_disk_${operation}_bytes_per_second`, ...SCOPE.node))),
    legend: `{{system}} / {{pool}} ${operation}s`,
  })),
  unit: 'Bps',
  min: 0,
  noValue: SEE_OFFERS,
  links: [seriesToPool],
  width: 12,
})

export const performance: Board = {
  name: 'performance',
  title: 'Storage / Performance',
  question: 'Is the service slow, where, and is it load or a sick node?',
  variables: ['datasource', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Service level',
      tiles: [
        meanNow,
        feedOffers(['resources', 'transactions', 'diskTraffic'], 16),
        latency('read'),
        latency('write'),
        transactions,
        bandwidth,
        objectSize,
      ],
    },
    { title: 'Where', tiles: [topLatency('read'), topLatency('write'), spread] },
    {
      title: 'Why: saturation and background work',
      tiles: [
        topRatio(
          'Top $topn nodes by CPU',
          'sds_node_cpu_utilization_ratio',
          'cpuRatio',
          'Share of CPU time in use',
        ),
        topRatio(
          'Top $topn nodes by NIC receive',
          'sds_node_nic_received_utilization_ratio',
          'nicRatio',
          'Received data relative to the capacity of the network interfaces',
        ),
        topRatio(
          'Top $topn nodes by NIC transmit',
          'sds_node_nic_transmitted_utilization_ratio',
          'nicRatio',
          'Transmitted data relative to the capacity of the network interfaces',
        ),
        background,
        diskTotals,
      ],
    },
  ],
}
