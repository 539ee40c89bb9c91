import { dashboardOf, lately, POOL, perNode } from '../../promql/expressions.ts'
import { LIMITS, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { type Alert, type AlertGroup, bySeverity } from './rule.ts'

const USED = 'system_pool:sds_node_disk_space_allocated_per_total:ratio'
const capacityPage = dashboardOf('capacity', POOL_KEY)

const capacityHigh = bySeverity(
  {
    alert: 'SdsCapacityHigh',
    summary: 'A storage pool is nearly full.',
    description: `${POOL} has {{ $value | humanizePercentage }} of its usable space allocated.`,
    dashboard: capacityPage,
  },
  {
    critical: { expr: `${USED} > ${THRESHOLDS.usedRatio.critical}`, for: '10m', keepFiringFor: '30m' },
    warning: { expr: `${USED} > ${THRESHOLDS.usedRatio.warning}`, for: '30m', keepFiringFor: '1h' },
  },
)

/**
 * The storage system's own forecast, the shortest of all nodes and histories. A forecast alone is no news:
 * it counts above a level of use. Where the system answers N/A there is no series, and this stays silent.
 */
const shortForecast = (severity: 'warning' | 'critical'): string =>
  `min by (${POOL_KEY.join(',')}) (
  ${lately(`sds_node_capacity_forecast_seconds{target_percent="${LIMITS.forecastTargetPercent}"}`)}
) < ${THRESHOLDS.forecastSeconds[severity]}
and
${lately(USED)} > ${LIMITS.forecastUsedRatio[severity]}`

const forecastShort = bySeverity(
  {
    alert: 'SdsForecastShort',
    summary: 'The storage system expects one of its pools to fill up soon.',
    description: `${POOL} is forecast to reach ${LIMITS.forecastTargetPercent} % in {{ $value | humanizeDuration }}, by the system's own extrapolation (0s means reached).`,
    dashboard: capacityPage,
  },
  {
    critical: { expr: shortForecast('critical'), for: '1h', keepFiringFor: '2h' },
    warning: { expr: shortForecast('warning'), for: '6h', keepFiringFor: '6h' },
  },
)

const forecastUnavailable: Alert = {
  alert: 'SdsForecastUnavailable',
  severity: 'info',
  expr: `max by (${POOL_KEY.join(',')}) (${lately('sds_node_capacity_forecast_available')}) == 0
and
${lately(USED)} > ${THRESHOLDS.usedRatio.warning}`,
  for: '6h',
  keepFiringFor: '6h',
  summary: 'A well filled storage pool has no capacity forecast.',
  description: `${POOL} is above ${THRESHOLDS.usedRatio.warning * 100} % used, and its system answers N/A to every forecast: SdsForecastShort cannot speak of it.`,
  dashboard: capacityPage,
}

/** A second opinion that sees sudden growth: the forecast rests on days of history, this on six hours. */
const fillsSoon: Alert = {
  alert: 'SdsCapacityFillsSoon',
  severity: 'warning',
  expr: `predict_linear(${USED}[6h], ${LIMITS.trendSeconds}) > ${THRESHOLDS.usedRatio.critical}
and
${USED} > ${LIMITS.forecastUsedRatio.warning}
and
${USED} <= ${THRESHOLDS.usedRatio.critical}
and
${USED} offset 3h`,
  for: '30m',
  keepFiringFor: '1h',
  summary: 'A storage pool fills within a day if it grows on as in the last hours.',
  description: `${POOL} would have {{ $value | humanizePercentage }} of its usable space allocated in {{ humanizeDuration ${LIMITS.trendSeconds} }}.`,
  dashboard: capacityPage,
}

const used = `(
  ${perNode(lately('sds_node_disk_space_allocated_bytes'))}
  /
  (${perNode(lately('sds_node_disk_space_total_bytes'))} > 0)
)`
const imbalance: Alert = {
  alert: 'SdsCapacityImbalance',
  severity: 'info',
  expr: `max by (${POOL_KEY.join(',')}) ${used}
-
min by (${POOL_KEY.join(',')}) ${used}
> ${THRESHOLDS.imbalanceRatio.critical}`,
  for: '6h',
  keepFiringFor: '1h',
  summary: 'The nodes of a storage pool are filled unevenly.',
  description: `${POOL}: its fullest and its emptiest node are {{ $value | humanizePercentage }} of their space apart.`,
  dashboard: capacityPage,
}

export const capacityGroup: AlertGroup = {
  name: 'sds-capacity',
  component: 'capacity',
  alerts: [...capacityHigh, ...forecastShort, forecastUnavailable, fillsSoon, imbalance],
}
