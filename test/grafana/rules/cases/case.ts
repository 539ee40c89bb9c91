import { stringify } from 'yaml'
import type { Duration } from '../../../../grafana/mixin/promql/duration.ts'
import type { Severity } from '../../../../grafana/mixin/rules/groups/rule.ts'
import { ALERT_GROUPS } from '../../../../grafana/mixin/rules/rules.ts'
import { PROMETHEUS } from '../../../../grafana/mixin/settings.ts'
import { descriptionOf } from '../../../../src/alerting/rules.ts'

/**
 * Unit tests of the alerts, as data and not as YAML of promtool: each case runs with one exporter and with two, and a
 * test checks that every alert has cases. A case has the severity, and of other labels and annotations what the samples
 * decide; the rest is that of the row of the alert.
 */

/** Where the links of the tested rules go. */
export const LINKS = {
  runbookBaseUrl: 'https://runbooks.example.net/docs/alerts.md',
  grafanaUrl: 'https://grafana.example.net/graphs',
} as const

/** An alert that fires. */
export interface Fired {
  /** Without severity and component. */
  readonly labels: Readonly<Record<string, string>>
  /** What Prometheus inserts into the template of the description, except labels, in order. */
  readonly inserted: readonly (string | number)[]
}

export const fires = (labels: Fired['labels'], ...inserted: Fired['inserted']): Fired => ({
  labels,
  inserted,
})

export interface AlertCase {
  readonly alert: string
  readonly severity: Severity
  readonly name: string
  /** Minutes between two values and between two evaluations: 1, or 5 in cases that take many hours. */
  readonly step?: 1 | 5
  /**
   * Time between two values where it differs from `step`. Evaluations are at whole minutes. With half minutes, the
   * value whose loss changes the result is never exactly at the start of a range: Prometheus 2 includes a sample
   * there, Prometheus 3 does not.
   */
  readonly interval?: '30s'
  /**
   * Selector → values from minute 0, in promtool's notation (`0x4` is five zeros, `_x4` four gaps). Labels that the
   * selector omits have the values of {@link DEFAULTS}. A series without `instance` is repeated for each exporter.
   */
  readonly series: Readonly<Record<string, string>>
  /** Time → all firing alerts of that name. */
  readonly at: Readonly<Partial<Record<Duration, readonly Fired[]>>>
}

/** Series of several metrics with the same labels. */
export const of = (labels: string, series: AlertCase['series']): AlertCase['series'] =>
  Object.fromEntries(Object.entries(series).map(([metric, values]) => [`${metric}{${labels}}`, values]))

/** One exporter, or two of which one is also scraped by another job. */
export const EXPORTERS = {
  one: [{ job: PROMETHEUS.job, instance: 'exporter-1:9438' }],
  two: [
    { job: PROMETHEUS.job, instance: 'exporter-1:9438' },
    { job: 'sds-probe', instance: 'exporter-1:9438' },
    { job: PROMETHEUS.job, instance: 'exporter-2:9438' },
  ],
} as const
export type Exporters = keyof typeof EXPORTERS

/** The cases of an alert, by their names. */
export const cases = (
  alert: string,
  severity: Severity,
  rows: Readonly<Record<string, Omit<AlertCase, 'alert' | 'name' | 'severity'>>>,
): AlertCase[] => Object.entries(rows).map(([name, row]) => ({ alert, severity, name, ...row }))

const POOL = { system: 'frankfurt', pool: 'pool 1' }
/** Default labels by prefix of the metric name; the first match is used. */
export const DEFAULTS: readonly (readonly [prefix: string, labels: Readonly<Record<string, string>>])[] = [
  ['sds_node_info', { ...POOL, pool_id: 'p1', node: 'n1', node_id: 'id1', api_change: '0' }],
  ['sds_node_software_', { system: 'frankfurt', node: 'n1' }],
  ['sds_node_', { ...POOL, node: 'n1' }],
  ['sds_pool_', { ...POOL, pool_id: 'p1' }],
  ['sds_system_', { system: 'frankfurt' }],
  ['sds_query_', { system: 'frankfurt' }],
  ['sds_replication_links_', { system: 'frankfurt' }],
  [
    'sds_replication_link_',
    { system: 'frankfurt', replication_group: 'rg 1', local_vdc: 'here', remote_vdc: 'there' },
  ],
  ['sds_replication_group_lag_', { system: 'frankfurt', replication_group: 'rg 1' }],
  ['sds_replication_', { system: 'frankfurt', replication_group: 'rg 1', replication_group_id: 'id1' }],
  ['sds_namespace_', { system: 'frankfurt', namespace: 'ns 1' }],
  ['sds_resource_', { system: 'frankfurt' }],
  ['sds_api_', { system: 'frankfurt' }],
  ['sds_authn_', { system: 'frankfurt' }],
  ['', {}],
]

const LABEL_ACTION = /\{\{ \$labels\.(\w+)( \| urlquery)? \}\}/g
/** The innermost block of a template. */
const BLOCK = /\{\{ (?:if|range) (?:(?!\}\}).)*\}\}(?:(?!\{\{ (?:if|range|end)\b).)*?\{\{ end \}\}/g
/** Actions with nothing but space between them are one text. */
const ACTIONS = /\{\{.*?\}\}(?:\s*\{\{.*?\}\})*/g

/** A template of Prometheus with the labels and the inserted texts. @throws if it takes fewer texts */
function filledIn(template: string, { labels, inserted }: Fired): string {
  const rest = [...inserted]
  let text = template.replaceAll(LABEL_ACTION, (_, name: string, forUrl?: string) => {
    const value = labels[name] ?? ''
    return forUrl === undefined ? value : encodeURIComponent(value).replaceAll('%20', '+')
  })
  while (text.search(BLOCK) >= 0) text = text.replaceAll(BLOCK, '{{ block }}')
  const filled = text.replaceAll(ACTIONS, () => String(rest.shift()))
  if (rest.length > 0) throw new Error(`nothing inserts ${rest.join(', ')} into: ${template}`)
  return filled
}

const ROWS = ALERT_GROUPS.flatMap(({ component, alerts }) => alerts.map((row) => ({ component, ...row })))

/** The alert as promtool expects it: all its labels and annotations. */
function expectedOf({ alert: name, severity }: AlertCase, fired: Fired): object {
  const row = ROWS.find(({ alert }) => alert === name)
  if (row === undefined) throw new Error(`there is no alert ${name}`)
  return {
    exp_labels: { severity, component: row.component, ...fired.labels },
    exp_annotations: {
      summary: row.summary,
      description: filledIn(descriptionOf(row), fired),
      runbook_url: `${LINKS.runbookBaseUrl}#${name.toLowerCase()}`,
      dashboard_url: `${LINKS.grafanaUrl}${filledIn(row.dashboard, { ...fired, inserted: [] })}`,
    },
  }
}

const SELECTOR = /^(\w+)(?:\{(.*)\})?$/
const LABEL = /(\w+)="([^"]*)"/g

const seriesOf = (selector: string, values: string, exporters: Exporters) => {
  const [, metric = '', matchers = ''] = SELECTOR.exec(selector) ?? []
  const given = Object.fromEntries([...matchers.matchAll(LABEL)].map(([, name, value]) => [name, value]))
  const defaults = DEFAULTS.find(([prefix]) => metric.startsWith(prefix))?.[1] ?? {}
  const sources = 'instance' in given ? [{}] : EXPORTERS[exporters]
  return sources.map((source) => {
    const labels = Object.entries({ ...defaults, ...source, ...given })
    return { series: `${metric}{${labels.map(([name, value]) => `${name}="${value}"`).join(',')}}`, values }
  })
}

const promtoolTest = (case_: AlertCase, exporters: Exporters) => ({
  name: `${case_.alert} ${case_.name} (exporters: ${exporters})`,
  interval: case_.interval ?? `${case_.step ?? 1}m`,
  input_series: Object.entries(case_.series).flatMap(([selector, values]) =>
    seriesOf(selector, values, exporters),
  ),
  alert_rule_test: Object.entries(case_.at).map(([eval_time, firing]) => ({
    eval_time,
    alertname: case_.alert,
    exp_alerts: (firing ?? []).map((fired) => expectedOf(case_, fired)),
  })),
})

/**
 * promtool's test files for the cases, one per step. `rules` is relative to them, `groups` are in the order of
 * evaluation.
 */
export const promtoolFiles = (
  cases: readonly AlertCase[],
  exporters: Exporters,
  rules: string,
  groups: readonly string[],
): string[] =>
  Object.entries(Object.groupBy(cases, ({ step = 1 }) => step)).map(([step, tests]) =>
    stringify({
      rule_files: [rules],
      evaluation_interval: `${step}m`,
      group_eval_order: groups,
      tests: tests.map((case_) => promtoolTest(case_, exporters)),
    }),
  )
