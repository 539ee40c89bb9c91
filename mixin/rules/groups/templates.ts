import { dashboardUrl } from '../../dashboard_url.ts'
import type { DashboardName } from '../../settings.ts'

/** Templates of Prometheus that descriptions and links of alerts share. */

const label = (name: string): string => `{{ $labels.${name} }}`
const parameter = (name: string): string => `{{ $labels.${name} | urlquery }}`

/** The subject of an alert, by its labels. */
export const SYSTEM = `System ${label('system')}`
export const POOL = `Pool ${label('pool')} of system ${label('system')}`
export const NODE = `Node ${label('node')} in pool ${label('pool')} of system ${label('system')}`

/** Path of a dashboard with the labels of the alert as variables. */
export const dashboardOf = (name: DashboardName, labels: readonly string[]): string =>
  dashboardUrl(name, Object.fromEntries(labels.map((key) => [key, parameter(key)])))
