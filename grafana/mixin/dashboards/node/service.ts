import { SERIES_COLORS } from '../../colors.ts'
import { type Expression, promql } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { SCOPE } from '../../promql/scope.ts'
import { READS_WRITES } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { colored, dashed, timeSeries } from '../../sdk/timeseries.ts'
import { LATENCY_MEASURE } from '../common/latency.ts'
import { FAILURE_AXIS } from '../common/lines.ts'
import { NO_DATA } from '../common/pool_data.ts'
import { one, oneOfDataPort } from './queries.ts'

const readsWrites = (reads: MetricName, writes: MetricName) => [
  { expr: one(reads), legend: 'Reads' },
  { expr: one(writes), legend: 'Writes' },
]

const transactions = timeSeries({
  title: 'Transactions per second',
  shows: 'Read and write transactions per second of the node.',
  normal: 'Follows the daily load, similar to the other nodes of the pool.',
  otherwise: 'Far less than the other nodes: the load balancer avoids the node, or the node is slow.',
  queries: readsWrites('sds_node_transaction_reads_per_second', 'sds_node_transaction_writes_per_second'),
  unit: 'reqps',
  overrides: READS_WRITES,
  noValue: NO_DATA,
})

const latencyOf = (operation: Operation): Expression => promql`max(${nodeLatency(operation, SCOPE.node)})`
const poolMedian = (operation: Operation): Expression =>
  promql`quantile(0.5, ${nodeLatency(operation, SCOPE.pool)})`

const latency = timeSeries({
  title: 'Latency against the pool median',
  shows: `Time of transactions on the node: ${LATENCY_MEASURE} Dashed: the median of the nodes of its pool.`,
  normal: 'Each line is close to its dashed line.',
  otherwise: 'Above the median: the node is faulty, look at its disks, CPU and network below.',
  queries: [
    { expr: latencyOf('read'), legend: 'Read' },
    { expr: latencyOf('write'), legend: 'Write' },
    { expr: poolMedian('read'), legend: 'Read, pool median' },
    { expr: poolMedian('write'), legend: 'Write, pool median' },
  ],
  unit: 's',
  overrides: [
    colored('Read', SERIES_COLORS.reads),
    colored('Write', SERIES_COLORS.writes),
    dashed('Read, pool median', SERIES_COLORS.reads),
    dashed('Write, pool median', SERIES_COLORS.writes),
  ],
  noValue: NO_DATA,
})

const bandwidth = timeSeries({
  title: 'Transaction bandwidth',
  shows: 'Bytes per second that transactions read from and write to the node.',
  normal: 'Follows the transactions per second.',
  otherwise: 'Higher bandwidth without more transactions means larger objects, which also take longer.',
  queries: readsWrites(
    'sds_node_transaction_read_bytes_per_second',
    'sds_node_transaction_write_bytes_per_second',
  ),
  unit: 'Bps',
  overrides: READS_WRITES,
  noValue: NO_DATA,
})

const failed = timeSeries({
  title: 'Failed transactions',
  shows: "Share of the node's transactions that failed, with errors of clients or of the system.",
  normal: 'Below the dashed thresholds. Some clients always request objects that do not exist.',
  otherwise: 'The errors dashboard shows the types, and whether clients or the system cause them.',
  queries: [{ expr: one('sds_node_transaction_errors_ratio'), legend: 'Failed' }],
  ...FAILURE_AXIS,
  noValue: NO_DATA,
})

const connections = timeSeries({
  title: 'Active connections',
  shows: 'Connections of clients to the data port of the node, as the node counts them.',
  normal: 'Similar on the nodes behind one load balancer.',
  otherwise:
    'Far more than on the other nodes: the load balancer prefers the node, or its clients wait. None: the load balancer avoids it.',
  queries: [{ expr: oneOfDataPort('sds_node_active_connections'), legend: 'Connections' }],
  unit: 'short',
  noValue: 'Not read: resources.data_nodes is off, or no data',
})

const maintenance = timeSeries({
  title: 'Maintenance mode',
  shows:
    'Whether the node is in maintenance mode, as its data port says: then load balancers should send it no clients.',
  normal: 'Always 0, but during planned work.',
  otherwise: '1 without planned work: the maintenance was not ended.',
  queries: [{ expr: oneOfDataPort('sds_node_maintenance_mode'), legend: 'In maintenance' }],
  unit: 'short',
  noValue: 'Not read: resources.data_nodes.maintenance is off, or no data',
})

export const nodeService: readonly SizedPanel[] = [
  transactions,
  latency,
  bandwidth,
  failed,
  connections,
  maintenance,
]
