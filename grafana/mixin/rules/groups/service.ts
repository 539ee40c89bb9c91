import type { Levels } from '../../../../src/alerting/references.ts'
import type { ValueName } from '../../../../src/alerting/sources.ts'
import type { Duration } from '../../promql/duration.ts'
import { type Expression, join, promql, select } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import { type MetricName, RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { perNode } from '../../promql/operators.ts'
import type { Reference } from '../../references.ts'
import { LATENCY_THRESHOLDS, LIMITS, MEASURES, NODE_KEY, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { type Alert, type AlertGroup, alertsAbout, level, shown, twoLevels } from './rule.ts'
import { DURATION, dashboardOf, NODE, POOL } from './templates.ts'

const { warning } = alertsAbout({})

interface Direction {
  readonly operation: Operation
  readonly name: 'Read' | 'Write'
  readonly mean: RecordedName
  readonly quantile: RecordedName
}
const READ: Direction = {
  operation: 'read',
  name: 'Read',
  mean: RECORDED.readLatency,
  quantile: RECORDED.readLatencyQuantile,
}
const WRITE: Direction = {
  operation: 'write',
  name: 'Write',
  mean: RECORDED.writeLatency,
  quantile: RECORDED.writeLatencyQuantile,
}

const LATENCY_SOURCE = `(mean of its nodes, or quantile ${MEASURES.latencyQuantile} of its requests)`

/** The latency of a few transactions is not significant. */
const whereNotQuiet = (vector: Expression, operation: Operation): Expression => promql`${vector}
and
${select(operation === 'read' ? RECORDED.reads : RECORDED.writes)} > ${LIMITS.quietTransactionsPerSecond}`

const latencyHigh = ({ operation, name, mean, quantile }: Direction) =>
  warning(`Sds${name}LatencyHigh`, {
    expr: whereNotQuiet(
      promql`(${select(mean)} or ${select(quantile)}) > ${LATENCY_THRESHOLDS[operation].warning}`,
      operation,
    ),
    status: shown(
      `${operation}_latency`,
      ['seconds', '>', LATENCY_THRESHOLDS[operation].warning],
      ['per_second', '>', LIMITS.quietTransactionsPerSecond],
    ),
    for: '15m',
    keepFiringFor: '10m',
    summary: `${name} latency is high on a storage pool.`,
    description: `${POOL} needs ${DURATION} for a ${operation} transaction ${LATENCY_SOURCE}.`,
    advice:
      operation === 'read'
        ? 'find out whether one node, more load or a rebuild is the cause'
        : 'find out whether one node, more load, a rebuild or a full pool is the cause',
    dashboard: dashboardOf('performance', POOL_KEY),
  })

/**
 * The mean of the day that ended an hour ago, so that a slow hour is not part of what it is compared with. Only where
 * there was a value half a day ago: the mean of a short time is not what is usual.
 */
const usual = (record: RecordedName): Expression =>
  promql`(avg_over_time(${select(record)}[1d] offset 1h) and last_over_time(${select(record)}[1h] offset 12h))`

const latencyIncreased = ({ operation, name, mean, quantile }: Direction) =>
  warning(`Sds${name}LatencyIncreased`, {
    expr: whereNotQuiet(
      promql`(${select(mean)} or ${select(quantile)}) > ${LIMITS.latencyIncreaseFactor} * (${usual(mean)} or ${usual(quantile)})
and
(${select(mean)} or ${select(quantile)}) > ${LIMITS.increasedLatencySeconds}`,
      operation,
    ),
    for: '30m',
    keepFiringFor: '15m',
    summary: `${name} latency of a storage pool is much higher than the day before.`,
    description: `${POOL} needs ${DURATION} for a ${operation} transaction ${LATENCY_SOURCE}, more than ${LIMITS.latencyIncreaseFactor} times its mean of the day before.`,
    advice: 'find out whether one node, more load or a rebuild is the cause',
    dashboard: dashboardOf('performance', POOL_KEY),
  })

const TRAFFIC = select(RECORDED.transactions)
const nearlyNone = promql`${LIMITS.collapsedTrafficRatio} * ${usual(RECORDED.transactions)}`
/** Whether the traffic was as low within an hour of the same time before: then it is usual, as after working hours. */
const asLow = (before: Duration): Expression =>
  promql`min_over_time(${TRAFFIC}[2h] offset ${before}) <= ${nearlyNone}`

const trafficCollapsed = warning('SdsTrafficCollapsed', {
  expr: promql`${TRAFFIC} <= ${nearlyNone}
and
${usual(RECORDED.transactions)} > ${LIMITS.steadyTransactionsPerSecond}
unless
${asLow('23h')}
unless
${asLow('167h')}`,
  for: '15m',
  keepFiringFor: '15m',
  summary: 'The traffic of a storage pool has nearly ended.',
  description: `${POOL} serves {{ $value | humanize }} transactions per second, at most {{ humanizePercentage ${LIMITS.collapsedTrafficRatio} }} of its mean of the day before. Its clients may not reach it.`,
  advice: 'ask the users whether they reach it, and check load balancer and DNS',
  dashboard: dashboardOf('performance', POOL_KEY),
})

/** The ratio of a few transactions is not significant. */
const unlessQuiet = (vector: Expression): Expression => promql`${vector}
unless
${select(RECORDED.transactions)} <= ${LIMITS.quietTransactionsPerSecond}`

type Errors = Pick<Parameters<typeof twoLevels>[0], 'limit' | 'description' | 'advice'> &
  Levels<Pick<Alert, 'alert' | 'summary'>>

const errors = (
  record: RecordedName,
  value: ValueName<'errors'>,
  { critical, warning, ...row }: Errors,
): Alert[] =>
  twoLevels({
    ...row,
    expr: (limit) => unlessQuiet(promql`${select(record)} > ${limit}`),
    status: (limit) =>
      shown(
        'errors',
        [value, '>', limit],
        ['transactions_per_second', '>', LIMITS.quietTransactionsPerSecond],
      ),
    dashboard: dashboardOf('errors', POOL_KEY),
    critical: { ...critical, for: '5m', keepFiringFor: '10m' },
    warning: { ...warning, for: '15m', keepFiringFor: '10m' },
  })

const transactionErrors = errors(RECORDED.failedRatio, 'failed_ratio', {
  limit: THRESHOLDS.errorRatio,
  description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions, with errors of clients (4xx) or of the system (5xx).`,
  advice: 'find out which types of errors occur: most are caused by clients',
  critical: level('SdsTransactionErrorsCritical', 'Many transactions of a storage pool fail.'),
  warning: level('SdsTransactionErrors', 'Transactions of a storage pool fail.'),
})

const systemErrors = errors(RECORDED.failedNotByUserRatio, 'system_failed_ratio', {
  limit: THRESHOLDS.systemErrorRatio,
  description: `${POOL} fails {{ $value | humanizePercentage }} of its transactions with server errors.`,
  advice: 'find out whether one node or all nodes fail, and remove a single one from the load balancer',
  critical: level('SdsSystemErrorsCritical', 'A storage pool is returning many server errors.'),
  warning: level('SdsSystemErrors', 'A storage pool is returning server errors.'),
})

/** The mean of a few reads is not significant, hence the last condition. */
const readLatency = nodeLatency('read', [])
const latencyOutlier = warning('SdsNodeLatencyOutlier', {
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
  description: `${NODE} needs ${DURATION} for a read, more than ${LIMITS.outlierFactor} times the median of its pool: probably a fault of the node, not load.`,
  advice: 'check its disks and events, and remove it from the load balancer meanwhile',
  dashboard: dashboardOf('node', NODE_KEY),
})

interface Utilization extends Pick<Alert, 'alert' | 'severity' | 'advice'> {
  readonly finding: 'network' | 'cpu' | 'memory'
  readonly thing: string
  readonly metrics: readonly MetricName[]
  readonly limit: Reference
}

/**
 * One alert for the pool, because load is mostly common to its nodes. Each metric of `metrics` is compared; `or` of two
 * metrics would keep the first one only.
 */
const utilization = ({ finding, thing, metrics, limit, ...row }: Utilization): Alert => ({
  ...row,
  expr: promql`count by (${POOL_KEY}) (
  ${join(
    metrics.map((metric) => promql`${perNode(select(metric))} > ${limit}`),
    '\n  or\n  ',
  )}
) > 0`,
  for: '30m',
  keepFiringFor: '15m',
  summary: `Nodes of a storage pool have little ${thing} left.`,
  description: `${POOL}: {{ $value }} of its nodes use more than {{ humanizePercentage ${limit} }} of their ${thing}.`,
  status: shown(finding, ['ratio', '>', limit]),
  dashboard: dashboardOf('pool', POOL_KEY),
})

const utilizations: readonly Alert[] = [
  utilization({
    alert: 'SdsNodesNetworkBusy',
    severity: 'warning',
    finding: 'network',
    thing: 'network bandwidth',
    metrics: ['sds_node_nic_received_utilization_ratio', 'sds_node_nic_transmitted_utilization_ratio'],
    limit: THRESHOLDS.nicRatio.critical,
    advice: 'distribute clients over all nodes, and check that no link of a bond is down',
  }),
  utilization({
    alert: 'SdsNodesCpuBusy',
    severity: 'info',
    finding: 'cpu',
    thing: 'CPU time',
    metrics: ['sds_node_cpu_utilization_ratio'],
    limit: THRESHOLDS.cpuRatio.critical,
    advice: 'distribute clients over all nodes; if the CPU is used without load, call support',
  }),
  utilization({
    alert: 'SdsNodesMemoryFull',
    severity: 'info',
    finding: 'memory',
    thing: 'memory',
    metrics: ['sds_node_memory_utilization_ratio'],
    limit: THRESHOLDS.memoryRatio.critical,
    advice: 'call support before services are killed',
  }),
]

export const serviceGroup: AlertGroup = {
  name: 'sds-service',
  component: 'service',
  alerts: [
    latencyHigh(READ),
    latencyHigh(WRITE),
    latencyIncreased(READ),
    latencyIncreased(WRITE),
    trafficCollapsed,
    ...systemErrors,
    ...transactionErrors,
    latencyOutlier,
    ...utilizations,
  ],
}
