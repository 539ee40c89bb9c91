import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { nodeQuantile, type Operation, poolBuckets, poolQuantile } from '../../promql/latency.ts'
import { type MetricName, RECORDED, TRANSACTIONS } from '../../promql/metrics.ts'
import { busierNic, healthCode, poolForecast, poolForecastShare } from '../../promql/nodes.ts'
import { by, dedup, perNode, perNodeAnd, perSystem, ratio, sumBy, sumByPool } from '../../promql/operators.ts'
import { GROUP_KEY, LIMITS, NAMESPACE_KEY, NODE_KEY, POOL_KEY, SYSTEM_KEY } from '../../settings.ts'
import type { Recording, RecordingGroup } from './rule.ts'

/**
 * Each rule reads what is scraped and no recorded series: promtool computes the past of all rules from the data that was
 * there before (docs/history.md).
 */

const ofNodes = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  perNode(select(metric, ...matchers))

/** A metric of nodes, summed by pool. */
const sumOf = (record: Recording['record'], metric: MetricName): Recording => ({
  record,
  expr: sumByPool(ofNodes(metric)),
})
/** A metric of nodes that has a further label, summed by pool and this label. */
const sumByPoolAnd = (label: string, record: Recording['record'], metric: MetricName): Recording => ({
  record,
  expr: sumBy([...POOL_KEY, label], perNodeAnd(label, select(metric))),
})

/** Worst first: where two exporters polled before and after a change, `or` takes the worse of the two. */
const healthCodes: readonly Recording[] = [
  { record: RECORDED.healthCode, expr: healthCode(NODE_KEY, []) },
  { record: RECORDED.poolHealthCode, expr: healthCode(POOL_KEY, []) },
]

const allocated = ofNodes('sds_node_disk_space_allocated_bytes')
const total = ofNodes('sds_node_disk_space_total_bytes')

/** Only nodes that serve both values count: a node with one of them would change the ratio of its pool. */
const both = (value: Expression, other: Expression, operation: 'sum' | 'count' = 'sum'): Expression =>
  by(operation, POOL_KEY, promql`\n  ${value}\n  and\n  ${other}\n`)

const used = ratio(allocated, total)

const capacity: readonly Recording[] = [
  { record: RECORDED.allocatedBytes, expr: both(allocated, total) },
  { record: RECORDED.spaceNodes, expr: both(allocated, total, 'count') },
  { record: RECORDED.totalBytes, expr: both(total, allocated) },
  { record: RECORDED.usedRatio, expr: promql`${both(allocated, total)}\n/\n(${both(total, allocated)} > 0)` },
  {
    // The difference between the fullest and the emptiest node.
    record: RECORDED.usedRatioRange,
    expr: promql`${by('max', POOL_KEY, used)}\n-\n${by('min', POOL_KEY, used)}`,
  },
  sumByPoolAnd('level', RECORDED.allocatedLevels, 'sds_node_disk_space_allocated_level_bytes'),
  sumByPoolAnd('level', RECORDED.freeLevels, 'sds_node_disk_space_free_level_bytes'),
]

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`
/** The forecast of the storage system for each pool, and the share of its nodes that have one. */
const forecasts: readonly Recording[] = [
  { record: RECORDED.forecast, expr: poolForecast([], TARGET) },
  { record: RECORDED.forecastAvailable, expr: poolForecastShare([], TARGET) },
]

/** The mean over nodes, weighted by their transactions. Nodes without transactions do not count. */
const meanLatency = (operation: Operation): Expression => {
  const seconds = ofNodes(TRANSACTIONS[operation].latency)
  const rate = ofNodes(TRANSACTIONS[operation].count)
  return promql`sum by (${POOL_KEY}) (${seconds} * ${rate})
/
(sum by (${POOL_KEY}) (${rate} and ${seconds}) > 0)`
}

/** Means, and quantiles of nodes and pools whose system does not serve means. */
const latencies: readonly Recording[] = [
  { record: RECORDED.readLatency, expr: meanLatency('read') },
  { record: RECORDED.writeLatency, expr: meanLatency('write') },
  { record: RECORDED.readLatencyQuantile, expr: poolQuantile('read') },
  { record: RECORDED.writeLatencyQuantile, expr: poolQuantile('write') },
  { record: RECORDED.latencyBuckets, expr: poolBuckets() },
  { record: RECORDED.nodeReadLatencyQuantile, expr: nodeQuantile('read') },
  { record: RECORDED.nodeWriteLatencyQuantile, expr: nodeQuantile('write') },
]

const nodeReads = ofNodes('sds_node_transaction_reads_per_second')
const nodeWrites = ofNodes('sds_node_transaction_writes_per_second')
const [reads, writes] = [sumByPool(nodeReads), sumByPool(nodeWrites)]

/** Transactions are reads and writes. */
const traffic: readonly Recording[] = [
  { record: RECORDED.reads, expr: reads },
  { record: RECORDED.writes, expr: writes },
  { record: RECORDED.nodeTransactions, expr: promql`${nodeReads}\n+\n${nodeWrites}` },
  { record: RECORDED.transactions, expr: promql`${reads}\n+\n${writes}` },
  sumOf(RECORDED.readBytes, 'sds_node_transaction_read_bytes_per_second'),
  sumOf(RECORDED.writeBytes, 'sds_node_transaction_write_bytes_per_second'),
  sumOf(RECORDED.diskReads, 'sds_node_disk_read_bytes_per_second'),
  sumOf(RECORDED.diskWrites, 'sds_node_disk_write_bytes_per_second'),
  sumByPoolAnd('purpose', RECORDED.diskReadPurposes, 'sds_node_disk_read_purpose_bytes_per_second'),
  sumByPoolAnd('purpose', RECORDED.diskWritePurposes, 'sds_node_disk_write_purpose_bytes_per_second'),
  { record: RECORDED.nodeBusierNic, expr: busierNic([]) },
]

/** 1 while a node of the pool is in Maintenance, else 0: then space is missing on purpose. */
const maintenance: Recording = {
  record: RECORDED.maintenance,
  expr: by('max', POOL_KEY, select('sds_node_health_status', 'status="Maintenance"')),
}

const ofSucceeded = ofNodes('sds_node_transactions_succeeded')
const succeeded = sumByPool(ofSucceeded)
/** Only of nodes whose successes are known: the failures of others would change the ratio of their pool. */
const failed = sumByPool(promql`${ofNodes('sds_node_transactions_failed')} and ${ofSucceeded}`)
const BY_TYPE = 'sds_node_transaction_errors_by_type'
const userErrors = select(BY_TYPE, 'category="User"')
const TYPE_KEY = ['category', 'error_type'] as const
/** The dashboard API lists only error types that occurred. None means 0, hence the second branch. */
const failedByUser = promql`(
  ${sumByPool(promql`${dedup([...NODE_KEY, 'error_type'], userErrors)} and on (${NODE_KEY}) ${ofSucceeded}`)}
  or
  ${failed} * 0
)`

const errors: readonly Recording[] = [
  {
    record: RECORDED.errorTypes,
    expr: sumBy([...POOL_KEY, ...TYPE_KEY], dedup([...NODE_KEY, ...TYPE_KEY], select(BY_TYPE))),
  },
  { record: RECORDED.failedRatio, expr: promql`${failed}\n/\n(${failed} + ${succeeded} > 0)` },
  {
    record: RECORDED.failedNotByUserRatio,
    expr: promql`clamp_min(${failed} - ${failedByUser}, 0)\n/\n(${failed} + ${succeeded} > 0)`,
  },
]

/**
 * The age at the last successful poll, not the current age: a pool that is polled every hour has samples of an hour
 * ago and is not frozen.
 */
const lastPoll = by('max', POOL_KEY, select('sds_pool_last_success_timestamp_seconds'))
const ageAtPoll = promql`${lastPoll}
- on (${POOL_KEY}) group_right ()
max by (${POOL_KEY},category) (${select('sds_node_sample_timestamp_seconds')})`
/** By the clock of the storage system where the skew is known, so that a wrong clock does not look like old data. */
const sampleAge: Recording = {
  record: RECORDED.sampleAge,
  expr: promql`${ageAtPoll}
+ on (system) group_left () ${perSystem(select('sds_system_clock_skew_seconds'))}
or
${ageAtPoll}`,
}

const disks = sumByPoolAnd('status', RECORDED.disks, 'sds_node_disks_by_status')

const GROUP_KIND = [...GROUP_KEY, 'kind'] as const
/** Kinds do not overlap. */
const replicationPending = sumBy(GROUP_KEY, dedup(GROUP_KIND, select('sds_replication_group_pending_bytes')))
/** The age by the clock of the system, where the skew is known. */
const recoveryPointAge = promql`time() - ${dedup(GROUP_KEY, select('sds_replication_group_recovery_point_timestamp_seconds'))}`
const skew = perSystem(select('sds_system_clock_skew_seconds'))
/** What the Flux API serves is preferred: the storage system raises its own alert by it. */
const replicationLag = promql`${dedup(GROUP_KEY, select('sds_replication_group_lag_seconds'))}
or
${recoveryPointAge} + on (system) group_left () ${skew}
or
${recoveryPointAge}`

const replication: readonly Recording[] = [
  { record: RECORDED.replicationPending, expr: replicationPending },
  { record: RECORDED.replicationLag, expr: replicationLag },
]

const perNamespace = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  dedup(NAMESPACE_KEY, select(metric, ...matchers))
const namespaceUsed = perNamespace('sds_namespace_used_bytes')

/** Sums of one system: two systems of a federation report the same namespaces. */
const namespaces: readonly Recording[] = [
  { record: RECORDED.namespacesUsed, expr: sumBy(SYSTEM_KEY, namespaceUsed) },
  { record: RECORDED.namespaceObjects, expr: sumBy(SYSTEM_KEY, perNamespace('sds_namespace_objects')) },
  {
    record: RECORDED.quotaUsed,
    expr: ratio(namespaceUsed, perNamespace('sds_namespace_quota_bytes', 'limit="hard"')),
  },
]

const group = (subject: string, recordings: readonly Recording[]): RecordingGroup => ({
  name: `sds-recording-${subject}`,
  recordings,
})

/**
 * By subject. Prometheus evaluates the rules of a group one after the other, and spreads groups over their interval: in
 * large fleets the rules of one group would take a large part of it.
 */
export const RECORDING_GROUPS: readonly RecordingGroup[] = [
  group('health', [...healthCodes, maintenance, disks, sampleAge]),
  group('capacity', [...capacity, ...forecasts]),
  group('latency', latencies),
  group('traffic', traffic),
  group('errors', errors),
  group('replication', replication),
  group('namespaces', namespaces),
]

export const RECORDINGS: readonly Recording[] = RECORDING_GROUPS.flatMap(({ recordings }) => recordings)
