/**
 * Everything that dashboards and alert rules must agree on. The thresholds are defaults from public practice,
 * not from the storage system's documentation: change them here, then run `npm run generate`.
 */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Where a value turns yellow (`warning`) and red (`critical`); the unit is in the name of the row. */
export interface Threshold {
  readonly warning: number
  readonly critical: number
}

/** Ratios run from 0 to 1. Higher is worse, except in the rows that say otherwise. */
export const THRESHOLDS = {
  /** Allocated relative to usable space. New disks take weeks to arrive; a rebuild needs room. */
  usedRatio: { warning: 0.8, critical: 0.9 },
  cpuRatio: { warning: 0.75, critical: 0.9 },
  memoryRatio: { warning: 0.85, critical: 0.95 },
  /** Of one direction of the network interfaces. */
  nicRatio: { warning: 0.7, critical: 0.85 },
  /** Mean time of a transaction, read or write, as panels colour it. */
  latencySeconds: { warning: 0.1, critical: 0.3 },
  /** Failed relative to all transactions, whosever fault. */
  errorRatio: { warning: 0.01, critical: 0.05 },
  /** Failed by the system's own fault relative to all transactions. */
  systemErrorRatio: { warning: 0.001, critical: 0.01 },
  /** Age of the newest sample: two and three intervals of the storage system's five minutes. */
  sampleAgeSeconds: { warning: 10 * MINUTE, critical: 15 * MINUTE },
  /** Age of the last good poll; polls run every minute. */
  pollAgeSeconds: { warning: 3 * MINUTE, critical: 5 * MINUTE },
  /** Until the forecast target is reached: lower is worse. */
  forecastSeconds: { warning: 30 * DAY, critical: 7 * DAY },
  /** Until the certificate of the storage system ends: lower is worse. */
  certificateSeconds: { warning: 14 * DAY, critical: 3 * DAY },
  /** Clock of the storage system against the exporter's, either direction. */
  clockSkewSeconds: { warning: 30, critical: 5 * MINUTE },
  /** Disks that are not Good, over everything that is selected. */
  disksNotGood: { warning: 1, critical: 5 },
  /** Good relative to all nodes: lower is worse. */
  goodNodesRatio: { warning: 1, critical: 0.9 },
  /** Fullest minus emptiest node of a pool, in ratio of usable space. */
  imbalanceRatio: { warning: 0.2, critical: 0.4 },
  /** Hours of the last day in which a pool was recovering. */
  recoveryHours: { warning: 6, critical: 20 },
  /** 99th percentile of the exporter's event loop delay. */
  eventLoopLagSeconds: { warning: 0.1, critical: 1 },
  /** Open relative to allowed file descriptors of the exporter. */
  openFilesRatio: { warning: 0.7, critical: 0.9 },
} as const satisfies Record<string, Threshold>

/** Single limits that only one side of a comparison needs. */
export const LIMITS = {
  /** The pool's mean over 15 minutes, in seconds, at which a person is told; between yellow and red of a panel. */
  alertReadLatencySeconds: 0.2,
  alertWriteLatencySeconds: 0.4,
  /** A node is an outlier when it is slower than this and than so many times the median of its pool. */
  outlierLatencySeconds: 0.05,
  outlierFactor: 3,
  /** Below this many transactions per second a mean latency says nothing. */
  quietTransactionsPerSecond: 1,
  /** Used space below which a short forecast is no news: small empty pools have steep trends. */
  forecastUsedRatio: { warning: 0.6, critical: 0.75 },
  /** Writes for recovery above this, in bytes per second, mean that a rebuild is running. */
  recoveryBytesPerSecond: 1_000_000,
  /** The forecast target, in percent, that headline figures are about; one of `forecast.targets`. */
  forecastTargetPercent: 90,
  /** Bad disks of a pool, in number and relative to all, that are no longer single failures. */
  manyBadDisks: 3,
  manyBadDisksRatio: 0.05,
  /** Nodes of one pool that are Bad or not accessible at once: the second failure is the emergency. */
  unavailableNodes: 2,
  /** Changes into or out of Good within an hour. */
  flappingChanges: 4,
  /** Failed relative to all polls of a pool within 15 minutes. */
  failedPollsRatio: 0.1,
  /** Starts of the exporter within an hour. */
  exporterRestarts: 3,
  /** How far ahead the exporter's own trend of the used space looks, in seconds. */
  trendSeconds: DAY,
} as const

/**
 * How a health status is drawn and counted, best first: `code` grows with severity, so that `max` over nodes
 * is the worst. A status that is not listed here counts as `UNKNOWN_HEALTH`.
 */
export const HEALTH = {
  Good: { code: 0, text: 'Good', color: 'green' },
  Maintenance: { code: 1, text: 'Maintenance', color: 'blue' },
  Suspect: { code: 2, text: 'Suspect', color: 'yellow' },
  Bad: { code: 3, text: 'Bad', color: 'red' },
  NotAccessible: { code: 4, text: 'Not accessible', color: 'dark-red' },
} as const
export const UNKNOWN_HEALTH = { code: 5, text: 'Unknown', color: 'purple' } as const

/** Colours of the disk states, which share three names with the health of nodes. */
export const DISK_COLORS = {
  Good: 'green',
  Maintenance: 'blue',
  ReadyToReplace: 'orange',
  Bad: 'red',
} as const

/** Dashboard uids: part of every link, so never change one. */
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
  /** Title and uid of the folder that the dashboards are filed in. */
  folder: { title: 'Storage', uid: 'sds' },
  /** The provisioned data source. */
  datasource: { name: 'Prometheus', uid: 'sds-prometheus', url: 'http://prometheus:9090' },
  /** Where the container finds the JSON files; mount `grafana/dashboards` there. */
  dashboardsPath: '/var/lib/grafana/dashboards',
  /** Dashboard URLs start with it, relative to the root of Grafana. */
  urlBase: '/d/',
  /** Pages on what happens now, and pages on what happens over weeks: never faster than the data. */
  refresh: { now: '1m', slow: '5m', trend: '15m' },
} as const

/** What the shipped Prometheus configuration does and the dashboards count on. */
export const PROMETHEUS = {
  /** The scrape job's name; dashboards find theirs by the metric, alerts on `up` need it. */
  job: 'sds-exporter',
  /** Also the data source's `timeInterval`, from which Grafana derives `$__rate_interval`. */
  scrapeIntervalSeconds: 60,
  /** Names of all alerts start so, which is how the dashboards find them. */
  alertPrefix: 'Sds',
} as const

/**
 * Where `docs/alerts.md` is published: every alert's `runbook_url` is this and an anchor. A reserved name, so
 * that no link leads to a stranger's page: put the address of your copy here.
 */
export const RUNBOOKS = { baseUrl: 'https://sds-exporter.example/docs/alerts.md' } as const

/** Label matchers of the dashboards' variables. */
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
export const POOL_ID_KEY = ['system', 'pool_id'] as const
export const NODE_KEY = ['system', 'pool', 'node'] as const
