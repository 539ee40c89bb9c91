import { perNode, perPoll, perSystem, poolSum } from '../../promql/expressions.ts'
import { HEALTH, UNKNOWN_HEALTH } from '../../settings.ts'
import type { Recording, RecordingGroup } from './rule.ts'

/**
 * Names say `level:metric:operations`. `job` and `instance` are gone at every level, because a system is the
 * same system whoever scrapes it. Dashboards use the raw metrics, so that they work without these rules.
 */

/** Worst first: where two exporters polled on either side of a change, `or` takes the worse of the two. */
const healthCode: Recording = {
  record: 'system_pool_node:sds_node_health_status:code',
  expr: [
    { matcher: `status!~"${Object.keys(HEALTH).join('|')}"`, code: UNKNOWN_HEALTH.code },
    ...Object.entries(HEALTH)
      .map(([status, { code }]) => ({ matcher: `status="${status}"`, code }))
      .reverse(),
  ]
    .map(({ matcher, code }) => `(${perNode(`sds_node_health_status{${matcher}}`)} == 1) * ${code}`)
    .join('\nor\n'),
}

/** Only nodes that serve both halves count, so that a node in trouble does not bend the ratio of its pool. */
const allocated = 'sds_node_disk_space_allocated_bytes'
const total = 'sds_node_disk_space_total_bytes'

const capacity: readonly Recording[] = [
  {
    record: `system_pool:${allocated}:sum`,
    expr: `sum by (system,pool) (\n  ${perNode(allocated)}\n  and\n  ${perNode(total)}\n)`,
  },
  {
    record: `system_pool:${total}:sum`,
    expr: `sum by (system,pool) (\n  ${perNode(total)}\n  and\n  ${perNode(allocated)}\n)`,
  },
  {
    record: 'system_pool:sds_node_disk_space_allocated_per_total:ratio',
    expr: `system_pool:${allocated}:sum\n/\n(system_pool:${total}:sum > 0)`,
  },
]

/** A mean over nodes that is weighted with their transactions; idle nodes say nothing. */
const latency = (direction: 'read' | 'write'): Recording => {
  const seconds = perNode(`sds_node_transaction_${direction}_latency_seconds`)
  const rate = perNode(`sds_node_transaction_${direction}s_per_second`)
  return {
    record: `system_pool:sds_node_transaction_${direction}_latency_seconds:mean`,
    expr: `sum by (system,pool) (${seconds} * ${rate})
/
(sum by (system,pool) (${rate} and ${seconds}) > 0)`,
  }
}

const failed = poolSum('sds_node_transactions_failed')
const succeeded = poolSum('sds_node_transactions_succeeded')
/** Error types appear only when they occurred: none means 0, hence the second branch. */
const userErrors = `(
  sum by (system,pool) (max by (system,pool,node,error_type) (sds_node_transaction_errors_by_type{category="User"}))
  or
  ${failed} * 0
)`

const errors: readonly Recording[] = [
  {
    record: 'system_pool:sds_node_transactions_failed_per_all:ratio',
    expr: `${failed}\n/\n(${failed} + ${succeeded} > 0)`,
  },
  {
    record: 'system_pool:sds_node_transactions_failed_not_by_user_per_all:ratio',
    expr: `clamp_min(${failed} - ${userErrors}, 0)\n/\n(${failed} + ${succeeded} > 0)`,
  },
]

/**
 * At the last good poll rather than now: a pool that is polled every hour has samples of an hour ago and is not
 * frozen. The name of the pool stands on the side of many, where a pool that two exporters name differently does
 * no harm.
 */
const lastPoll = `max by (system,pool) (
  max by (system,pool,pool_id) (sds_pool_info)
  * on (system,pool_id) group_left ()
  ${perPoll('sds_pool_last_success_timestamp_seconds')}
)`
const ageAtPoll = `${lastPoll}
- on (system,pool) group_right ()
max by (system,pool,category) (sds_node_sample_timestamp_seconds)`
/** By the clock of the storage system where it is known, so that a wrong clock is not taken for old data. */
const sampleAge: Recording = {
  record: 'system_pool_category:sds_node_sample_age_seconds:min',
  expr: `${ageAtPoll}
+ on (system) group_left () ${perSystem('sds_system_clock_skew_seconds')}
or
${ageAtPoll}`,
}

export const recordingGroup: RecordingGroup = {
  name: 'sds-recording',
  recordings: [healthCode, ...capacity, latency('read'), latency('write'), ...errors, sampleAge],
}
