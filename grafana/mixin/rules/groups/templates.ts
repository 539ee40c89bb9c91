import { dashboardUrl } from '../../dashboard_url.ts'
import type { Matcher } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import type { DashboardName } from '../../settings.ts'

/** Templates of Prometheus that descriptions and links of alerts share. */

const label = (name: string): string => `{{ $labels.${name} }}`
const parameter = (name: string): string => `{{ $labels.${name} | urlquery }}`

/** The subject of an alert, by its labels. */
export const SYSTEM = `System ${label('system')}`
export const POOL = `Pool ${label('pool')} of system ${label('system')}`
export const NODE = `Node ${label('node')} in pool ${label('pool')} of system ${label('system')}`

const MAX_NODES = 5

/**
 * The names of the nodes of the alert's pool whose series fulfil a condition, such as `> 0`, after `before`; nothing
 * where there are none, as after a failed poll. An alert about a pool names them in its description, so that its wait
 * does not begin anew with each node.
 */
export const nodesWhere = (
  before: string,
  metric: MetricName,
  matcher: Matcher,
  condition: string,
): string => {
  const query = `max by (node) (${metric}{${matcher},system=%q,pool=%q}) ${condition}`
  return [
    `{{ $nodes := printf \`${query}\` $labels.system $labels.pool | query | sortByLabel "node" }}`,
    `{{ range $index, $node := $nodes }}{{ if lt $index ${MAX_NODES} }}{{ if $index }}, {{ else }}${before}{{ end }}{{ $node | label "node" }}{{ end }}{{ end }}`,
    `{{ if gt (len $nodes) ${MAX_NODES} }} and others{{ end }}`,
  ].join('')
}

/** Path of a dashboard with the labels of the alert as variables. */
export const dashboardOf = (name: DashboardName, labels: readonly string[]): string =>
  dashboardUrl(name, Object.fromEntries(labels.map((key) => [key, parameter(key)])))
