/** Settings that dashboards and rules share, with references to the thresholds (thresholds.ts). */

import { readFileSync } from 'node:fs'
import { LATENCY_QUANTILE } from '../../src/alerting/conditions.ts'
import { type Levels, resolve, type SettingValues, valuesOf } from '../../src/alerting/references.ts'
import { CLUSTER_HIDE, CLUSTER_PATH } from '../../src/alerting/sources.ts'
import { COLORS } from './colors.ts'
import { type Reference, reference, references } from './references.ts'
import { DEFAULT_LIMITS, DEFAULT_THRESHOLDS } from './thresholds.ts'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
/** The version of the program, which rules and dashboards carry. */
export const { version: VERSION } = JSON.parse(manifest) as { readonly version: string }

/** References to a setting with two levels: panels are yellow from `warning` and red from `critical`. */
export type Threshold = Levels<Reference>

/** References to the settings, for expressions, texts and panels. */
export const THRESHOLDS = references(DEFAULT_THRESHOLDS)
export const LIMITS = references(DEFAULT_LIMITS)

export const LATENCY_THRESHOLDS = {
  read: THRESHOLDS.readLatencySeconds,
  write: THRESHOLDS.writeLatencySeconds,
} as const

/** Whether smaller values are worse, by the defaults. */
export const lowerIsWorse = ({ warning, critical }: Threshold): boolean =>
  Number(resolve(warning, DEFAULT_NUMBERS)) > Number(resolve(critical, DEFAULT_NUMBERS))

/** The default numbers by path, e.g. `usedRatio.warning`. */
export const DEFAULT_NUMBERS = { ...valuesOf(DEFAULT_THRESHOLDS), ...valuesOf(DEFAULT_LIMITS) }

/** Numbers that define what is measured. Users cannot change them. */
export const MEASURES = {
  latencyQuantile: LATENCY_QUANTILE,
  /** A pool is recovering while it writes more than this for recovery. */
  recoveryBytesPerSecond: 1_000_000,
} as const

/**
 * Health statuses, best first. `code` increases with severity, so that `max` over nodes is the worst. A status that is
 * not listed is `UNKNOWN_HEALTH`.
 */
export const HEALTH = {
  Good: { code: 0, text: 'Good', state: 'good' },
  Maintenance: { code: 1, text: 'Maintenance', state: 'planned' },
  Suspect: { code: 2, text: 'Suspect', state: 'warning' },
  Bad: { code: 3, text: 'Bad', state: 'critical' },
  NotAccessible: { code: 4, text: 'No access', state: 'failed' },
} as const
export const UNKNOWN_HEALTH = { code: 5, text: 'Unknown', state: 'unknown' } as const
/** On dashboards only: a pool or node that was reported within a day and is not now. */
export const NO_DATA_HEALTH = { code: 6, text: 'No data', state: 'noData' } as const
/** On dashboards only: the last poll failed, so that all other values are those of an earlier one. */
export const POLLS_FAIL_HEALTH = { code: 7, text: 'Polls fail', state: 'critical' } as const

/** Disk statuses, with the colour of areas; two statuses of one meaning need two shades. */
export const DISKS = {
  Good: { text: 'Good', state: 'good', area: COLORS.good.line },
  Maintenance: { text: 'Maintenance', state: 'planned', area: COLORS.planned.line },
  ReadyToReplace: { text: 'Ready to replace', state: 'planned', area: 'super-light-blue' },
  Bad: { text: 'Bad', state: 'failed', area: COLORS.failed.line },
} as const

/** Uids of the dashboards. They are part of every link, so do not change them. */
export const UIDS = {
  fleet: 'sds-fleet',
  pool: 'sds-pool',
  node: 'sds-node',
  capacity: 'sds-capacity',
  performance: 'sds-performance',
  errors: 'sds-errors',
  disks: 'sds-disks',
  system: 'sds-system',
  namespaces: 'sds-namespaces',
  exporter: 'sds-exporter',
} as const
export type DashboardName = keyof typeof UIDS

export const GRAFANA = {
  /** The last one has the version: `GET /api/search?tag=sds` has the tags of all dashboards. */
  tags: ['sds', 'generated', `sds-exporter-${VERSION}`],
  /** Title and uid of the folder of the dashboards. */
  folder: { title: 'Storage', uid: 'sds' },
  /** The provisioned data source. */
  datasource: { name: 'Prometheus', uid: 'sds-prometheus', url: 'http://prometheus:9090' },
  /** Folder of the JSON files in the container; mount `grafana/dashboards` there. */
  dashboardsPath: '/var/lib/grafana/dashboards',
  /** Prefix of dashboard URLs, relative to the root of Grafana. */
  urlBase: '/d/',
  /** Refresh intervals of dashboards, by how fast their data changes. */
  refresh: { now: '1m', slow: '5m', trend: '15m' },
} as const

/** Settings of the shipped Prometheus configuration that dashboards and rules depend on. */
export const PROMETHEUS = {
  /** Default name of the scrape job. Alerts on `up` need it; dashboards have a variable. */
  job: 'sds-exporter',
  /** Also the data source's `timeInterval`, from which Grafana derives `$__rate_interval`. */
  scrapeIntervalSeconds: 60,
  /** Prefix of the names of all alerts; dashboards select alerts by it. */
  alertPrefix: 'Sds',
} as const

/** The name of the scrape job that the user sets. */
export const JOB = reference('job')

/** Whether the variable `cluster` is shown, as Grafana's `hide` of variables. */
export const CLUSTER_VISIBILITY = reference(CLUSTER_PATH)

/** The defaults of everything that users set, by path. */
export const DEFAULT_VALUES: SettingValues = {
  ...DEFAULT_NUMBERS,
  job: PROMETHEUS.job,
  [CLUSTER_PATH]: CLUSTER_HIDE.hidden,
}

/**
 * External labels of Prometheus servers, which the series of a common store have, such as Thanos or Mimir: `shard` of
 * servers that divide the systems, `replica` of those that do the same.
 */
export const EXTERNAL_LABELS = ['cluster', 'shard', 'replica'] as const

export const MATCHERS = {
  /** Without the label, the variable is All, which also matches series without it. */
  cluster: 'cluster=~"$cluster"',
  job: 'job=~"$job"',
  instance: 'instance=~"$instance"',
  system: 'system=~"$system"',
  pool: 'pool=~"$pool"',
  node: 'node=~"$node"',
  namespace: 'namespace=~"$namespace"',
} as const

/** Labels that identify a system, a pool by name, a pool by id, and a node. */
export const SYSTEM_KEY = ['system'] as const
export const POOL_KEY = ['system', 'pool'] as const
/** Exporters may name a pool differently for a while; its id is always the same. */
export const POOL_ID_KEY = ['system', 'pool_id'] as const
/** The labels of series about a pool and its polls. */
export const POLLED_POOL_KEY = ['system', 'pool', 'pool_id'] as const
export const NODE_KEY = ['system', 'pool', 'node'] as const
/** Replication groups, links between sites, namespaces, and resources of a system. */
export const GROUP_KEY = ['system', 'replication_group'] as const
export const LINK_KEY = ['system', 'replication_group', 'local_vdc', 'remote_vdc'] as const
export const NAMESPACE_KEY = ['system', 'namespace'] as const
export const RESOURCE_KEY = ['system', 'resource'] as const

/**
 * Labels of alerts that say what an alert is about, beside its name and severity: those with a column of their own in
 * tables, and all others but ids, which stand for names.
 */
export const ALERT_LABELS = {
  columns: ['system', 'pool', 'node'],
  detail: [
    ...['cluster', 'shard', 'replica', 'instance', 'category', 'reason', 'provider', 'resource', 'scope'],
    ...['namespace', 'replication_group', 'local_vdc', 'remote_vdc'],
  ],
} as const

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
