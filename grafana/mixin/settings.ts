/**
 * Settings that dashboards and rules share. The thresholds are defaults from common practice, not from the
 * documentation of the storage system. Users change them in the section `alerting` of their configuration; what is
 * generated from the defaults is in `grafana/` and `deploy/`.
 */

import {
  type Levels,
  type Reference,
  reference,
  references,
  resolve,
  type Values,
  valuesOf,
} from '../../src/alerting/references.ts'
import { CLUSTER_HIDE, CLUSTER_PATH, type SettingSources } from '../../src/alerting/sources.ts'

import { COLORS } from './colors.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** References to a setting with two levels: panels are yellow from `warning` and red from `critical`. */
export type Threshold = Levels<Reference>

/**
 * The end of a name is its unit: ratios are 0 to 1, seconds are durations in the configuration. Higher is worse, except
 * where `critical` is below `warning`. `scope` says whether a system or a pool may have a value of its own; those that only
 * tiles and tables show may not.
 */
export const DEFAULT_THRESHOLDS = {
  // The delivery of disks takes weeks, and a rebuild needs free space.
  usedRatio: { about: 'Allocated relative to usable space.', warning: 0.8, critical: 0.9 },
  forecastUsedRatio: {
    about: 'Used space above which forecasts raise alerts: small empty pools have steep trends.',
    warning: 0.6,
    critical: 0.75,
  },
  cpuRatio: { about: 'CPU time in use on a node.', warning: 0.75, critical: 0.9 },
  memoryRatio: { about: 'Memory in use on a node.', warning: 0.85, critical: 0.95 },
  nicRatio: {
    about: 'Each direction of the network interfaces of a node, relative to their capacity.',
    warning: 0.7,
    critical: 0.85,
  },
  // Or `latencyQuantile` of the requests, where there is no mean.
  readLatencySeconds: { about: 'Mean time of a read.', warning: 0.2, critical: 0.4 },
  writeLatencySeconds: { about: 'Mean time of a write.', warning: 0.4, critical: 0.8 },
  errorRatio: {
    about: 'Failed relative to all transactions, including those that fail by the fault of clients.',
    warning: 0.01,
    critical: 0.05,
  },
  systemErrorRatio: {
    about: 'Failed by the fault of the system relative to all transactions.',
    warning: 0.001,
    critical: 0.01,
  },
  // Samples are made every 5 minutes. Those of the query interface are up to 7 minutes old when they arrive, so 12
  // minutes is normal. The exporter withdraws them after 22 minutes. For a system that makes them less often, users raise
  // the threshold.
  sampleAgeSeconds: {
    about: 'Age of the newest sample of a category.',
    warning: 13 * MINUTE,
    critical: 15 * MINUTE,
  },
  // The default schedule polls every minute.
  pollAgeSeconds: {
    about: 'Age of the last successful poll.',
    warning: 3 * MINUTE,
    critical: 5 * MINUTE,
  },
  forecastSeconds: {
    about: 'Time until the forecast target is reached; lower is worse.',
    warning: 30 * DAY,
    critical: 7 * DAY,
  },
  certificateSeconds: {
    about: 'Time until the certificate of a storage system expires; lower is worse.',
    scope: 'system',
    warning: 14 * DAY,
    critical: 3 * DAY,
  },
  clockSkewSeconds: {
    about: 'Absolute difference of the clocks of a storage system and the exporter.',
    scope: 'system',
    warning: 30,
    critical: 5 * MINUTE,
  },
  disksNotGood: { about: 'Disks that are not Good.', scope: 'all', warning: 1, critical: 5 },
  goodNodesRatio: {
    about: 'Nodes that are Good relative to all; lower is worse.',
    scope: 'all',
    warning: 1,
    critical: 0.9,
  },
  imbalanceRatio: {
    about: 'Fullest minus emptiest node of a pool, as a share of usable space.',
    warning: 0.2,
    critical: 0.4,
  },
  recoveryHours: {
    about: 'Hours of the last day in which a pool was recovering.',
    scope: 'all',
    warning: 6,
    critical: 20,
  },
  eventLoopLagSeconds: {
    about: "99th percentile of the exporter's event loop delay.",
    scope: 'all',
    warning: 0.1,
    critical: 1,
  },
  openFilesRatio: {
    about: 'Open relative to allowed file descriptors of the exporter.',
    scope: 'all',
    warning: 0.7,
    critical: 0.9,
  },
} as const satisfies SettingSources

/** Settings with one level. */
export const DEFAULT_LIMITS = {
  outlierLatencySeconds: {
    about: 'Read latency of a node below which it is no outlier.',
    value: 0.05,
  },
  outlierFactor: {
    about: 'Read latency of a node relative to the median of its pool, above which it is an outlier.',
    value: 3,
  },
  quietTransactionsPerSecond: {
    about: 'Transactions per second at or below which latencies and error ratios raise no alert.',
    value: 1,
  },
  latencyIncreaseFactor: {
    about: 'Latency of a pool relative to its own mean of the day before, above which it raises an alert …',
    value: 3,
  },
  increasedLatencySeconds: { about: '… if the latency is also above this.', value: 0.05 },
  collapsedTrafficRatio: {
    about:
      'Traffic of a pool relative to its own mean of the day before, at or below which it has collapsed …',
    value: 0.05,
  },
  // Pools with little traffic may have none at times.
  steadyTransactionsPerSecond: {
    about: '… if that mean was above this, in transactions per second.',
    value: 10,
  },
  forecastTargetPercent: {
    about: 'Forecast target of alerts and panels, in percent; one of `forecast.targets`.',
    scope: 'all',
    value: 90,
  },
  manyBadDisks: { about: 'Bad disks of a pool, both as a number …', value: 3 },
  manyBadDisksRatio: {
    about: '… and relative to all its disks, that are more than single failures.',
    value: 0.05,
  },
  unavailableNodes: {
    about: 'Nodes of one pool that are Bad or not accessible at the same time.',
    value: 2,
  },
  flappingChanges: { about: 'Changes of the health of a node to or from Good within an hour.', value: 4 },
  failedPollsRatio: {
    about: 'Failed relative to all polls of a pool within 15 minutes.',
    value: 0.1,
  },
  exporterRestarts: { about: 'Starts of an exporter within an hour.', scope: 'all', value: 3 },
  trendSeconds: { about: 'How far ahead the linear trend of the used space is extrapolated.', value: DAY },
} as const satisfies SettingSources

/** References to the settings, for expressions, texts and panels. */
export const THRESHOLDS = references(DEFAULT_THRESHOLDS)
export const LIMITS = references(DEFAULT_LIMITS)

/** The thresholds of latencies by operation. */
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
  /**
   * Quantile of the latency of requests that is compared with thresholds of the mean, for systems that serve a
   * histogram and no mean. Latencies are skewed to the right: the mean of an exponential distribution is its quantile
   * 0.63, the mean of a log-normal one with sigma 1.5 its quantile 0.77.
   */
  latencyQuantile: 0.75,
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
  exporter: 'sds-exporter',
} as const
export type DashboardName = keyof typeof UIDS

export const GRAFANA = {
  tags: ['sds', 'generated'],
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
export const DEFAULT_VALUES: Values = {
  ...DEFAULT_NUMBERS,
  job: PROMETHEUS.job,
  [CLUSTER_PATH]: CLUSTER_HIDE.hidden,
}

/** Labels that a store of several Prometheus servers, such as Thanos or Mimir, adds to all series. */
export const EXTERNAL_LABELS = ['cluster'] as const

/** Label matchers of the variables of dashboards. */
export const MATCHERS = {
  /** Without the label, the variable is All, which also matches series without it. */
  cluster: 'cluster=~"$cluster"',
  job: 'job=~"$job"',
  instance: 'instance=~"$instance"',
  system: 'system=~"$system"',
  pool: 'pool=~"$pool"',
  node: 'node=~"$node"',
} as const

/** Labels that identify a system, a pool by name, a pool by id, and a node. */
export const SYSTEM_KEY = ['system'] as const
export const POOL_KEY = ['system', 'pool'] as const
/** Exporters may name a pool differently for a while; its id is always the same. */
export const POOL_ID_KEY = ['system', 'pool_id'] as const
/** The labels of series about a pool and its polls. */
export const POLLED_POOL_KEY = ['system', 'pool', 'pool_id'] as const
export const NODE_KEY = ['system', 'pool', 'node'] as const

/**
 * Labels of alerts that say what an alert is about, beside its name and severity: those with a column of their own in
 * tables, and all others but ids, which stand for names.
 */
export const ALERT_LABELS = {
  columns: ['system', 'pool', 'node'],
  detail: ['cluster', 'instance', 'category', 'attribute', 'reason', 'provider'],
} as const
