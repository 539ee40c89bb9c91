import type { Reference } from '../../../src/alerting/references.ts'
import { type Expression, join, promql, select } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import { RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { perNode, sumByPool } from '../../promql/operators.ts'
import { LIMITS, MEASURES, NODE_KEY, POOL_KEY, THRESHOLDS, type Threshold } from '../../settings.ts'
import { type Alert, type AlertGroup, bySeverity } from './rule.ts'
import { dashboardOf, NODE, POOL } from './templates.ts'

const latencyHigh = (
  direction: Operation,
  name: 'Read' | 'Write',
  { mean, quantile }: Record<'mean' | 'quantile', RecordedName>,
  limit: Reference,
): Alert => ({
  alert: `Sds${name}LatencyHigh`,
  severity: 'warning',
  expr: promql`(${select(mean)} or ${select(quantile)}) > ${limit}
and
${sumByPool(perNode(select(`sds_node_transaction_${direction}s_per_second`)))} > ${LIMITS.quietTransactionsPerSecond}`,
  for: '15m',
  keepFiringFor: '10m',
  summary: `A storage pool is slow to ${direction}.`,
  description: `${POOL} needs {{ $value | humanizeDuration }} for a ${direction} transaction (mean of its nodes, or quantile ${MEASURES.latencyQuantile} of its requests).`,
  dashboard: dashboardOf('performance', POOL_KEY),
})

/** The ratio of a few transactions is not significant. */
const unlessQuiet = (vector: Expression): Expression => promql`${vector}
unless
(
  ${sumByPool(perNode(select('sds_node_transaction_reads_per_second')))}
  +
  ${sumByPool(perNode(select('sds_node_transaction_writes_per_second')))}
) <= ${LIMITS.quietTransactionsPerSecond}`

const above = (record: RecordedName, { warning, critical }: Threshold) =>
  ({
    critical: { expr: unlessQuiet(promql`${select(record)} > ${critical}`), for: '5m', keepFiringFor: '10m' },
    warning: { expr: unlessQuiet(promql`${select(record)} > ${warning}`), for: '15m', keepFiringFor: '10m' },
  }) as const

const transactionErrors = bySeverity(
  {
    alert: 'SdsTransactionErrors',
    summary: 'Many transactions of a storage pool fail.',
    description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions, by the fault of clients or of the system.`,
    dashboard: dashboardOf('errors', POOL_KEY),
  },
  above(RECORDED.failedRatio, THRESHOLDS.errorRatio),
)

const systemErrors = bySeverity(
  {
    alert: 'SdsSystemErrors',
    summary: 'A storage pool fails transactions by its own fault.',
    description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions with errors that are not caused by clients.`,
    dashboard: dashboardOf('errors', POOL_KEY),
  },
  above(RECORDED.failedNotByUserRatio, THRESHOLDS.systemErrorRatio),
)

/** The mean of a few reads is not significant, hence the last condition. */
const readLatency = nodeLatency('read', [])
const latencyOutlier: Alert = {
  alert: 'SdsNodeLatencyOutlier',
  severity: 'warning',
  expr: promql`${readLatency} > ${LIMITS.outlierLatencySeconds}
and
${readLatency}
> on (${POOL_KEY}) group_left ()
${LIMITS.outlierFactor} * quantile by (${POOL_KEY}) (0.5, ${readLatency})
and
${perNode(select('sds_node_transaction_reads_per_second'))} > ${LIMITS.quietTransactionsPerSecond}`,
  for: '30m',
  keepFiringFor: '15m',
  summary: 'A storage node is much slower than the others of its pool.',
  description: `${NODE} needs {{ $value | humanizeDuration }} for a read, more than ${LIMITS.outlierFactor} times the median of its pool: probably a fault of the node, not load.`,
  dashboard: dashboardOf('node', NODE_KEY),
}

const resource = (
  alert: Alert['alert'],
  severity: Alert['severity'],
  expr: Expression,
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

/** `or` of two comparisons; `or` of the two metrics would keep the first one only. */
const nicBusy = join(
  (['received', 'transmitted'] as const).map((direction) => {
    const utilization = perNode(select(`sds_node_nic_${direction}_utilization_ratio`))
    return promql`${utilization} > ${THRESHOLDS.nicRatio.critical}`
  }),
  '\nor\n',
)

const resources: readonly Alert[] = [
  resource('SdsNodeNetworkBusy', 'warning', nicBusy, 'network bandwidth'),
  resource(
    'SdsNodeCpuBusy',
    'info',
    promql`${perNode(select('sds_node_cpu_utilization_ratio'))} > ${THRESHOLDS.cpuRatio.critical}`,
    'CPU time',
  ),
  resource(
    'SdsNodeMemoryFull',
    'info',
    promql`${perNode(select('sds_node_memory_utilization_ratio'))} > ${THRESHOLDS.memoryRatio.critical}`,
    'memory',
  ),
]

export const serviceGroup: AlertGroup = {
  name: 'sds-service',
  component: 'service',
  alerts: [
    latencyHigh(
      'read',
      'Read',
      { mean: RECORDED.readLatency, quantile: RECORDED.readLatencyQuantile },
      LIMITS.alertReadLatencySeconds,
    ),
    latencyHigh(
      'write',
      'Write',
      { mean: RECORDED.writeLatency, quantile: RECORDED.writeLatencyQuantile },
      LIMITS.alertWriteLatencySeconds,
    ),
    ...systemErrors,
    ...transactionErrors,
    latencyOutlier,
    ...resources,
  ],
}
