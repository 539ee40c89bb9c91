import {
  counted,
  dashboardOf,
  lately,
  NODE,
  POLL_KEY,
  POLLED_POOL,
  POOL,
  POOL_ANSWERS,
  perPoll,
  perSystem,
  SYSTEM,
  SYSTEM_KEY,
} from '../../promql/expressions.ts'
import { LIMITS, NODE_KEY, POOL_KEY, PROMETHEUS, THRESHOLDS } from '../../settings.ts'
import type { Alert, AlertGroup } from './rule.ts'

const JOB = `{job="${PROMETHEUS.job}"}`
const INSTANCE = 'Exporter {{ $labels.instance }}'
const exporterPage = dashboardOf('exporter', [])
const instancePage = dashboardOf('exporter', ['instance'])
const systemPage = dashboardOf('exporter', SYSTEM_KEY)

const processes: readonly Alert[] = [
  {
    alert: 'SdsExporterAbsent',
    severity: 'critical',
    expr: `absent(up${JOB} == 1)`,
    for: '10m',
    summary: 'No exporter is running.',
    description: `Prometheus reaches no exporter of the job ${PROMETHEUS.job}: no storage system is watched, and no other storage alert can fire.`,
    dashboard: exporterPage,
  },
  {
    alert: 'SdsExporterDown',
    severity: 'warning',
    expr: `up${JOB} == 0`,
    for: '5m',
    summary: 'An exporter cannot be scraped.',
    description: `${INSTANCE} does not answer Prometheus. Where a second one watches the same systems, nothing is lost yet.`,
    dashboard: instancePage,
  },
  {
    alert: 'SdsExporterRestarting',
    severity: 'warning',
    expr: `max by (instance) (changes(process_start_time_seconds${JOB}[1h])) >= ${LIMITS.exporterRestarts}`,
    keepFiringFor: '15m',
    summary: 'An exporter keeps restarting.',
    description: `${INSTANCE} started {{ $value }} times within an hour.`,
    dashboard: instancePage,
  },
  {
    alert: 'SdsConfigReloadFailed',
    severity: 'warning',
    expr: 'max by (instance) (max_over_time(sds_exporter_config_last_reload_successful[5m])) == 0',
    for: '10m',
    summary: 'An exporter refused its configuration file.',
    description: `${INSTANCE} runs on with its old configuration, because the file has an error. The next restart would fail.`,
    dashboard: instancePage,
  },
]

/** Results of each exporter by itself, so that one replica without a route is seen although the other is well. */
const POLLS_BY_EXPORTER = 'sum by (system,pool_id,job,instance)'

const polls: readonly Alert[] = [
  {
    alert: 'SdsSystemUnreachable',
    severity: 'critical',
    expr: `${perSystem('sds_system_up')} == 0`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'The API of a storage system does not answer.',
    description: `${SYSTEM} answers no exporter. Whether it still serves its users is not known: nothing of it is watched.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsPoolPollsFailing',
    severity: 'critical',
    expr: `${perPoll('sds_pool_up')} == 0`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'A storage pool cannot be polled.',
    description: `${POLLED_POOL} cannot be polled by any exporter, although its system may answer. Its nodes are not watched.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsPoolsUnknown',
    severity: 'critical',
    expr: `${perSystem('sds_system_up')} == 1\nunless on (system)\nsds_pool_up`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'A storage system answers, but its pools are not known.',
    description: `${SYSTEM} answers, but no exporter could read the list of its pools: nothing of it is watched.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsPollErrorsHigh',
    severity: 'warning',
    expr: `max by (${POLL_KEY.join(',')}) (
  ${POLLS_BY_EXPORTER} (rate(sds_pool_polls_total{result!="ok"}[15m]))
  /
  (${POLLS_BY_EXPORTER} (rate(sds_pool_polls_total[15m])) > 0)
) > ${LIMITS.failedPollsRatio}`,
    for: '15m',
    summary: 'Many polls of a storage pool fail.',
    description: `${POLLED_POOL}: {{ $value | humanizePercentage }} of the polls of one exporter failed within 15 minutes.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsPollsOverdue',
    severity: 'warning',
    expr: `time() - ${perPoll('sds_pool_last_success_timestamp_seconds')} > ${THRESHOLDS.pollAgeSeconds.critical}
and
${POOL_ANSWERS}`,
    for: '10m',
    summary: 'A storage pool is not polled on schedule.',
    description: `${POLLED_POOL} was polled last {{ $value | humanizeDuration }} ago, without a failure: the exporter does not keep its schedule.`,
    dashboard: systemPage,
  },
]

const AGE = 'system_pool_category:sds_node_sample_age_seconds:min'
const OLD = THRESHOLDS.sampleAgeSeconds.critical
const newestOfNode = `max by (${NODE_KEY.join(',')}) (sds_node_sample_timestamp_seconds)`
const newestOfPool = `max by (${POOL_KEY.join(',')}) (sds_node_sample_timestamp_seconds)`

const frozen: readonly Alert[] = [
  {
    alert: 'SdsFeedFrozen',
    severity: 'critical',
    expr: `min by (${POOL_KEY.join(',')}) (${AGE}) > ${OLD}`,
    for: '5m',
    summary: 'A storage system answers with old samples.',
    description: `${POOL}: the newest sample was {{ $value | humanizeDuration }} old at the last good poll. The system's own statistics stand still, so its health status cannot be trusted either.`,
    dashboard: dashboardOf('pool', POOL_KEY),
  },
  {
    alert: 'SdsCategoryFrozen',
    severity: 'warning',
    expr: `${AGE} > ${OLD}`,
    for: '10m',
    summary: 'A category of samples of a storage pool stands still.',
    description: `${POOL}: the newest sample of the category {{ $labels.category }} was {{ $value | humanizeDuration }} old at the last good poll.`,
    dashboard: dashboardOf('pool', POOL_KEY),
  },
  {
    alert: 'SdsNodeSamplesOld',
    severity: 'warning',
    expr: `${newestOfPool} - on (${POOL_KEY.join(',')}) group_right () ${newestOfNode} > ${OLD}`,
    for: '10m',
    keepFiringFor: '10m',
    summary: 'A storage node reports no new samples.',
    description: `${NODE}: its newest sample is {{ $value | humanizeDuration }} older than that of its pool.`,
    dashboard: dashboardOf('node', NODE_KEY),
  },
]

const VALUE_KEY = ['system', 'attribute', 'reason'] as const
const POOL_ATTRIBUTE = 'max by (system,pool_id,attribute)'
const SERVED = 'sds_pool_attribute_nodes{state="served"}'

const values: readonly Alert[] = [
  {
    alert: 'SdsClockSkew',
    severity: 'warning',
    expr: `max by (system) (abs(sds_system_clock_skew_seconds)) > ${THRESHOLDS.clockSkewSeconds.warning}`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'The clocks of a storage system and of the exporter differ.',
    description: `${SYSTEM} and an exporter disagree on the time by {{ $value | humanizeDuration }}. Ages of samples allow for it; the times that samples carry are off by as much.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsValuesRejected',
    severity: 'warning',
    expr: counted(VALUE_KEY, 'sds_api_rejected_values_total', '30m'),
    for: '15m',
    summary: 'Values of the feed are not exported, because they cannot be right.',
    description: `${SYSTEM} serves values of {{ $labels.attribute }} that were rejected ({{ $labels.reason }}). They are missing from every panel and alert.`,
    dashboard: systemPage,
  },
  {
    alert: 'SdsAttributesDisappeared',
    severity: 'info',
    expr: `count by (${POLL_KEY.join(',')}) (
  ${POOL_ATTRIBUTE} (max_over_time(${SERVED}[1d])) > 0
  unless
  ${POOL_ATTRIBUTE} (${lately(SERVED)}) > 0
) > 0
and
${perPoll('max_over_time(sds_pool_up[15m])')} == 1
and
${perPoll(lately('sds_pool_nodes'))} > 0`,
    for: '2h',
    summary: 'A storage pool no longer serves attributes that it served before.',
    description: `${POLLED_POOL} stopped serving {{ $value }} attributes within a day. Panels and alerts that need them are empty.`,
    dashboard: systemPage,
  },
]

export const exporterGroup: AlertGroup = {
  name: 'sds-exporter',
  component: 'exporter',
  alerts: [...processes, ...polls, ...frozen, ...values],
}
