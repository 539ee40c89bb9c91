import { SERIES_COLORS } from '../../colors.ts'
import { type Duration, shifted } from '../../promql/duration.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import {
  latencyOfAll,
  nodeLatency,
  type Operation,
  poolLatency,
  requestQuantile,
} from '../../promql/latency.ts'
import { type MetricName, RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { perNode, ratio, sum } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { type About, lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { colored, dashed, timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { diskReadShare } from '../common/disk_traffic.ts'
import { capital, LATENCY_MEASURE, latencyAxis, topNodeLatency } from '../common/latency.ts'
import { SAMPLE_INTERVAL, topNodes, topPools } from '../common/lines.ts'
import { NO_DATA, NO_RECORDED_DATA, poolData } from '../common/pool_data.ts'
import { bandwidthNow, latencyNow, transactionsNow } from '../common/service_now.ts'

interface Compared extends About {
  readonly title: string
  readonly expr: Expression
  readonly unit: string
  readonly width: number
  readonly decimals?: number
  readonly softMax?: number
}

const AGO: readonly (readonly [name: string, ago: Duration, color: string])[] = [
  ['1 day before', '1d', SERIES_COLORS.dayBefore],
  ['7 days before', '7d', SERIES_COLORS.weekBefore],
]

/** One value over time, with the values of the day and the week before at the same time of day. */
const compared = ({ expr, ...panel }: Compared): SizedPanel =>
  timeSeries({
    ...panel,
    queries: [{ expr, legend: 'Now' }, ...AGO.map(([legend, ago]) => ({ expr: shifted(expr, ago), legend }))],
    overrides: [colored('Now', SERIES_COLORS.now), ...AGO.map(([legend, , color]) => dashed(legend, color))],
    noValue: NO_RECORDED_DATA,
    interval: SAMPLE_INTERVAL,
  })

/** The selected pools as a whole: the typical latency beside that of the slowest of the selected nodes. */
const spread = (operation: Operation): SizedPanel => {
  const nodes = nodeLatency(operation, SCOPE.node)
  return timeSeries({
    title: `${capital(operation)} latency of the selected pools`,
    shows: `Time of a ${operation} transaction over the selected pools: ${LATENCY_MEASURE} Dashed: the 95th percentile and the maximum of the selected nodes, not of requests; p99 of the requests to the pools where the system serves a histogram.`,
    normal: 'All lines similar and below the thresholds.',
    otherwise:
      'Only the worst node is high: one faulty node, see “Where”. All are high: load or background work, see “Why”.',
    queries: [
      { expr: latencyOfAll(operation, SCOPE.pool), legend: 'All requests' },
      { expr: promql`quantile(0.95, ${nodes})`, legend: '95th percentile of nodes' },
      { expr: promql`max(${nodes})`, legend: 'Worst node' },
      { expr: requestQuantile(0.99, operation, SCOPE.pool), legend: 'p99 of requests' },
    ],
    ...latencyAxis(operation),
    overrides: [
      colored('All requests', SERIES_COLORS.now),
      dashed('95th percentile of nodes', SERIES_COLORS.percentile),
      dashed('Worst node', SERIES_COLORS.worst),
      dashed('p99 of requests', SERIES_COLORS.slowRequests),
    ],
    noValue: NO_RECORDED_DATA,
    interval: SAMPLE_INTERVAL,
  })
}

const topPoolLatency = (operation: Operation): SizedPanel =>
  topPools({
    title: `Top $topn pools by ${operation} latency`,
    shows: `Time of a ${operation} transaction by pool, weighted by transactions, of the pools that were slowest in the last three hours of the time range: ${LATENCY_MEASURE}`,
    normal: 'Below the thresholds, and similar from day to day.',
    otherwise: 'One pool: see its nodes. All pools of a system: its network or its load.',
    expr: poolLatency(operation, SCOPE.pool),
    ...latencyAxis(operation),
    noValue: NO_RECORDED_DATA,
  })

const ofPools = (name: RecordedName): Expression => recorded(name, SCOPE.pool)

/** What is recorded of the reads and the writes of pools. */
const RECORDED_TRAFFIC = {
  read: { transactions: RECORDED.reads, bytes: RECORDED.readBytes },
  write: { transactions: RECORDED.writes, bytes: RECORDED.writeBytes },
} as const satisfies Record<Operation, Record<string, RecordedName>>

const byPool = (title: string, about: About, expr: Expression, unit: string) =>
  topPools({ title, ...about, expr, unit, min: 0, noValue: NO_RECORDED_DATA, width: 12 })

const transactions = byPool(
  'Top $topn pools by transactions',
  {
    shows:
      'Reads and writes per second of the pools with the most in the last three hours of the time range.',
    normal: 'Follows the daily load.',
    otherwise: 'Latency that increases together with transactions is caused by load.',
  },
  ofPools(RECORDED.transactions),
  'reqps',
)

const bandwidth = byPool(
  'Top $topn pools by bandwidth',
  {
    shows:
      'Bytes per second that transactions read and write, of the pools with the most in the last three hours of the time range.',
    normal: 'Follows the daily load.',
    otherwise: 'A constant maximum under load is a bottleneck: compare with CPU and network below.',
  },
  promql`(${ofPools(RECORDED.readBytes)} + ${ofPools(RECORDED.writeBytes)})`,
  'Bps',
)

const objectSize = (operation: Operation): SizedPanel => {
  const { transactions: count, bytes } = RECORDED_TRAFFIC[operation]
  return byPool(
    `Top $topn pools by bytes per ${operation}`,
    {
      shows: `Bandwidth divided by transactions: the mean size of the objects of a ${operation}, of the pools where it is largest.`,
      normal: 'Steady.',
      otherwise: 'A sudden increase explains higher latency: larger objects take longer.',
    },
    ratio(ofPools(bytes), ofPools(count)),
    'bytes',
  )
}

const SAME_TIME = 'and the values of the day and of the week before at the same time of day.'

const comparedTransactions = compared({
  title: 'Transactions and earlier days',
  shows: `Reads and writes per second over the selected pools, ${SAME_TIME}`,
  normal: 'All lines similar, except on holidays.',
  otherwise:
    'Nearly zero while the other lines are not: requests do not reach the system. Far above: new load, which explains latency.',
  expr: sum(ofPools(RECORDED.transactions)),
  unit: 'reqps',
  width: 8,
})

const comparedLatency = (operation: Operation): SizedPanel =>
  compared({
    title: `${capital(operation)} latency and earlier days`,
    shows: `Time of a ${operation} transaction over the selected pools, weighted by transactions, ${SAME_TIME} It is ${LATENCY_MEASURE}`,
    normal: 'All lines similar.',
    otherwise:
      'Several times as slow at the same load: a fault, although the latency may be below the thresholds. Select one pool at a time.',
    expr: latencyOfAll(operation, SCOPE.pool),
    unit: 's',
    width: 8,
  })

const topRatio = (
  title: string,
  metric: MetricName,
  limit: keyof typeof THRESHOLDS,
  what: string,
): SizedPanel =>
  topNodes({
    title,
    shows: `${what} on the nodes where it was highest in the last three hours of the time range.`,
    normal: 'Below the dashed thresholds and similar on the nodes of a pool.',
    otherwise:
      'Nodes above a threshold are the bottleneck. One node alone points to the load balancer or to background work.',
    expr: perNode(select(metric, ...SCOPE.node)),
    unit: 'percentunit',
    steps: lineSteps(THRESHOLDS[limit]),
    limits: true,
    noValue: NO_DATA,
  })

const background = diskReadShare('purpose!="user"', {
  title: 'Top $topn pools: background disk reads',
  shows:
    'Share of disk reads that serve recovery, erasure coding, checks and replication instead of users, of the pools where it is largest.',
  normal: 'A steady share, less under load.',
  otherwise:
    'A sudden increase together with latency is a rebuild: the disks dashboard shows its purpose and start.',
})

const diskTotals = topPools({
  title: 'Top $topn pools by disk traffic',
  shows: 'Bytes per second read from and written to the disks, for all purposes, of the pools with the most.',
  normal: 'More than the bandwidth of transactions: copies, erasure coding and checks are included.',
  otherwise: 'A constant maximum is the limit of the disks: see the disks dashboard for the purposes.',
  expr: promql`(${recorded(RECORDED.diskReads, SCOPE.pool)} + ${recorded(RECORDED.diskWrites, SCOPE.pool)})`,
  unit: 'Bps',
  noValue: NO_RECORDED_DATA,
})

export const performance: DashboardSpec = {
  name: 'performance',
  title: 'Storage / Performance',
  question: 'Is the service slow, where, and is the cause load or a faulty node?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Service level',
      panels: [
        poolData(['resources', 'transactions', 'diskTraffic']),
        latencyNow(8),
        transactionsNow(8),
        bandwidthNow(8),
        spread('read'),
        spread('write'),
      ],
    },
    {
      title: 'Against the day and the week before',
      panels: [comparedTransactions, comparedLatency('read'), comparedLatency('write')],
    },
    {
      title: 'Where',
      panels: [
        topPoolLatency('read'),
        topPoolLatency('write'),
        topNodeLatency('read'),
        topNodeLatency('write'),
        transactions,
        bandwidth,
        objectSize('read'),
        objectSize('write'),
      ],
    },
    {
      title: 'Why: saturation and background work',
      panels: [
        topRatio(
          'Top $topn nodes by CPU',
          'sds_node_cpu_utilization_ratio',
          'cpuRatio',
          'Share of CPU time in use',
        ),
        topRatio(
          'Top $topn nodes by memory',
          'sds_node_memory_utilization_ratio',
          'memoryRatio',
          'Memory in use without buffers and cache, relative to all memory',
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
