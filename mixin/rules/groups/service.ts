import { dashboardOf, NODE, POOL, perNode, poolSum } from '../../promql/expressions.ts'
import { LIMITS, NODE_KEY, POOL_KEY, THRESHOLDS, type Threshold } from '../../settings.ts'
import { type Alert, type AlertGroup, bySeverity } from './rule.ts'

const latencyHigh = (direction: 'read' | 'write', name: 'Read' | 'Write', limit: number): Alert => ({
  alert: `Sds${name}LatencyHigh`,
  severity: 'warning',
  expr: `system_pool:sds_node_transaction_${direction}_latency_seconds:mean > ${limit}
and
${poolSum(`sds_node_transaction_${direction}s_per_second`)} > ${LIMITS.quietTransactionsPerSecond}`,
  for: '15m',
  keepFiringFor: '10m',
  summary: `A storage pool is slow to ${direction}.`,
  description: `${POOL} needs {{ $value | humanizeDuration }} for a ${direction} transaction, on the mean over its nodes.`,
  dashboard: dashboardOf('performance', POOL_KEY),
})

/** A handful of transactions makes no ratio. */
const notQuiet = `unless
(
  ${poolSum('sds_node_transaction_reads_per_second')}
  +
  ${poolSum('sds_node_transaction_writes_per_second')}
) <= ${LIMITS.quietTransactionsPerSecond}`

const above = (ratio: string, { warning, critical }: Threshold) =>
  ({
    critical: { expr: `${ratio} > ${critical}\n${notQuiet}`, for: '5m', keepFiringFor: '10m' },
    warning: { expr: `${ratio} > ${warning}\n${notQuiet}`, for: '15m', keepFiringFor: '10m' },
  }) as const

const transactionErrors = bySeverity(
  {
    alert: 'SdsTransactionErrors',
    summary: 'Many transactions of a storage pool fail.',
    description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions, whosever fault.`,
    dashboard: dashboardOf('errors', POOL_KEY),
  },
  above('system_pool:sds_node_transactions_failed_per_all:ratio', THRESHOLDS.errorRatio),
)

const systemErrors = bySeverity(
  {
    alert: 'SdsSystemErrors',
    summary: 'A storage pool fails transactions by its own fault.',
    description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions with errors that are not the callers' own.`,
    dashboard: dashboardOf('errors', POOL_KEY),
  },
  above('system_pool:sds_node_transactions_failed_not_by_user_per_all:ratio', THRESHOLDS.systemErrorRatio),
)

/** The mean of a few reads is chance: without the last condition, nodes at rest would be outliers. */
const readLatency = perNode('sds_node_transaction_read_latency_seconds')
const latencyOutlier: Alert = {
  alert: 'SdsNodeLatencyOutlier',
  severity: 'warning',
  expr: `${readLatency} > ${LIMITS.outlierLatencySeconds}
and
${readLatency}
> on (${POOL_KEY.join(',')}) group_left ()
${LIMITS.outlierFactor} * quantile by (${POOL_KEY.join(',')}) (0.5, ${readLatency})
and
${perNode('sds_node_transaction_reads_per_second')} > ${LIMITS.quietTransactionsPerSecond}`,
  for: '30m',
  keepFiringFor: '15m',
  summary: 'A storage node is much slower than the others of its pool.',
  description: `${NODE} needs {{ $value | humanizeDuration }} for a read, more than ${LIMITS.outlierFactor} times the median of its pool: a sick node rather than load.`,
  dashboard: dashboardOf('node', NODE_KEY),
}

const resource = (
  alert: Alert['alert'],
  severity: Alert['severity'],
  expr: string,
  thing: string,
): Alert => ({
  alert,
  severity,
  expr,
  for: '30m',
  keepFiringFor: '15m',
  summary: `A storage node has little ${thing} left.`,
  description: `${NODE} uses {{ $value | humanizePercentage }} of its ${thing}.`,
  dashboard: dashboardOf('node', NODE_KEY),
})

/** Two comparisons joined: `or` between the bare metrics would show received alone. */
const nicBusy = ['received', 'transmitted']
  .map(
    (direction) =>
      `${perNode(`sds_node_nic_${direction}_utilization_ratio`)} > ${THRESHOLDS.nicRatio.critical}`,
  )
  .join('\nor\n')

const resources: readonly Alert[] = [
  resource('SdsNodeNetworkBusy', 'warning', nicBusy, 'network bandwidth'),
  resource(
    'SdsNodeCpuBusy',
    'info',
    `${perNode('sds_node_cpu_utilization_ratio')} > ${THRESHOLDS.cpuRatio.critical}`,
    'CPU time',
  ),
  resource(
    'SdsNodeMemoryFull',
    'info',
    `${perNode('sds_node_memory_utilization_ratio')} > ${THRESHOLDS.memoryRatio.critical}`,
    'memory',
  ),
]

export const serviceGroup: AlertGroup = {
  name: 'sds-service',
  component: 'service',
  alerts: [
    latencyHigh('read', 'Read', LIMITS.alertReadLatencySeconds),
    latencyHigh('write', 'Write', LIMITS.alertWriteLatencySeconds),
    ...systemErrors,
    ...transactionErrors,
    latencyOutlier,
    ...resources,
  ],
}
