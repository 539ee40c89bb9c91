import type { Duration } from '../../promql/duration.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import {
  by,
  dedup,
  increased,
  lastValue,
  perNode,
  perPolledPool,
  perSystem,
  sumBy,
} from '../../promql/operators.ts'
import { POLLED_POOLS, polledWithin, sinceLastPolls, UNPOLLED_POOLS } from '../../promql/polled_pools.ts'
import {
  LIMITS,
  NODE_KEY,
  POLLED_POOL_KEY,
  POOL_ID_KEY,
  POOL_KEY,
  SYSTEM_KEY,
  THRESHOLDS,
} from '../../settings.ts'
import { processes } from './processes.ts'
import { RUN_DOCTOR, resourceFailing } from './resources.ts'
import { type Alert, type AlertGroup, alertsAbout, shown } from './rule.ts'
import { DURATION, dashboardOf, NODE, POOL, SYSTEM } from './templates.ts'

const { critical, warning, info } = alertsAbout({})

const exporterPage = dashboardOf('exporter', [])
const systemPage = dashboardOf('exporter', SYSTEM_KEY)

/** By exporter, so that the failures of one replica are visible although the other succeeds. */
const pollRate = (window: Duration, ...matchers: readonly Matcher[]): Expression =>
  sumBy(
    [...POLLED_POOL_KEY, 'job', 'instance'],
    promql`rate(${select('sds_pool_polls_total', ...matchers)}[${window}])`,
  )
const failedPolls = (window: Duration): Expression => promql`max by (${POLLED_POOL_KEY}) (
  ${pollRate(window, 'result!="ok"')}
  /
  (${pollRate(window)} > 0)
)`
/** How much more of few polls must fail: one of the four of a system that is polled every hour is no pattern. */
const FEW_POLLS_FACTOR = 4

const LAST_UP = promql`last_over_time(${select('sds_pool_up')}[1h])`
/** Pools whose polls failed until they were no longer listed: otherwise the alert would end before it is read. */
const VANISHED_UNPOLLED = promql`${perPolledPool(LAST_UP)} == 0
unless on (${POOL_ID_KEY})
(${select('sds_pool_up')} or ${LAST_UP} == 1)`

/** A system that is polled rarely does not fail with its first failed poll. */
const FAILING_INTERVALS = 2
const OVERDUE_INTERVALS = 3

const polls: readonly Alert[] = [
  critical('SdsSystemUnreachable', {
    scope: 'system',
    expr: promql`${perSystem(select('sds_system_up'))} == 0
unless
${polledWithin(FAILING_INTERVALS, SYSTEM_KEY)}`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'The API of a storage system does not respond.',
    description: `${SYSTEM} does not respond to any exporter and is not monitored. It may still serve its users.`,
    advice: 'check network, firewall and port 4443 of the system; the log of the exporter has the reason',
    dashboard: systemPage,
  }),
  critical('SdsPoolPollsFailing', {
    expr: promql`(
${UNPOLLED_POOLS}
unless on (${POOL_ID_KEY})
${polledWithin(FAILING_INTERVALS, POLLED_POOL_KEY)}
)
or
(
${VANISHED_UNPOLLED}
)`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'A storage pool cannot be polled.',
    description: `${POOL} cannot be polled by any exporter, although its system may respond. Its nodes are not monitored.`,
    advice: RUN_DOCTOR,
    dashboard: systemPage,
  }),
  critical('SdsPoolsUnknown', {
    scope: 'system',
    expr: promql`${perSystem(select('sds_system_up'))} == 1\nunless on (system)\n${select('sds_pool_up')}`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'A storage system responds, but its pools are not known.',
    description: `${SYSTEM} responds, but no exporter could read the list of its pools: it is not monitored.`,
    advice: RUN_DOCTOR,
    dashboard: systemPage,
  }),
  warning('SdsPollErrorsHigh', {
    expr: sinceLastPolls('15m', (window, rare) =>
      rare
        ? promql`${failedPolls(window)} > ${FEW_POLLS_FACTOR} * ${LIMITS.failedPollsRatio}`
        : promql`${failedPolls(window)} > ${LIMITS.failedPollsRatio}`,
    ),
    for: '15m',
    summary: 'Many polls of a storage pool fail.',
    description: `${POOL}: {{ $value | humanizePercentage }} of the last polls of one exporter failed.`,
    advice: RUN_DOCTOR,
    dashboard: systemPage,
  }),
  warning('SdsPollsOverdue', {
    expr: promql`time() - ${perPolledPool(select('sds_pool_last_success_timestamp_seconds'))} > ${THRESHOLDS.pollAgeSeconds.critical}
and
${POLLED_POOLS}
unless
${polledWithin(OVERDUE_INTERVALS, POLLED_POOL_KEY)}`,
    for: '10m',
    summary: 'A storage pool is not polled on schedule.',
    description: `${POOL} was last polled ${DURATION} ago, without a failure: the exporter does not keep its schedule.`,
    advice: 'check the CPU time and the memory of the exporter',
    dashboard: systemPage,
  }),
]

/**
 * What was watched within a day and is no longer by any exporter: after a change of the configuration, without the only
 * exporter of a system, or because the system no longer lists a pool. Pools are matched by id, so that a renamed one has
 * not vanished. Those of a system that does not respond are not known to an exporter that starts.
 */
const vanished: readonly Alert[] = [
  critical('SdsSystemVanished', {
    scope: 'system',
    expr: promql`${perSystem(promql`last_over_time(${select('sds_system_up')}[1d])`)} >= 0
unless
${perSystem(select('sds_system_up'))}`,
    for: '10m',
    summary: 'A storage system is no longer monitored.',
    description: `${SYSTEM} was monitored within a day, and is no longer by any exporter: it was removed from the configuration, or its exporter is gone.`,
    advice: 'if this is planned, silence it for a day; otherwise restore the configuration or the exporter',
    dashboard: exporterPage,
  }),
  critical('SdsPoolVanished', {
    expr: promql`(
  ${perPolledPool(promql`last_over_time(${select('sds_pool_last_success_timestamp_seconds')}[1d])`)} > 0
  unless on (${POOL_ID_KEY})
  ${select('sds_pool_info')}
)
and on (system)
${perSystem(select('sds_system_up'))} == 1`,
    for: '10m',
    summary: 'A storage pool is no longer monitored.',
    description: `${POOL} was monitored within a day. Its system responds, but no longer lists the pool, or it was removed from the configuration.`,
    advice:
      'if this is planned, silence it for a day; otherwise compare with the list of pools of the system',
    dashboard: systemPage,
  }),
]

const QUERY_UP = select('sds_system_query_up')
const queryPolls = (result: string, window: Duration): Expression =>
  perSystem(promql`increase(${select('sds_query_polls_total', `result="${result}"`)}[${window}])`)

/** Only for systems whose Flux API worked within a week: others may have none. */
const queries: readonly Alert[] = [
  warning('SdsQueryFailing', {
    scope: 'system',
    expr: promql`${perSystem(QUERY_UP)} == 0
and
${perSystem(promql`max_over_time(${QUERY_UP}[7d])`)} == 1`,
    for: '15m',
    keepFiringFor: '5m',
    summary: 'The Flux API of a storage system fails.',
    description: `${SYSTEM} no longer answers queries of the Flux API: its performance metrics are missing. Its health and capacity are still monitored.`,
    advice: RUN_DOCTOR,
    dashboard: systemPage,
  }),
  warning('SdsQueryEmpty', {
    scope: 'system',
    // An hour, as schedules of 30 minutes have no poll in shorter windows at times.
    expr: promql`${queryPolls('empty', '1h')} > 0
unless
${queryPolls('ok', '1h')} > 0
and
${queryPolls('ok', '7d')} > 0`,
    for: '5m',
    keepFiringFor: '5m',
    summary: 'The Flux API of a storage system has no current data.',
    description: `${SYSTEM} answers queries of the Flux API without current data: its performance metrics are missing. Its health and capacity are still monitored.`,
    advice: 'check in its management interface whether it has current performance data',
    dashboard: systemPage,
  }),
]

const AGE = select(RECORDED.sampleAge)
const OLD = THRESHOLDS.sampleAgeSeconds.critical
const newestOfNode = by('max', NODE_KEY, select('sds_node_sample_timestamp_seconds'))
const newestOfPool = by('max', POOL_KEY, select('sds_node_sample_timestamp_seconds'))

const frozen: readonly Alert[] = [
  critical('SdsFeedFrozen', {
    expr: promql`min by (${POOL_KEY}) (${AGE}) > ${OLD}`,
    for: '5m',
    summary: 'A storage system serves stale statistics.',
    description: `${POOL}: the newest sample was ${DURATION} old at the last successful poll. The statistics of the system have stopped, so its health status may be old, too.`,
    advice: 'compare with its management interface, and call the support of the vendor',
    status: shown('sample_age', ['newest_seconds', '>', OLD]),
    dashboard: dashboardOf('pool', POOL_KEY),
  }),
  warning('SdsCategoryFrozen', {
    expr: promql`${AGE} > ${OLD}`,
    for: '10m',
    summary: 'A category of samples of a storage pool is not updated.',
    description: `${POOL}: the newest sample of the category {{ $labels.category }} was ${DURATION} old at the last successful poll.`,
    advice:
      'the statistics service of the system does not work: compare with the dashboard of its management interface, and call support',
    status: shown('sample_age', ['oldest_seconds', '>', OLD]),
    dashboard: dashboardOf('pool', POOL_KEY),
  }),
  warning('SdsNodeSamplesOld', {
    expr: promql`${newestOfPool} - on (${POOL_KEY}) group_right () ${newestOfNode} > ${OLD}
unless
${perNode(select('sds_node_health_status', 'status="Maintenance"'))} == 1`,
    for: '10m',
    keepFiringFor: '10m',
    summary: 'A storage node reports no new samples.',
    description: `${NODE}: its newest sample is ${DURATION} older than that of its pool.`,
    advice: 'check the node in the management interface: its services may have stopped',
    dashboard: dashboardOf('node', NODE_KEY),
  }),
]

const VALUE_KEY = ['system', 'reason'] as const
const SERVED_STATE: Matcher = 'state="served"'
const SERVED = select('sds_pool_attribute_nodes', SERVED_STATE)
/** Attributes that the Flux API does not have: there, a histogram has the latencies. */
const MEAN_LATENCY: Matcher = 'attribute=~"transaction(Read|Write)Latency"'
const perAttribute = (vector: Expression): Expression => dedup([...POLLED_POOL_KEY, 'attribute'], vector)

const values: readonly Alert[] = [
  warning('SdsClockSkew', {
    scope: 'system',
    expr: promql`max by (system) (abs(${select('sds_system_clock_skew_seconds')})) > ${THRESHOLDS.clockSkewSeconds.warning}`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'The clocks of a storage system and of the exporter differ.',
    description: `${SYSTEM} and an exporter have clocks that differ by ${DURATION}. Ages of samples are corrected, timestamps of samples are not.`,
    advice: 'repair NTP on the host whose clock is wrong',
    status: shown('clock', ['skew_seconds', '>', THRESHOLDS.clockSkewSeconds.warning]),
    dashboard: systemPage,
  }),
  warning('SdsValuesRejected', {
    scope: 'system',
    expr: increased(VALUE_KEY, select('sds_api_rejected_values_by_reason_total'), '30m'),
    for: '15m',
    summary: 'Values of a storage system are not exported, because they are invalid.',
    description: `${SYSTEM} serves values that were rejected ({{ $labels.reason }}). They are missing from every panel and alert.`,
    advice: 'look the values up on the status page, and report them with the version of the system',
    dashboard: systemPage,
  }),
  info('SdsAttributesDisappeared', {
    expr: promql`count by (${POLLED_POOL_KEY}) (
  ${perAttribute(promql`max_over_time(${SERVED}[1d])`)} > 0
  unless
  ${perAttribute(lastValue(SERVED))} > 0
  unless
  (
    ${perAttribute(promql`max_over_time(${select('sds_pool_attribute_nodes', SERVED_STATE, MEAN_LATENCY)}[1d])`)}
    and on (${POLLED_POOL_KEY})
    ${perPolledPool(lastValue(select('sds_pool_attribute_nodes', SERVED_STATE, 'source="query"')))} > 0
  )
) > 0
and
${perPolledPool(promql`max_over_time(${select('sds_pool_up')}[15m])`)} == 1
and
${perPolledPool(lastValue(select('sds_pool_nodes')))} > 0`,
    for: '2h',
    summary: 'A storage pool no longer serves attributes that it served before.',
    description: `${POOL} stopped serving {{ $value }} attributes within a day. Panels and alerts that need them have no data.`,
    advice: 'find out whether the system was upgraded: the metrics reference has what each version serves',
    dashboard: systemPage,
  }),
]

export const exporterGroup: AlertGroup = {
  name: 'sds-exporter',
  component: 'exporter',
  alerts: [...processes, ...polls, ...vanished, ...queries, resourceFailing, ...frozen, ...values],
}
