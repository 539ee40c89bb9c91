import { DEFAULT_FORECAST_TARGET } from '../../src/alerting/conditions.ts'
import type { SettingSources } from '../../src/alerting/sources.ts'

/**
 * Thresholds that dashboards and rules share: defaults from common practice, not from the documentation of the storage
 * system. Users change them in the section `alerting` of their configuration; what is generated from the defaults is in
 * `grafana/` and `deploy/`.
 */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

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
    about: 'Failed relative to all transactions, including errors of clients.',
    warning: 0.01,
    critical: 0.05,
  },
  systemErrorRatio: { about: 'Server errors relative to all transactions.', warning: 0.001, critical: 0.01 },
  // Samples are made every 5 minutes. Those of the Flux API are up to 7 minutes old when they arrive, so 12
  // minutes is normal. The exporter drops them after 22 minutes. For a system that makes them less often, users raise
  // the threshold.
  sampleAgeSeconds: {
    about: 'Age of the newest sample of a category.',
    warning: 13 * MINUTE,
    critical: 15 * MINUTE,
  },
  // The default schedule polls every minute.
  pollAgeSeconds: { about: 'Age of the last successful poll.', warning: 3 * MINUTE, critical: 5 * MINUTE },
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
  replicationLagSeconds: {
    about: 'Time for which the oldest data of a replication group waits for replication.',
    scope: 'system',
    warning: HOUR,
    critical: 4 * HOUR,
  },
  quotaRatio: {
    about: 'Used relative to hard quota of a namespace.',
    scope: 'system',
    warning: 0.85,
    critical: 0.95,
  },
} as const satisfies SettingSources

/** Settings with one level. */
export const DEFAULT_LIMITS = {
  outlierLatencySeconds: { about: 'Read latency of a node below which it is no outlier.', value: 0.05 },
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
    value: DEFAULT_FORECAST_TARGET,
  },
  manyBadDisks: { about: 'Bad disks of a pool, both as a number …', value: 3 },
  manyBadDisksRatio: {
    about: '… and relative to all its disks, that are more than single failures.',
    value: 0.05,
  },
  unavailableNodes: { about: 'Nodes of one pool that are Bad or not accessible at the same time.', value: 2 },
  flappingChanges: { about: 'Changes of the health of a node to or from Good within an hour.', value: 4 },
  failedPollsRatio: {
    about:
      'Failed relative to all polls of a pool within 15 minutes. Where polls are rarer than every 10 minutes, four times this within 4 hours.',
    value: 0.1,
  },
  exporterRestarts: { about: 'Starts of an exporter within an hour.', scope: 'all', value: 3 },
  trendSeconds: { about: 'How far ahead the linear trend of the used space is extrapolated.', value: DAY },
  newWarnings: {
    about: 'Unacknowledged warnings of a system by which their number has grown within a day.',
    scope: 'system',
    value: 10,
  },
  licenseSeconds: {
    about: 'Time until the license of a system expires, below which it raises an alert.',
    scope: 'system',
    value: 30 * DAY,
  },
  garbageStalledSeconds: {
    about: 'How long no garbage of a pool was reclaimed …',
    value: DAY,
    rangeAbove: 0,
  },
  // The alert policies of the storage system have this limit.
  garbagePendingGigabytes: { about: '… while more than this was pending, in GB (10^9 bytes).', value: 100 },
  unreclaimableGarbageRatio: {
    about: 'Garbage of a pool that cannot be reclaimed yet, relative to its allocated space.',
    value: 0.1,
  },
  recoverySampleAgeSeconds: {
    about: 'Age of the sample of data to be recovered, above which it raises no alert: it may be weeks old.',
    value: HOUR,
  },
  codedRatio: {
    about: 'Erasure coded relative to all data of a pool that is to be erasure coded; lower is worse.',
    value: 0.95,
  },
  bootstrapStalledSeconds: {
    about: 'How long the bootstrap of a replication link has made no progress.',
    scope: 'system',
    value: 6 * HOUR,
    rangeAbove: 0,
  },
  // The last hour of this time is compared with its first hour.
  backlogGrowthSeconds: {
    about: 'How long the data of a replication group that waits for replication has grown …',
    scope: 'system',
    value: 6 * HOUR,
    rangeAbove: HOUR,
  },
  // A working link has some data that waits, which follows the load.
  backlogGigabytes: { about: '… to more than this, in GB (10^9 bytes).', scope: 'system', value: 100 },
  quotaTrendSeconds: {
    about: 'How far ahead the linear trend of the used part of a hard quota is extrapolated …',
    scope: 'system',
    value: 7 * DAY,
  },
  quotaTrendRatio: { about: '… if the used part is above this.', scope: 'system', value: 0.6 },
} as const satisfies SettingSources
