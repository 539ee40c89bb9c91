import { type DashboardName, GRAFANA, UIDS } from './settings.ts'

/** Path of a dashboard, e.g. `/d/sds-node`. */
export const dashboardPath = (name: DashboardName): string => `${GRAFANA.urlBase}${UIDS[name]}`

/**
 * Path of a dashboard with variables, e.g. `/d/sds-pool?var-system=…&var-pool=…`. Values are not escaped: they are
 * templates of Grafana or of Prometheus.
 */
export const dashboardUrl = (name: DashboardName, variables: Readonly<Record<string, string>>): string => {
  const query = Object.entries(variables).map(([key, value]) => `var-${key}=${value}`)
  return query.length === 0 ? dashboardPath(name) : `${dashboardPath(name)}?${query.join('&')}`
}
