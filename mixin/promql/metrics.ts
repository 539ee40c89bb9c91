import type { SeriesName } from '../../src/metrics/families.ts'

/** Metrics that Prometheus itself records: for each target, and for each pending or firing alert. */
export const PROMETHEUS_METRICS = [
  'up',
  'scrape_duration_seconds',
  'scrape_samples_scraped',
  'ALERTS',
] as const

/**
 * Series of the recording rules, named `level:metric:operation`. `job` and `instance` are aggregated away at every
 * level, because two exporters may watch one system.
 */
export const RECORDED = {
  healthCode: 'system_pool_node:sds_node_health_status:code',
  allocatedBytes: 'system_pool:sds_node_disk_space_allocated_bytes:sum',
  totalBytes: 'system_pool:sds_node_disk_space_total_bytes:sum',
  usedRatio: 'system_pool:sds_node_disk_space_allocated_per_total:ratio',
  readLatency: 'system_pool:sds_node_transaction_read_latency_seconds:mean',
  writeLatency: 'system_pool:sds_node_transaction_write_latency_seconds:mean',
  readLatencyQuantile: 'system_pool:sds_node_transaction_read_latency_seconds:quantile',
  writeLatencyQuantile: 'system_pool:sds_node_transaction_write_latency_seconds:quantile',
  failedRatio: 'system_pool:sds_node_transactions_failed_per_all:ratio',
  failedNotByUserRatio: 'system_pool:sds_node_transactions_failed_not_by_user_per_all:ratio',
  transactions: 'system_pool:sds_node_transactions_per_second:sum',
  maintenance: 'system_pool:sds_node_health_status_maintenance:max',
  sampleAge: 'system_pool_category:sds_node_sample_age_seconds:min',
} as const
export type RecordedName = (typeof RECORDED)[keyof typeof RECORDED]

/** Every name that a dashboard or a rule may select. */
export type MetricName = SeriesName | (typeof PROMETHEUS_METRICS)[number] | RecordedName
