import { dashboardUrl } from '../../dashboard_url.ts'
import { select } from '../../promql/expression.ts'
import type { DashboardName } from '../../settings.ts'

/** Templates of Prometheus that descriptions and links of alerts share. */

const label = (name: string): string => `{{ $labels.${name} }}`
const parameter = (name: string): string => `{{ $labels.${name} | urlquery }}`

/** The subject of an alert, by its labels. */
export const SYSTEM = `System ${label('system')}`
export const POOL = `Pool ${label('pool')} of system ${label('system')}`
export const NODE = `Node ${label('node')} in pool ${label('pool')} of system ${label('system')}`

/** For alerts that have a label pool_id and no label pool: the name of the pool, or its id where it has none. */
export const POOL_BY_ID = `Pool {{ with printf "${select('sds_pool_info')}{system=%q,pool_id=%q}" $labels.system $labels.pool_id | query }}{{ . | first | label "pool" }}{{ else }}{{ $labels.pool_id }}{{ end }} of system ${label('system')}`

/** Path of a dashboard with the labels of the alert as variables. */
export const dashboardOf = (name: DashboardName, labels: readonly string[]): string =>
  dashboardUrl(name, Object.fromEntries(labels.map((key) => [key, parameter(key)])))
