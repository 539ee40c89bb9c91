import { promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { by, dedup, lastValue, perSystem } from '../../promql/operators.ts'
import { LIMITS, LINK_KEY, SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'
import { type AlertGroup, alertsAbout, level, shown, twoLevels } from './rule.ts'
import {
  counted,
  DURATION,
  dashboardOf,
  durationOf,
  REPLICATION_GROUP,
  SYSTEM,
  valuesOf,
} from './templates.ts'

const about = { scope: 'system', dashboard: dashboardOf('system', SYSTEM_KEY) } as const
const { critical, warning } = alertsAbout(about)

const PENDING = select(RECORDED.replicationPending)
const LINK_ADVICE = 'check the network between the sites, and whether the other site works'

const lag = twoLevels({
  ...about,
  limit: THRESHOLDS.replicationLagSeconds,
  expr: (limit) => promql`${select(RECORDED.replicationLag)} > ${limit}
and
${PENDING} > 0`,
  status: (limit) => shown('replication_lag', ['seconds', '>', limit]),
  description: `${REPLICATION_GROUP}: the oldest data not yet replicated to every site has waited for ${DURATION}.`,
  advice: LINK_ADVICE,
  critical: level('SdsReplicationLagCritical', 'A replication group is far behind.', '10m', '15m'),
  warning: level('SdsReplicationLagHigh', 'A replication group is behind.', '15m', '15m'),
})

const GROWTH = promql`${LIMITS.backlogGrowthSeconds}s`

/**
 * More at any time of the last hour than at any time of the first hour of the window, and at its highest now: a backlog
 * that follows the daily load falls again.
 */
const backlogGrowing = warning('SdsReplicationBacklogGrowing', {
  expr: promql`min_over_time(${PENDING}[1h]) > ${LIMITS.backlogGigabytes} * 1e9
and
min_over_time(${PENDING}[1h]) > max_over_time(${PENDING}[1h] offset ${GROWTH})
and
max_over_time(${PENDING}[30m]) >= max_over_time(${PENDING}[${GROWTH}])`,
  for: '15m',
  keepFiringFor: '1h',
  summary: 'The replication backlog of a replication group is growing.',
  description: `${REPLICATION_GROUP} has a replication backlog of at least {{ $value | humanize1024 }}B, more than ${durationOf(LIMITS.backlogGrowthSeconds)} ago: more is written than is copied.`,
  advice: 'compare the traffic of clients with the bandwidth between the sites',
})

const linksFailed = critical('SdsReplicationLinksFailed', {
  expr: promql`${perSystem(select('sds_replication_links_failed'))} > 0`,
  for: '10m',
  keepFiringFor: '10m',
  summary: 'Replication links of a storage system have failed.',
  description: `${SYSTEM} has ${counted('failed replication link')}${valuesOf(' to ', 'sds_replication_link_failed', 'remote_vdc')}. New data is not copied there.`,
  advice: LINK_ADVICE,
  status: shown('failed_links', ['links', '>', 0]),
})

const progress = select('sds_replication_link_bootstrap_ratio')
const STALLED = promql`${LIMITS.bootstrapStalledSeconds}s`

const bootstrapStalled = warning('SdsReplicationBootstrapStalled', {
  expr: promql`${dedup(LINK_KEY, lastValue(progress))} < 1
unless
${dedup(LINK_KEY, promql`max_over_time(${progress}[${STALLED}])`)}
!=
${by('min', LINK_KEY, promql`min_over_time(${progress}[${STALLED}])`)}
and
${dedup(LINK_KEY, promql`${progress} offset ${STALLED}`)} >= 0`,
  for: '15m',
  keepFiringFor: '15m',
  summary: 'The copy of existing data to a new site makes no progress.',
  description: `Replication group {{ $labels.replication_group }} of system {{ $labels.system }}: the copy of its data from {{ $labels.local_vdc }} to {{ $labels.remote_vdc }} has been at {{ $value | humanizePercentage }} for ${durationOf(LIMITS.bootstrapStalledSeconds)}.`,
  advice: LINK_ADVICE,
})

export const replicationGroup: AlertGroup = {
  name: 'sds-replication',
  component: 'replication',
  alerts: [linksFailed, ...lag, backlogGrowing, bootstrapStalled],
}
