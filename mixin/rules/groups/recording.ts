import { type Expression, join, type Matcher, promql, select } from '../../promql/expression.ts'
import { latencyQuantile, type Operation } from '../../promql/latency.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { by, dedup, perNode, perSystem, sumByPool } from '../../promql/operators.ts'
import { HEALTH, MEASURES, NODE_KEY, POOL_KEY, UNKNOWN_HEALTH } from '../../settings.ts'
import type { Recording, RecordingGroup } from './rule.ts'

/** Dashboards use the raw metrics, so that they work without these rules; only trends over weeks need them. */

const code = (matcher: Matcher, value: number): Expression =>
  promql`(${perNode(select('sds_node_health_status', matcher))} == 1) * ${value}`

/** Worst first: where two exporters polled before and after a change, `or` takes the worse of the two. */
const healthCode: Recording = {
  record: RECORDED.healthCode,
  expr: join(
    [
      code(`status!~"${Object.keys(HEALTH).join('|')}"`, UNKNOWN_HEALTH.code),
      ...Object.entries(HEALTH)
        .map(([status, health]) => code(`status="${status}"`, health.code))
        .reverse(),
    ],
    '\nor\n',
  ),
}

const allocated = perNode(select('sds_node_disk_space_allocated_bytes'))
const total = perNode(select('sds_node_disk_space_total_bytes'))

/** Only nodes that serve both values count: a node with one of them would change the ratio of its pool. */
const both = (value: Expression, other: Expression): Expression =>
  promql`sum by (${POOL_KEY}) (\n  ${value}\n  and\n  ${other}\n)`

const capacity: readonly Recording[] = [
  { record: RECORDED.allocatedBytes, expr: both(allocated, total) },
  { record: RECORDED.totalBytes, expr: both(total, allocated) },
  {
    // Not of the recorded sums: promtool computes the past of all rules from the data before them.
    record: RECORDED.usedRatio,
    expr: promql`${both(allocated, total)}\n/\n(${both(total, allocated)} > 0)`,
  },
]

/** The mean over nodes, weighted by their transactions. Nodes without transactions do not count. */
const latency = (record: Recording['record'], operation: Operation): Recording => {
  const seconds = perNode(select(`sds_node_transaction_${operation}_latency_seconds`))
  const rate = perNode(select(`sds_node_transaction_${operation}s_per_second`))
  return {
    record,
    expr: promql`sum by (${POOL_KEY}) (${seconds} * ${rate})
/
(sum by (${POOL_KEY}) (${rate} and ${seconds}) > 0)`,
  }
}

/** Of the requests to all nodes together, for pools whose system does not serve means. */
const quantile = (record: Recording['record'], operation: Operation): Recording => ({
  record,
  expr: latencyQuantile(MEASURES.latencyQuantile, POOL_KEY, operation, []),
})

/** Reads and writes. */
const transactions: Recording = {
  record: RECORDED.transactions,
  expr: promql`${sumByPool(perNode(select('sds_node_transaction_reads_per_second')))}
+
${sumByPool(perNode(select('sds_node_transaction_writes_per_second')))}`,
}

/** 1 while a node of the pool is in Maintenance, else 0: then space is missing on purpose. */
const maintenance: Recording = {
  record: RECORDED.maintenance,
  expr: by('max', POOL_KEY, select('sds_node_health_status', 'status="Maintenance"')),
}

const failed = sumByPool(perNode(select('sds_node_transactions_failed')))
const succeeded = sumByPool(perNode(select('sds_node_transactions_succeeded')))
const userErrors = select('sds_node_transaction_errors_by_type', 'category="User"')
/** The feed lists only error types that occurred. None means 0, hence the second branch. */
const failedByUser = promql`(
  ${sumByPool(dedup([...NODE_KEY, 'error_type'], userErrors))}
  or
  ${failed} * 0
)`

const errors: readonly Recording[] = [
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

export const recordingGroup: RecordingGroup = {
  name: 'sds-recording',
  recordings: [
    healthCode,
    ...capacity,
    latency(RECORDED.readLatency, 'read'),
    latency(RECORDED.writeLatency, 'write'),
    quantile(RECORDED.readLatencyQuantile, 'read'),
    quantile(RECORDED.writeLatencyQuantile, 'write'),
    transactions,
    ...errors,
    maintenance,
    sampleAge,
  ],
}
