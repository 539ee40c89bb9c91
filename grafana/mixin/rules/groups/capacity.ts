import { FORECAST_MIN_SHARE } from '../../../../src/alerting/conditions.ts'
import { FORECAST } from '../../../../src/catalogue.ts'
import { promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { dedup, lastValue } from '../../promql/operators.ts'
import { LIMITS, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { type AlertGroup, alertsAbout, level, shown, twoLevels } from './rule.ts'
import { DURATION, dashboardOf, durationOf, POOL } from './templates.ts'

const { warning, info } = alertsAbout({})

const USED = select(RECORDED.usedRatio)
const capacityPage = dashboardOf('capacity', POOL_KEY)

const capacityHigh = twoLevels({
  limit: THRESHOLDS.usedRatio,
  expr: (limit) => promql`${USED} > ${limit}`,
  status: (limit) => shown('capacity', ['used_ratio', '>', limit]),
  description: `${POOL} has {{ $value | humanizePercentage }} of its usable space allocated. A full pool refuses writes.`,
  advice: 'order capacity now, because delivery takes weeks',
  dashboard: capacityPage,
  critical: {
    alert: 'SdsCapacityCritical',
    for: '10m',
    keepFiringFor: '30m',
    summary: 'A storage pool is almost full.',
    advice: 'delete or move data; deleted space is free only after garbage collection, which may take days',
  },
  warning: level('SdsCapacityHigh', 'A storage pool is filling up.', '30m', '1h'),
})

const FORECAST_ADVICE = 'find out which client writes, and for how long'

/**
 * The storage system's own forecast: the median of the nodes of the pool, the shortest of all histories, above a minimum
 * usage only. Where the system reports N/A there is no series, and the alert does not fire.
 */
const forecastShort = twoLevels({
  limit: THRESHOLDS.forecastSeconds,
  expr: (limit, level) => promql`${lastValue(select(RECORDED.forecast))} < ${limit}
and
${lastValue(USED)} > ${THRESHOLDS.forecastUsedRatio[level]}`,
  status: (limit, level) =>
    shown('forecast', ['seconds', '<', limit], ['used_ratio', '>', THRESHOLDS.forecastUsedRatio[level]]),
  description: `${POOL} {{ if gt $value 0.0 }}reaches ${LIMITS.forecastTargetPercent} % in ${DURATION}{{ else }}has reached ${LIMITS.forecastTargetPercent} %{{ end }}, by the median forecast of its nodes.`,
  advice: FORECAST_ADVICE,
  dashboard: capacityPage,
  critical: level(
    'SdsForecastCritical',
    'A storage system forecasts that one of its pools is almost full within days.',
    '1h',
    '2h',
  ),
  warning: level(
    'SdsForecastShort',
    'A storage system forecasts that one of its pools is almost full within weeks.',
    '6h',
    '6h',
  ),
})

const forecastUnavailable = info('SdsForecastUnavailable', {
  expr: promql`${lastValue(select(RECORDED.forecastAvailable))} < ${FORECAST_MIN_SHARE}
and
${lastValue(USED)} > ${THRESHOLDS.usedRatio.warning}`,
  for: '6h',
  keepFiringFor: '6h',
  summary: 'A storage pool with high usage has no capacity forecast.',
  description: `${POOL} has more than {{ humanizePercentage ${THRESHOLDS.usedRatio.warning} }} of its usable space allocated, and its system makes a forecast of only {{ $value | humanizePercentage }} of its nodes: no alert warns before it is full.`,
  advice: 'watch its growth on the capacity dashboard',
  dashboard: capacityPage,
})

/** Pools of which forecasts are requested: nodes by whether they have any. */
const REQUESTED = select('sds_pool_attribute_nodes', `attribute="${FORECAST.name}"`)

const forecastMissing = info('SdsForecastMissing', {
  expr: promql`${dedup(POOL_KEY, lastValue(REQUESTED))} > 0
unless on (${POOL_KEY})
${lastValue(select(RECORDED.forecastAvailable))}`,
  for: '2h',
  keepFiringFor: '1h',
  summary: 'A storage pool has no forecast with the target of the alerts.',
  description: `${POOL} is polled and its forecasts are requested, but there is none of ${LIMITS.forecastTargetPercent} %, neither a time nor N/A: the alerts on forecasts cannot fire.`,
  advice: 'run sds-exporter check and sds-exporter doctor with the configuration of the exporter',
  dashboard: capacityPage,
})

/** Maintenance takes the space of nodes away: while it lasts, a change of usage is no trend and no imbalance. */
const inMaintenance = select(RECORDED.maintenance)
/** When a node joins or leaves, so does its space. */
const spaceNodes = select(RECORDED.spaceNodes)

/**
 * For sudden growth: the storage system's forecast uses days of history, this six hours. The trend is that of the
 * recorded ratio of the pool. Trends of single series would count nodes that left, and restart with each exporter.
 */
const fillsSoon = warning('SdsCapacityFillsSoon', {
  expr: promql`predict_linear(${USED}[6h], ${LIMITS.trendSeconds}) > ${THRESHOLDS.usedRatio.critical}
and
${USED} > ${THRESHOLDS.forecastUsedRatio.warning}
and
${USED} <= ${THRESHOLDS.usedRatio.critical}
and
${USED} offset 3h
unless
max_over_time(${inMaintenance}[6h]) == 1
unless
max_over_time(${spaceNodes}[6h]) > min_over_time(${spaceNodes}[6h])`,
  for: '30m',
  keepFiringFor: '1h',
  summary: 'A storage pool is full within a day at its current growth.',
  description: `${POOL} would have {{ $value | humanizePercentage }} of its usable space allocated in ${durationOf(LIMITS.trendSeconds)}.`,
  advice: FORECAST_ADVICE,
  dashboard: capacityPage,
})

const imbalance = info('SdsCapacityImbalance', {
  expr: promql`${lastValue(select(RECORDED.usedRatioRange))} > ${THRESHOLDS.imbalanceRatio.critical}
unless
max_over_time(${inMaintenance}[15m]) == 1`,
  for: '6h',
  keepFiringFor: '1h',
  summary: 'The nodes of a storage pool are filled unevenly.',
  description: `${POOL}: the usage of its fullest and its emptiest node differs by {{ $value | humanizePercentage }} of their space.`,
  advice: 'check that rebalancing runs; after an expansion it takes weeks',
  dashboard: capacityPage,
})

export const capacityGroup: AlertGroup = {
  name: 'sds-capacity',
  component: 'capacity',
  alerts: [...capacityHigh, ...forecastShort, forecastUnavailable, forecastMissing, fillsSoon, imbalance],
}
