import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { age, by, dedup, lastValue, sumByPool } from '../../promql/operators.ts'
import { LIMITS, POOL_KEY } from '../../settings.ts'
import { type AlertGroup, alertsAbout } from './rule.ts'
import { dashboardOf, durationOf, POOL } from './templates.ts'

/** Garbage collection, recovery and erasure coding of pools. */

const SCOPE_KEY = [...POOL_KEY, 'scope'] as const
const { warning, info } = alertsAbout({ dashboard: dashboardOf('system', ['system', 'pool']) })
const DATA = `{{ if eq $labels.scope "user" }}user data{{ else }}system metadata{{ end }}`

const ofPool = (metric: MetricName): Expression => dedup(POOL_KEY, lastValue(select(metric)))

const collectionOff = warning('SdsGarbageCollectionOff', {
  expr: promql`${dedup(SCOPE_KEY, lastValue(select('sds_pool_garbage_collection_enabled')))} == 0`,
  for: '1h',
  keepFiringFor: '15m',
  summary: 'Garbage collection of a storage pool is off.',
  description: `${POOL}: garbage collection of ${DATA} is off. The space of deleted data is not reclaimed.`,
  advice: 'ask who turned it off and why, and turn it on',
})

const reclaimed = select('sds_pool_garbage_reclaimed_bytes')
const pending = select('sds_pool_garbage_pending_bytes')
const STALLED = promql`${LIMITS.garbageStalledSeconds}s`

/**
 * A value of that long ago, so that a new series does not count as one that has not changed, and a current one, so that
 * the former name of a renamed pool does not count.
 */
const notReclaimed = warning('SdsGarbageNotReclaimed', {
  expr: promql`${by('min', SCOPE_KEY, promql`min_over_time(${pending}[${STALLED}])`)} > ${LIMITS.garbagePendingGigabytes} * 1e9
and
${dedup(SCOPE_KEY, lastValue(pending))} >= 0
unless
${dedup(SCOPE_KEY, promql`max_over_time(${reclaimed}[${STALLED}])`)}
!=
${by('min', SCOPE_KEY, promql`min_over_time(${reclaimed}[${STALLED}])`)}
and
${dedup(SCOPE_KEY, promql`${reclaimed} offset ${STALLED}`)} >= 0`,
  for: '5m',
  keepFiringFor: '15m',
  summary: 'A storage pool reclaims no garbage although much is pending.',
  description: `${POOL} has reclaimed no garbage of ${DATA} for ${durationOf(LIMITS.garbageStalledSeconds)}, with at least {{ $value | humanize1024 }}B pending.`,
  advice: 'open a case with the vendor, before the pool has no free space',
})

const unreclaimable = info('SdsGarbageUnreclaimable', {
  expr: promql`${sumByPool(dedup(SCOPE_KEY, lastValue(select('sds_pool_garbage_unreclaimable_bytes'))))}
/
(${ofPool('sds_pool_disk_space_allocated_bytes')} > 0) > ${LIMITS.unreclaimableGarbageRatio}`,
  for: '6h',
  keepFiringFor: '1h',
  summary: 'Much garbage of a storage pool cannot be reclaimed.',
  description: `${POOL}: {{ $value | humanizePercentage }} of its allocated space is garbage in chunks that also have valid data.`,
  advice: 'ask the vendor about partial garbage collection',
})

const recoverySample = select('sds_pool_sample_timestamp_seconds', 'category="recovery"')

/** A system without recovery serves its last value, which may be weeks old. */
const recoveryPending = warning('SdsRecoveryPending', {
  expr: promql`${ofPool('sds_pool_recovery_bad_chunks_bytes')} > 0
and
${age(dedup(POOL_KEY, lastValue(recoverySample)))} < ${LIMITS.recoverySampleAgeSeconds}`,
  for: '6h',
  keepFiringFor: '30m',
  summary: 'A storage pool has had data to recover for hours.',
  description: `${POOL} has {{ $value | humanize1024 }}B of data in bad chunks to recover. Until it is recovered, its protection is reduced.`,
  advice: 'find the nodes and disks that failed, and do not set further nodes to maintenance',
})

const codingBehind = info('SdsErasureCodingBehind', {
  expr: promql`${ofPool('sds_pool_erasure_coding_coded_bytes')}
/
(${ofPool('sds_pool_erasure_coding_applicable_bytes')} > 0) < ${LIMITS.codedRatio}`,
  for: '1d',
  keepFiringFor: '1h',
  summary: 'Erasure coding of a storage pool is behind.',
  description: `${POOL}: only {{ $value | humanizePercentage }} of eligible data is erasure coded. The rest is stored as copies, which take more space.`,
  advice: 'find out whether the load leaves no time for it, or nodes are missing',
})

export const backgroundGroup: AlertGroup = {
  name: 'sds-background',
  component: 'background',
  alerts: [collectionOff, notReclaimed, unreclaimable, recoveryPending, codingBehind],
}
