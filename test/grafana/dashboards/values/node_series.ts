import { HEALTH_STATES } from '../../../../src/catalogue.ts'
import { type InputSeries, increasingOnBoth, onBoth } from './series.ts'

interface NodeFacts {
  readonly key: { readonly system: string; readonly pool: string; readonly node: string }
  readonly health: string
  /** All, Good, Bad, Maintenance, ReadyToReplace. */
  readonly disks: readonly [number, number, number, number, number]
  /** Total, allocated, free, reserved, in bytes. */
  readonly space?: readonly [number, number, number, number]
  /** Latency in seconds and transactions per second. */
  readonly reads?: readonly [number, number]
  readonly writes?: readonly [number, number]
  /** Families that need no more labels. */
  readonly plain?: Readonly<Record<string, number>>
  /** Timestamp of the newest sample by category. */
  readonly sampled?: Readonly<Record<string, number>>
  /** `history/target`: seconds, or undefined for N/A. */
  readonly forecasts?: Readonly<Record<string, number | undefined>>
  /** `category/type`: failures. */
  readonly failures?: Readonly<Record<string, number>>
}

/**
 * Two systems with pools of the same name, nodes of different size and status, one with an unknown status, and one
 * (n3) of a system that serves neither transactions nor resources in the feed, but a histogram of latencies.
 */
export const NODES: readonly NodeFacts[] = [
  {
    key: { system: 'fra', pool: 'p1', node: 'n1' },
    health: 'Good',
    disks: [12, 12, 0, 0, 0],
    space: [1000, 900, 50, 50],
    reads: [0.01, 100],
    writes: [0.02, 50],
    plain: {
      sds_node_disk_space_offline_bytes: 700,
      sds_node_cpu_utilization_ratio: 0.5,
      sds_node_memory_utilization_ratio: 0.6,
      sds_node_nic_received_utilization_ratio: 0.2,
      sds_node_nic_transmitted_utilization_ratio: 0.4,
      sds_node_transaction_read_bytes_per_second: 3000,
      sds_node_transaction_write_bytes_per_second: 500,
      sds_node_transactions_succeeded: 990,
      sds_node_transactions_failed: 10,
    },
    sampled: { capacity: 7000, traffic: 6900 },
    forecasts: { '7/90': 864_000, '28/90': 432_000 },
    failures: { 'User/404 (S3)': 10 },
  },
  {
    key: { system: 'fra', pool: 'p1', node: 'n2' },
    health: 'Bad',
    disks: [12, 9, 2, 0, 1],
    space: [3000, 1500, 1200, 300],
    reads: [0.2, 10],
    writes: [0.5, 0],
    plain: {
      sds_node_disk_space_offline_bytes: 700,
      sds_node_cpu_utilization_ratio: 0.9,
      sds_node_memory_utilization_ratio: 0.7,
      sds_node_nic_received_utilization_ratio: 0.6,
      sds_node_nic_transmitted_utilization_ratio: 0.3,
      sds_node_transactions_succeeded: 90,
      sds_node_transactions_failed: 10,
    },
    sampled: { capacity: 6600, traffic: 6300 },
    forecasts: { '7/90': undefined },
    failures: { 'User/404 (S3)': 5, 'System/500 (S3)': 5 },
  },
  {
    key: { system: 'fra', pool: 'p2', node: 'n3' },
    health: 'Suspect',
    disks: [10, 8, 0, 1, 0],
    space: [1000, 100, 800, 100],
    plain: { sds_node_disk_space_offline_bytes: 700 },
    sampled: { capacity: 7100 },
    forecasts: { '7/90': undefined },
  },
  {
    key: { system: 'muc', pool: 'p1', node: 'n1' },
    health: 'Good',
    disks: [12, 12, 0, 0, 0],
    space: [5000, 1000, 3500, 500],
    reads: [0.1, 100],
    writes: [0.1, 100],
    plain: {
      sds_node_disk_space_offline_bytes: 0,
      sds_node_cpu_utilization_ratio: 0.1,
      sds_node_memory_utilization_ratio: 0.5,
      sds_node_transactions_succeeded: 1000,
      sds_node_transactions_failed: 0,
    },
    sampled: { capacity: 7150 },
    forecasts: { '7/90': 1_728_000, '7/80': 0 },
  },
  { key: { system: 'muc', pool: 'p3', node: 'n9' }, health: 'Rebooting', disks: [0, 0, 0, 0, 0] },
]

const healthOf = ({ key, health }: NodeFacts): InputSeries[] =>
  [...new Set([...HEALTH_STATES, health])].flatMap((status) =>
    onBoth('sds_node_health_status', { ...key, status }, status === health ? 1 : 0),
  )

const disksOf = ({ key, disks }: NodeFacts): InputSeries[] => {
  const [all, ...counts] = disks
  const states = ['Good', 'Bad', 'Maintenance', 'ReadyToReplace']
  return [
    ...onBoth('sds_node_disks', key, all),
    ...states.flatMap((status, index) =>
      onBoth('sds_node_disks_by_status', { ...key, status }, counts[index] ?? 0),
    ),
  ]
}

const SPACES = [
  'sds_node_disk_space_total_bytes',
  'sds_node_disk_space_allocated_bytes',
  'sds_node_disk_space_free_bytes',
  'sds_node_disk_space_reserved_bytes',
]

const spaceOf = ({ key, space }: NodeFacts): InputSeries[] =>
  (space ?? []).flatMap((value, index) => {
    return onBoth(SPACES[index] ?? '', key, value)
  })

const trafficOf = ({ key, reads, writes }: NodeFacts): InputSeries[] =>
  [
    [reads, 'sds_node_transaction_read_latency_seconds', 'sds_node_transaction_reads_per_second'] as const,
    [writes, 'sds_node_transaction_write_latency_seconds', 'sds_node_transaction_writes_per_second'] as const,
  ].flatMap(([pair, latency, count]) =>
    pair ? [...onBoth(latency, key, pair[0]), ...onBoth(count, key, pair[1])] : [],
  )

const forecastsOf = ({ key, forecasts = {} }: NodeFacts): InputSeries[] =>
  Object.entries(forecasts).flatMap(([name, seconds]) => {
    const [history_days = '', target_percent = ''] = name.split('/')
    const labels = { ...key, history_days, target_percent }
    return [
      ...onBoth('sds_node_capacity_forecast_available', labels, seconds === undefined ? 0 : 1),
      ...(seconds === undefined ? [] : onBoth('sds_node_capacity_forecast_seconds', labels, seconds)),
    ]
  })

const failuresOf = ({ key, failures = {} }: NodeFacts): InputSeries[] =>
  Object.entries(failures).flatMap(([name, count]) => {
    const [category = '', error_type = ''] = name.split('/')
    return onBoth('sds_node_transaction_errors_by_type', { ...key, category, error_type }, count)
  })

export const seriesOf = (facts: NodeFacts): InputSeries[] => [
  ...onBoth(
    'sds_node_info',
    { ...facts.key, node_id: `id-${facts.key.node}`, pool_id: '', api_change: '1' },
    1,
  ),
  ...healthOf(facts),
  ...disksOf(facts),
  ...spaceOf(facts),
  ...trafficOf(facts),
  ...forecastsOf(facts),
  ...failuresOf(facts),
  ...Object.entries(facts.plain ?? {}).flatMap(([name, value]) => onBoth(name, facts.key, value)),
  ...Object.entries(facts.sampled ?? {}).flatMap(([category, time]) =>
    onBoth('sds_node_sample_timestamp_seconds', { ...facts.key, category }, time),
  ),
]

/** Recovery writes of the two nodes of fra/p1 exceed the limit only in sum; those of muc are 0. */
const RECOVERY: readonly (readonly [system: string, node: string, bytes: number])[] = [
  ['fra', 'n1', 600_000],
  ['fra', 'n2', 600_000],
  ['muc', 'n1', 0],
]

export const recovery = (): InputSeries[] =>
  RECOVERY.flatMap(([system, node, bytes]) =>
    onBoth(
      'sds_node_disk_write_purpose_bytes_per_second',
      { system, pool: 'p1', node, purpose: 'recovery' },
      bytes,
    ),
  )

/**
 * Requests per minute of n3 up to each bound. Of 240 reads, 120 take up to 0.1 s: quantile 0.75 is 0.1 + 0.2 *
 * 60/120. Of 120 writes, 60 take up to 0.3 s: quantile 0.75 is 0.3 + 0.6 * 30/60. Rates per second are whole numbers,
 * because promtool before version 3 compares exactly.
 */
const LATENCIES = {
  read: { '0.1': 120, '0.3': 240, '0.9': 240, '+Inf': 240 },
  write: { '0.1': 0, '0.3': 60, '0.9': 120, '+Inf': 120 },
} as const

export const latencies = (): InputSeries[] =>
  Object.entries(LATENCIES).flatMap(([operation, buckets]) =>
    Object.entries(buckets).flatMap(([le, perMinute]) => {
      const labels = { system: 'fra', pool: 'p2', node: 'n3', operation, le }
      return increasingOnBoth('sds_node_transaction_latency_seconds_bucket', labels, perMinute)
    }),
  )

/** Disk reads of one node; 30 of 40 bytes per second are for users. */
export const diskReads = (): InputSeries[] => {
  const key = { system: 'fra', pool: 'p1', node: 'n1' }
  const ofPurpose = (purpose: string, bytes: number) =>
    onBoth('sds_node_disk_read_purpose_bytes_per_second', { ...key, purpose }, bytes)
  return [
    ...ofPurpose('user', 30),
    ...ofPurpose('erasure_coding', 10),
    ...onBoth('sds_node_disk_read_bytes_per_second', key, 40),
  ]
}
