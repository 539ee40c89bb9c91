/**
 * Settings that dashboards and rules share. The thresholds are defaults from common practice, not from the
 * documentation of the storage system. Change them here, then run `npm run generate`.
 */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The value from which panels are yellow (`warning`) and red (`critical`); the name of the row has the unit. */
export interface Threshold {
  readonly warning: number
  readonly critical: number
}

/** Ratios are 0 to 1. Higher is worse, except where a row says that lower is worse. */
export const THRESHOLDS = {
  /** Allocated relative to usable space. The delivery of disks takes weeks, and a rebuild needs free space. */
  usedRatio: { warning: 0.8, critical: 0.9 },
  cpuRatio: { warning: 0.75, critical: 0.9 },
  memoryRatio: { warning: 0.85, critical: 0.95 },
  /** Each direction of the network interfaces. */
  nicRatio: { warning: 0.7, critical: 0.85 },
  /** Mean time of a transaction, read or write, or `latencyQuantile` of requests where there is no mean; panels only. */
  latencySeconds: { warning: 0.1, critical: 0.3 },
  /** Failed relative to all transactions, including those that fail by the fault of clients. */
  errorRatio: { warning: 0.01, critical: 0.05 },
  /** Failed by the fault of the system relative to all transactions. */
  systemErrorRatio: { warning: 0.001, critical: 0.01 },
  /**
   * Age of the newest sample; samples are made every 5 minutes. Those of the query interface are up to 7 minutes old
   * when they arrive, so 12 minutes is normal. The exporter withdraws them after 15 minutes.
   */
  sampleAgeSeconds: { warning: 13 * MINUTE, critical: 15 * MINUTE },
  /** Age of the last successful poll; the default schedule polls every minute. */
  pollAgeSeconds: { warning: 3 * MINUTE, critical: 5 * MINUTE },
  /** Time until the forecast target is reached; lower is worse. */
  forecastSeconds: { warning: 30 * DAY, critical: 7 * DAY },
  /** Time until the certificate of the storage system expires; lower is worse. */
  certificateSeconds: { warning: 14 * DAY, critical: 3 * DAY },
  /** Absolute difference of the clocks of the storage system and the exporter. */
  clockSkewSeconds: { warning: 30, critical: 5 * MINUTE },
  /** Disks that are not Good, over all selected systems. */
  disksNotGood: { warning: 1, critical: 5 },
  /** Good relative to all nodes; lower is worse. */
  goodNodesRatio: { warning: 1, critical: 0.9 },
  /** Fullest minus emptiest node of a pool, as a ratio of usable space. */
  imbalanceRatio: { warning: 0.2, critical: 0.4 },
  /** Hours of the last day in which a pool was recovering. */
  recoveryHours: { warning: 6, critical: 20 },
  /** 99th percentile of the exporter's event loop delay. */
  eventLoopLagSeconds: { warning: 0.1, critical: 1 },
  /** Open relative to allowed file descriptors of the exporter. */
  openFilesRatio: { warning: 0.7, critical: 0.9 },
} as const satisfies Record<string, Threshold>

/** Limits without two levels. */
export const LIMITS = {
  /**
   * Quantile of the latency of requests that is compared with thresholds of the mean, for systems that serve a
   * histogram and no mean. Latencies are skewed to the right: the mean of an exponential distribution is its quantile
   * 0.63, the mean of a log-normal one with sigma 1.5 its quantile 0.77.
   */
  latencyQuantile: 0.75,
  /** Latency of a pool above which the alerts fire after 15 minutes; between the two thresholds of panels. */
  alertReadLatencySeconds: 0.2,
  alertWriteLatencySeconds: 0.4,
  /** A node is an outlier when its latency is above both this and `outlierFactor` times the median of its pool. */
  outlierLatencySeconds: 0.05,
  outlierFactor: 3,
  /** At or below this rate, mean latency and error ratio are not significant. */
  quietTransactionsPerSecond: 1,
  /** Forecast alerts fire only above this use: small empty pools have steep trends. */
  forecastUsedRatio: { warning: 0.6, critical: 0.75 },
  /** A pool is recovering while it writes more than this for recovery. */
  recoveryBytesPerSecond: 1_000_000,
  /** The forecast target of alerts and single panels; one of `forecast.targets` of the configuration. */
  forecastTargetPercent: 90,
  /** Bad disks of a pool, as a number and relative to all, from which SdsDiskFailuresMany fires. */
  manyBadDisks: 3,
  manyBadDisksRatio: 0.05,
  /** Nodes of one pool that are Bad or not accessible at the same time. */
  unavailableNodes: 2,
  /** Changes to or from Good within an hour. */
  flappingChanges: 4,
  /** Failed relative to all polls of a pool within 15 minutes. */
  failedPollsRatio: 0.1,
  /** Starts of the exporter within an hour. */
  exporterRestarts: 3,
  /** How far ahead the linear trend of the used space is extrapolated, in seconds. */
  trendSeconds: DAY,
} as const

/**
 * Health statuses, best first. `code` increases with severity, so that `max` over nodes is the worst. A status that is
 * not listed is `UNKNOWN_HEALTH`.
 */
export const HEALTH = {
  Good: { code: 0, text: 'Good', color: 'green' },
  Maintenance: { code: 1, text: 'Maintenance', color: 'blue' },
  Suspect: { code: 2, text: 'Suspect', color: 'yellow' },
  Bad: { code: 3, text: 'Bad', color: 'red' },
  NotAccessible: { code: 4, text: 'Not accessible', color: 'dark-red' },
} as const
export const UNKNOWN_HEALTH = { code: 5, text: 'Unknown', color: 'purple' } as const

/** Colours of the disk statuses. */
export const DISK_COLORS = {
  Good: 'green',
  Maintenance: 'blue',
  ReadyToReplace: 'orange',
  Bad: 'red',
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
  /** Name of the scrape job. Alerts on `up` need it; dashboards have a variable. */
  job: 'sds-exporter',
  /** Also the data source's `timeInterval`, from which Grafana derives `$__rate_interval`. */
  scrapeIntervalSeconds: 60,
  /** Prefix of the names of all alerts; dashboards select alerts by it. */
  alertPrefix: 'Sds',
} as const

/**
 * Address of the published `docs/alerts.md`: the `runbook_url` of an alert is this and an anchor. The default is a
 * reserved name; set it to the address of your copy.
 */
export const RUNBOOKS = { baseUrl: 'https://sds-exporter.example/docs/alerts.md' } as const

/** Label matchers of the variables of dashboards. */
export const MATCHERS = {
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
