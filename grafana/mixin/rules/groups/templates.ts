import type { Matcher } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import type { Reference } from '../../references.ts'
import { type DashboardName, dashboardUrl, POOL_KEY, SYSTEM_KEY } from '../../settings.ts'

/** Templates of Prometheus that descriptions and links of alerts share. */

const label = (name: string): string => `{{ $labels.${name} }}`
const parameter = (name: string): string => `{{ $labels.${name} | urlquery }}`

/** The subject of an alert, by its labels. */
export const SYSTEM = `System ${label('system')}`
export const POOL = `Pool ${label('pool')} of system ${label('system')}`
export const NODE = `Node ${label('node')} in pool ${label('pool')} of system ${label('system')}`

export const REPLICATION_GROUP = `Replication group ${label('replication_group')} of system ${label('system')}`
export const NAMESPACE = `Namespace ${label('namespace')} of system ${label('system')}`

/** A duration in seconds as `5 days`, `1h 16m`, `6h` or `15m`, rounded down; below a minute as `45s` or `600ms`. */
const SHORT_DURATION = [
  'humanizeDuration',
  'reReplaceAll "^1d .*" "1 day"',
  'reReplaceAll "^([0-9]+)d .*" "$1 days"',
  'reReplaceAll "( 0m)? [0-9]+s$" ""',
].join(' | ')
export const DURATION = `{{ $value | ${SHORT_DURATION} }}`
export const durationOf = (seconds: Reference): string => `{{ ${seconds} | ${SHORT_DURATION} }}`

/** The value with its noun, such as `1 bad disk` or `3 bad disks`. */
export const counted = (one: string, many = `${one}s`): string =>
  `{{ $value }} {{ if eq $value 1.0 }}${one}{{ else }}${many}{{ end }}`

const MAX_NAMES = 5

/**
 * The values of a label after `before`; nothing where the query has no result, as after a failed poll. An alert about
 * many parts names them in its description, so that its wait does not begin anew with each of them.
 */
const namesIn = (before: string, name: string, query: string, subject: readonly string[]): string =>
  [
    `{{ $names := printf \`${query}\` ${subject.map((key) => `$labels.${key}`).join(' ')} | query | sortByLabel "${name}" }}`,
    `{{ range $index, $each := $names }}{{ if lt $index ${MAX_NAMES} }}{{ if $index }}, {{ else }}${before}{{ end }}{{ $each | label "${name}" }}{{ end }}{{ end }}`,
    `{{ if gt (len $names) ${MAX_NAMES} }} and others{{ end }}`,
  ].join('')

/** The names of the nodes of the alert's pool whose series fulfil a condition, such as `> 0`. */
export const nodesWhere = (before: string, metric: MetricName, matcher: Matcher, condition: string): string =>
  namesIn(before, 'node', `max by (node) (${metric}{${matcher},system=%q,pool=%q}) ${condition}`, POOL_KEY)

/** The values that a label of the series of the alert's system has. */
export const valuesOf = (before: string, metric: MetricName, name: string): string =>
  namesIn(before, name, `count by (${name}) (${metric}{system=%q})`, SYSTEM_KEY)

/** Path of a dashboard with the labels of the alert as variables. */
export const dashboardOf = (name: DashboardName, labels: readonly string[]): string =>
  dashboardUrl(name, Object.fromEntries(labels.map((key) => [key, parameter(key)])))
