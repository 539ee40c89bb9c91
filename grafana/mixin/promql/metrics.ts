import type { SeriesName } from '../../../src/metrics/families.ts'

/** Metrics that Prometheus itself records: for each target, and for each pending or firing alert. */
export const PROMETHEUS_METRICS = [
  'up',
  'scrape_duration_seconds',
  'scrape_samples_scraped',
  'ALERTS',
] as const

/**
 * Series of the recording rules, named `level:metric:operation`; the level is the list of their labels. `job` and
 * `instance` are aggregated away at every level, because two exporters may watch one system. What a panel reads of
 * thousands of nodes at each point of its range is recorded, so that it reads a few series for each pool,
 * or one for each node.
 */
export const RECORDED = {
  healthCode: 'system_pool_node:sds_node_health_status:code',
  nodeReadLatencyQuantile: 'system_pool_node:sds_node_transaction_read_latency_seconds:quantile',
  nodeWriteLatencyQuantile: 'system_pool_node:sds_node_transaction_write_latency_seconds:quantile',
  nodeTransactions: 'system_pool_node:sds_node_transactions_per_second:sum',
  nodeBusierNic: 'system_pool_node:sds_node_nic_busier_utilization_ratio:max',

  poolHealthCode: 'system_pool:sds_node_health_status:code',
  maintenance: 'system_pool:sds_node_health_status_maintenance:max',
  disks: 'system_pool_status:sds_node_disks_by_status:sum',
  sampleAge: 'system_pool_category:sds_node_sample_age_seconds:min',

  allocatedBytes: 'system_pool:sds_node_disk_space_allocated_bytes:sum',
  /** The number of nodes in these sums. */
  spaceNodes: 'system_pool:sds_node_disk_space_allocated_bytes:count',
  totalBytes: 'system_pool:sds_node_disk_space_total_bytes:sum',
  usedRatio: 'system_pool:sds_node_disk_space_allocated_per_total:ratio',
  usedRatioRange: 'system_pool:sds_node_disk_space_allocated_per_total:range',
  allocatedLevels: 'system_pool_level:sds_node_disk_space_allocated_level_bytes:sum',
  freeLevels: 'system_pool_level:sds_node_disk_space_free_level_bytes:sum',
  forecast: 'system_pool:sds_node_capacity_forecast_seconds:median',
  forecastAvailable: 'system_pool:sds_node_capacity_forecast_available:ratio',

  readLatency: 'system_pool:sds_node_transaction_read_latency_seconds:mean',
  writeLatency: 'system_pool:sds_node_transaction_write_latency_seconds:mean',
  readLatencyQuantile: 'system_pool:sds_node_transaction_read_latency_seconds:quantile',
  writeLatencyQuantile: 'system_pool:sds_node_transaction_write_latency_seconds:quantile',
  latencyBuckets: 'system_pool_operation_le:sds_node_transaction_latency_seconds_bucket:rate',
  transactions: 'system_pool:sds_node_transactions_per_second:sum',
  reads: 'system_pool:sds_node_transaction_reads_per_second:sum',
  writes: 'system_pool:sds_node_transaction_writes_per_second:sum',
  readBytes: 'system_pool:sds_node_transaction_read_bytes_per_second:sum',
  writeBytes: 'system_pool:sds_node_transaction_write_bytes_per_second:sum',

  failedRatio: 'system_pool:sds_node_transactions_failed_per_all:ratio',
  failedNotByUserRatio: 'system_pool:sds_node_transactions_failed_not_by_user_per_all:ratio',
  errorTypes: 'system_pool_category_error_type:sds_node_transaction_errors_by_type:sum',

  diskReads: 'system_pool:sds_node_disk_read_bytes_per_second:sum',
  diskWrites: 'system_pool:sds_node_disk_write_bytes_per_second:sum',
  diskReadPurposes: 'system_pool_purpose:sds_node_disk_read_purpose_bytes_per_second:sum',
  diskWritePurposes: 'system_pool_purpose:sds_node_disk_write_purpose_bytes_per_second:sum',

  replicationPending: 'system_replication_group:sds_replication_group_pending_bytes:sum',
  replicationLag: 'system_replication_group:sds_replication_group_lag_seconds:max',

  namespacesUsed: 'system:sds_namespace_used_bytes:sum',
  namespaceObjects: 'system:sds_namespace_objects:sum',
  quotaUsed: 'system_namespace:sds_namespace_used_per_quota:ratio',
} as const
export type RecordedName = (typeof RECORDED)[keyof typeof RECORDED]

export const TRANSACTIONS = {
  read: {
    count: 'sds_node_transaction_reads_per_second',
    bytes: 'sds_node_transaction_read_bytes_per_second',
    latency: 'sds_node_transaction_read_latency_seconds',
  },
  write: {
    count: 'sds_node_transaction_writes_per_second',
    bytes: 'sds_node_transaction_write_bytes_per_second',
    latency: 'sds_node_transaction_write_latency_seconds',
  },
} as const satisfies Record<string, Record<string, SeriesName>>

/** The version of the loaded rules. It is about no system, and has no level. */
export const RULES_INFO = 'sds:rules_info'

/** Every name that a dashboard or a rule may select. */
export type MetricName = SeriesName | (typeof PROMETHEUS_METRICS)[number] | RecordedName
