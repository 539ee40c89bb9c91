import { SECONDS_PER_DAY } from './time_units.ts'

/**
 * Everything that is known of the attributes of the dashboard API, as tables: what the storage system calls
 * them, in which unit it reports them, and under which metric we export them.
 *
 * Decoding, samples, HELP texts, the emulator, the metrics reference and the coverage report are derived from these
 * tables, so a new attribute is one row here. The metric names that dashboards and rules may use are typed from them
 * ({@link NodeFamilyName}). Source: API document, "Node object", "Node metric attributes", "Transaction error
 * attributes" and "Forecast entry".
 */

/** Attribute categories, as the `category` query parameter names them. */
export const CATEGORIES = ['capacityForecast', 'health', 'capacity', 'traffic', 'diskIO'] as const
export type Category = (typeof CATEGORIES)[number]

/** Since release 3.6, ECS and ObjectScale serve these in a separate query API instead of the dashboard API. */
export const PERFORMANCE_CATEGORIES: readonly Category[] = ['health', 'traffic', 'diskIO']

/** One megabyte in bytes. The document says "MB/s" without defining it; the decimal unit is assumed. */
export const BYTES_PER_MB = 1_000_000
const BYTES_PER_KB = 1_000
const BYTES_PER_KIB = 1024

/** The suffix of metric names with a unit, by the conventions of Prometheus and OpenMetrics. */
const BASE_UNITS = ['bytes', 'bytes_per_second', 'ratio', 'seconds'] as const
export type BaseUnit = (typeof BASE_UNITS)[number] | ''

export function unitOf(name: string): BaseUnit {
  return BASE_UNITS.find((unit) => name.endsWith(`_${unit}`) || name.endsWith(`_${unit}_total`)) ?? ''
}

/** The values that a real system can have. Others are rejected: they are faults, not measurements. */
export interface PlausibleRange {
  /** 0, if undefined. */
  readonly min?: number
  readonly max: number
  readonly isWhole?: true
}

export interface UnitRow extends PlausibleRange {
  readonly base: BaseUnit
  /** Turns a value in the source's unit into the base unit. */
  readonly toBase: (value: number) => number
}

/** 1 TB/s: the network interfaces and flash drives of a node transfer less than 200 GB/s. */
const MAX_BYTES_PER_SECOND = 1e12

/** Units at the source. Percent is divided by 100, because 7 * 0.01 is not exactly 0.07. */
export const UNITS = {
  // 1 EB: a node has up to a few PB, and offline space is that of the whole system.
  Bytes: { base: 'bytes', toBase: (value) => value, max: 1e18 },
  // Rounding and intervals of different lengths give a little more than 100.
  Percent: { base: 'ratio', toBase: (value) => value / 100, max: 200 },
  'MB/s': {
    base: 'bytes_per_second',
    toBase: (value) => value * BYTES_PER_MB,
    max: MAX_BYTES_PER_SECOND / BYTES_PER_MB,
  },
  'kB/s': {
    base: 'bytes_per_second',
    toBase: (value) => value * BYTES_PER_KB,
    max: MAX_BYTES_PER_SECOND / BYTES_PER_KB,
  },
  'B/s': { base: 'bytes_per_second', toBase: (value) => value, max: MAX_BYTES_PER_SECOND },
  // A day: transactions end after some minutes, uploads of large objects after some hours.
  ms: { base: 'seconds', toBase: (value) => value / 1000, max: SECONDS_PER_DAY * 1000 },
  // Ten years: a site may not be reachable for long.
  'ms of lag': { base: 'seconds', toBase: (value) => value / 1000, max: 3650 * SECONDS_PER_DAY * 1000 },
  // A node processes some ten thousand transactions per second.
  TPS: { base: '', toBase: (value) => value, max: 1e7 },
  // A regression over nearly constant use has no limit: the largest integer of 32 bits.
  day: { base: 'seconds', toBase: (value) => value * SECONDS_PER_DAY, max: 2 ** 31 - 1 },
  // Three years of 10^7 transactions per second.
  count: { base: '', toBase: (value) => value, max: 1e15, isWhole: true },
  // The KB of billing: 1024 bytes on real systems.
  KiB: { base: 'bytes', toBase: (value) => value * BYTES_PER_KIB, max: 1e18 / BYTES_PER_KIB },
  // Quotas. Less than the smallest possible means that there is none.
  GiB: { base: 'bytes', toBase: (value) => value * BYTES_PER_KIB ** 3, max: 2 ** 40 },
  quota: { base: '', toBase: (value) => value, max: 1e15, isWhole: true },
  // Seconds since the epoch, from 1, because 0 is none, to the year 2100, so that milliseconds are none.
  time: { base: 'seconds', toBase: (value) => value, min: 1, max: 4_102_444_800 },
  // true or false.
  flag: { base: '', toBase: (value) => value, max: 1, isWhole: true },
} as const satisfies Record<string, UnitRow>
export type SourceUnit = keyof typeof UNITS

/** Times of snapshots. A clock may be wrong by years: see `sds_system_clock_skew_seconds`. */
export const TIME_RANGE: PlausibleRange = UNITS.time

/** Units that the dashboard API may have for attributes with the value tag `Bandwidth`. The document says MB/s. */
export const FEED_BANDWIDTH_UNITS = ['MB/s', 'kB/s', 'B/s'] as const satisfies readonly SourceUnit[]
export type FeedBandwidthUnit = (typeof FEED_BANDWIDTH_UNITS)[number]

type TagsOfUnits = Readonly<Partial<Record<BaseUnit, readonly [tag: string, unit: SourceUnit]>>>

/**
 * The member that carries the value in a snapshot `{t, <tag>}`, and its unit, by the category of the attribute and the unit
 * of its metric. The API document lists diskSpaceAllocatedPercentage as Bytes, but its value tag is Percent.
 */
const TAGS: Readonly<Record<keyof typeof FAMILIES, TagsOfUnits>> = {
  capacity: { bytes: ['Space', 'Bytes'], ratio: ['Percent', 'Percent'] },
  health: {
    bytes: ['Bytes', 'Bytes'],
    ratio: ['Percent', 'Percent'],
    bytes_per_second: ['Bandwidth', 'MB/s'],
  },
  traffic: { seconds: ['Latency', 'ms'], bytes_per_second: ['Bandwidth', 'MB/s'], '': ['TPS', 'TPS'] },
  diskIO: { bytes_per_second: ['diskIO', 'MB/s'] },
}

/** Values by name of the label. */
export type Labels = Readonly<Record<string, string>>

interface FamilyRow {
  readonly help: string
  /** There is no history: only `<Attribute>Current` exists. */
  readonly currentOnly?: true
  /** The family of the history, where the storage system means something else by it than by the current value. */
  readonly history?: { readonly family: `sds_node_${string}`; readonly help: string }
  /** The source attributes of this family, each with its labels. */
  readonly attributes: Readonly<Record<string, Labels>>
}

/** The flat attributes by category and metric family. */
const FAMILIES = {
  capacity: {
    sds_node_disk_space_total_bytes: {
      help: 'Usable disk space of all disks of the node.',
      attributes: { diskSpaceTotal: {} },
    },
    sds_node_disk_space_allocated_bytes: {
      help: 'Disk space allocated for chunks on all disks of the node.',
      attributes: { diskSpaceAllocated: {} },
    },
    sds_node_disk_space_allocated_level_bytes: {
      help: 'Disk space allocated for chunks on the disks of the node, by level.',
      attributes: { diskSpaceAllocatedL1: { level: 'L1' }, diskSpaceAllocatedL2: { level: 'L2' } },
    },
    sds_node_disk_space_allocated_ratio: {
      help: 'Allocated disk space relative to the usable disk space of the node (0 to 1).',
      attributes: { diskSpaceAllocatedPercentage: {} },
    },
    sds_node_disk_space_free_bytes: {
      help: 'Free usable disk space on the Good disks of the node, without the reserve.',
      history: {
        family: 'sds_node_disk_space_free_with_reserve_bytes',
        help: 'Free usable disk space on the Good disks of the node, with the reserve. Only in history: there the storage system counts the reserve as free.',
      },
      attributes: { diskSpaceFree: {} },
    },
    sds_node_disk_space_free_level_bytes: {
      help: 'Free usable disk space on the Good disks of the node, by level.',
      history: {
        family: 'sds_node_disk_space_free_with_reserve_level_bytes',
        help: 'Free usable disk space on the Good disks of the node, with the reserve, by level. Only in history: there the storage system counts the reserve as free.',
      },
      attributes: { diskSpaceFreeL1: { level: 'L1' }, diskSpaceFreeL2: { level: 'L2' } },
    },
    sds_node_disk_space_offline_bytes: {
      help: 'Offline disk space of the whole system, over all pools: every node repeats the same value, so never sum it over nodes.',
      currentOnly: true,
      attributes: { diskSpaceOfflineTotal: {} },
    },
    sds_node_disk_space_reserved_bytes: {
      help: 'Disk space held in reserve on the node.',
      currentOnly: true,
      attributes: { diskSpaceReserved: {} },
    },
  },
  health: {
    sds_node_cpu_utilization_ratio: {
      help: 'Share of CPU time spent in user, nice and kernel code, over all cores (0 to 1).',
      attributes: { nodeCpuUtilization: {} },
    },
    sds_node_memory_used_bytes: {
      help: 'Memory in use, without buffers and cache.',
      attributes: { nodeMemoryUtilizationBytes: {} },
    },
    sds_node_memory_utilization_ratio: {
      help: 'Memory in use relative to all memory of the node (0 to 1).',
      attributes: { nodeMemoryUtilization: {} },
    },
    sds_node_nic_bytes_per_second: {
      help: 'Data passing the network interfaces of the node, both directions.',
      attributes: { nodeNicBandwidth: {} },
    },
    sds_node_nic_received_bytes_per_second: {
      help: 'Data received through the network interfaces of the node.',
      attributes: { nodeNicReceivedBandwidth: {} },
    },
    sds_node_nic_transmitted_bytes_per_second: {
      help: 'Data transmitted through the network interfaces of the node.',
      attributes: { nodeNicTransmittedBandwidth: {} },
    },
    sds_node_nic_utilization_ratio: {
      help: 'Data passing the network interfaces relative to their capacity (0 to 1).',
      attributes: { nodeNicUtilization: {} },
    },
    sds_node_nic_received_utilization_ratio: {
      help: 'Data received relative to the capacity of the network interfaces (0 to 1).',
      attributes: { nodeNicReceivedUtilization: {} },
    },
    sds_node_nic_transmitted_utilization_ratio: {
      help: 'Data transmitted relative to the capacity of the network interfaces (0 to 1).',
      attributes: { nodeNicTransmittedUtilization: {} },
    },
  },
  traffic: {
    sds_node_transaction_read_latency_seconds: {
      help: 'Mean time to process a read transaction.',
      attributes: { transactionReadLatency: {} },
    },
    sds_node_transaction_write_latency_seconds: {
      help: 'Mean time to process a write transaction.',
      attributes: { transactionWriteLatency: {} },
    },
    sds_node_transaction_read_bytes_per_second: {
      help: 'Data returned by read transactions, mean of the previous interval.',
      attributes: { transactionReadBandwidth: {} },
    },
    sds_node_transaction_write_bytes_per_second: {
      help: 'Data received by write transactions, mean of the previous interval.',
      attributes: { transactionWriteBandwidth: {} },
    },
    sds_node_transaction_reads_per_second: {
      help: 'Read transactions requested per second, mean of the previous interval.',
      attributes: { transactionReadTransactionsPerSec: {} },
    },
    sds_node_transaction_writes_per_second: {
      help: 'Write transactions requested per second, mean of the previous interval.',
      attributes: { transactionWriteTransactionsPerSec: {} },
    },
  },
  diskIO: {
    sds_node_disk_read_bytes_per_second: {
      help: 'Data read from the disks of the node, for all purposes.',
      attributes: { diskReadBandwidthTotal: {} },
    },
    sds_node_disk_write_bytes_per_second: {
      help: 'Data written to the disks of the node, for all purposes.',
      attributes: { diskWriteBandwidthTotal: {} },
    },
    sds_node_disk_read_purpose_bytes_per_second: {
      help: 'Data read from the disks of the node, by purpose.',
      attributes: {
        diskReadBandwidthEc: { purpose: 'erasure_coding' },
        diskReadBandwidthCc: { purpose: 'consistency_check' },
        diskReadBandwidthRecovery: { purpose: 'recovery' },
        diskReadBandwidthGeo: { purpose: 'geo_replication' },
        diskReadBandwidthUser: { purpose: 'user' },
        diskReadBandwidthXor: { purpose: 'xor' },
      },
    },
    sds_node_disk_write_purpose_bytes_per_second: {
      help: 'Data written to the disks of the node, by purpose.',
      attributes: {
        diskWriteBandwidthEc: { purpose: 'erasure_coding' },
        diskWriteBandwidthCc: { purpose: 'consistency_check' },
        diskWriteBandwidthRecovery: { purpose: 'recovery' },
        diskWriteBandwidthGeo: { purpose: 'geo_replication' },
        diskWriteBandwidthUser: { purpose: 'user' },
        diskWriteBandwidthXor: { purpose: 'xor' },
      },
    },
  },
} as const satisfies Partial<Record<Category, Readonly<Record<`sds_node_${string}`, FamilyRow>>>>

type KeysOfUnion<T> = T extends unknown ? keyof T & string : never
type ValuesOfUnion<T> = T extends unknown ? T[keyof T] : never
type Families = ValuesOfUnion<typeof FAMILIES>

interface AttributeFamily extends FamilyRow {
  readonly family: string
  readonly category: Category
  /** The member with the value in a snapshot. */
  readonly tag: string
  readonly unit: SourceUnit
}

const ATTRIBUTE_FAMILIES: readonly AttributeFamily[] = Object.entries(FAMILIES).flatMap(([category, rows]) =>
  Object.entries<FamilyRow>(rows).map(([family, row]) => {
    const [tag, unit] = TAGS[category as keyof typeof FAMILIES][unitOf(family)] ?? []
    if (tag === undefined || unit === undefined) throw new RangeError(`no value tag for ${family}`)
    return { ...row, family, category: category as Category, tag, unit }
  }),
)

/** The name of a flat attribute, e.g. `diskSpaceFree` (never with the suffix `Current`). */
export type AttributeName = KeysOfUnion<ValuesOfUnion<Families>['attributes']>

export interface Attribute extends Pick<AttributeFamily, 'family' | 'category' | 'tag' | 'unit'> {
  readonly name: AttributeName
  /** The family of its history: another one if history and current value differ in meaning. */
  readonly historyFamily: string
  readonly labels: Labels
  readonly currentOnly: boolean
}

export const ATTRIBUTES: readonly Attribute[] = ATTRIBUTE_FAMILIES.flatMap(
  ({ attributes, family, history, category, tag, unit, currentOnly = false }) =>
    Object.entries(attributes).map(([name, labels]) => ({
      name: name as AttributeName,
      family,
      historyFamily: history?.family ?? family,
      labels,
      category,
      tag,
      unit,
      currentOnly,
    })),
)

/** Values of `healthStatus`, best first. */
export const HEALTH_STATES = ['Good', 'Maintenance', 'Suspect', 'Bad', 'NotAccessible'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** Counts of disks in the enclosure of a node, by disk status; `numDisks` counts all of them. */
export const DISK_COUNTS = {
  numGoodDisks: 'Good',
  numBadDisks: 'Bad',
  numMaintenanceDisks: 'Maintenance',
  numReadyToReplaceDisks: 'ReadyToReplace',
} as const
export type DiskCount = keyof typeof DISK_COUNTS | 'numDisks'

/** The attribute `transactionErrors` and the value tag of its snapshots. */
export const TRANSACTION_ERRORS = {
  name: 'transactionErrors',
  category: 'traffic',
  rateTag: 'Rate',
  rateUnit: 'Percent',
  /** Errors of the client and errors of the system. */
  categories: ['User', 'System'],
  /** Error types of one node that are read at most, to find the most frequent ones, and that are exported at most. */
  maxEntries: 10_000,
  maxExported: 100,
} as const

/** The only attribute of category `capacityForecast`. */
export const FORECAST = {
  name: 'allocatedCapacityForecast',
  category: 'capacityForecast',
  unit: 'day',
  notAvailable: 'N/A',
  /** Entries of one node that are read at most: 20 time frames times 20 targets. */
  maxEntries: 400,
} as const

/** The attributes of `sds_pool_attribute_nodes`: flat attributes, transaction errors, forecasts, counts and health. */
export const COVERAGE_ATTRIBUTES = [
  'healthStatus',
  'numDisks',
  ...(Object.keys(DISK_COUNTS) as (keyof typeof DISK_COUNTS)[]),
  ...ATTRIBUTES.map((attribute) => attribute.name),
  TRANSACTION_ERRORS.name,
  FORECAST.name,
] as const
export type CoverageAttribute = (typeof COVERAGE_ATTRIBUTES)[number]

/** A metric family of nodes. `labels` come after {@link NODE_LABELS}. */
export interface NodeFamily extends Required<Pick<FamilyOfNode, 'help' | 'labels'>> {
  readonly name: string
  readonly type?: FamilyOfNode['type']
  readonly unit: BaseUnit
}

interface FamilyOfNode {
  /** A gauge, if undefined: all families of the dashboard API are. */
  readonly type?: 'counter' | 'histogram'
  readonly help: string
  /** None, if undefined. */
  readonly labels?: readonly string[]
}
type FamiliesOfNode = Readonly<Record<`sds_node_${string}`, FamilyOfNode>>

/** Labels that every node metric has. */
export const NODE_LABELS = ['system', 'pool', 'node'] as const

/** The families beside those of the flat attributes. */
const OTHER_FAMILIES = {
  identity: {
    sds_node_info: {
      help: 'Identity of a node: always 1. The labels rack and address are those of the resource inventory (GET /vdc/nodes), absent where the system does not name them. Source: id, displayName, storagePoolId, storagePoolName, apiChange (identity, text).',
      labels: ['node_id', 'pool_id', 'api_change', 'rack', 'address'],
    },
    sds_node_health_status: {
      help: 'Health of the node: 1 for the current status, 0 for the others. Source: healthStatus (identity, text).',
      labels: ['status'],
    },
    sds_node_disks: {
      help: 'Disks in the enclosure of the node. Source: numDisks (identity, count).',
    },
    sds_node_disks_by_status: {
      help: `Disks in the enclosure of the node, by status. Source: ${Object.keys(DISK_COUNTS).join(', ')} (identity, count).`,
      labels: ['status'],
    },
  },
  errors: {
    sds_node_transaction_errors_ratio: {
      help: 'Share of transactions that failed in the previous interval (0 to 1). Source: transactionErrors.all (traffic, Percent).',
    },
    sds_node_transactions_succeeded: {
      help: 'Transactions that succeeded in the sample. Source: transactionErrors.errorSuccessTotals.successTotal (traffic, count).',
    },
    sds_node_transactions_failed: {
      help: 'Transactions that failed in the sample. Source: transactionErrors.errorSuccessTotals.errorTotal (traffic, count).',
    },
    sds_node_transaction_errors_by_type: {
      help: 'Transactions that failed in the sample, by error category and type. Source: transactionErrors.types.category, transactionErrors.types.errorType, transactionErrors.types.errorCount (traffic, count).',
      labels: ['category', 'error_type'],
    },
    sds_node_transaction_errors_by_type_ratio: {
      help: 'Share of transactions that failed with this error in the previous interval (0 to 1). Source: transactionErrors.types.errorRate (traffic, Percent).',
      labels: ['category', 'error_type'],
    },
  },
  forecasts: {
    sds_node_capacity_forecast_seconds: {
      help: 'Time from now until used capacity reaches the target, extrapolated from the given days of history; 0 means reached. Source: allocatedCapacityForecast.forecast (capacityForecast, day).',
      labels: ['history_days', 'target_percent'],
    },
    sds_node_capacity_forecast_available: {
      help: '1 when the storage system could make the forecast, 0 when it answered N/A (usage falls, or too little history). Source: allocatedCapacityForecast.forecast (capacityForecast, text).',
      labels: ['history_days', 'target_percent'],
    },
  },
  /** Families that only the Flux API has. */
  query: {
    sds_node_transaction_latency_seconds: {
      help: 'Latency of object reads (time to the first byte) and writes (time to the last byte) since the start of the process; there is no sum. Source: statDataHead_performance_internal_latency of the Flux API (traffic, ms).',
      type: 'histogram',
      labels: ['operation'],
    },
    sds_node_nic_interface_received_bytes_per_second: {
      help: 'Data received per second through a network interface; a VLAN is counted in its parent, too. Source: net.bytes_recv of the Flux API (health, Bytes).',
      labels: ['interface'],
    },
    sds_node_nic_interface_transmitted_bytes_per_second: {
      help: 'Data transmitted per second through a network interface; a VLAN is counted in its parent, too. Source: net.bytes_sent of the Flux API (health, Bytes).',
      labels: ['interface'],
    },
  },
  age: {
    sds_node_sample_timestamp_seconds: {
      help: 'Time of the newest sample of a category, in seconds since the epoch, by the clock of the storage system. Source: t (any category, seconds).',
      labels: ['category'],
    },
  },
} as const satisfies Readonly<Record<string, FamiliesOfNode>>

function familiesOf(rows: FamiliesOfNode): NodeFamily[] {
  return Object.entries(rows).map(([name, row]) => ({
    name,
    labels: [],
    ...row,
    unit: unitOf(name),
  }))
}

function attributeFamily(row: AttributeFamily): NodeFamily {
  return {
    name: row.family,
    help: `${row.help} Source: ${Object.keys(row.attributes).join(', ')} (${row.category}, ${row.unit}).`,
    labels: Object.keys(Object.values(row.attributes)[0] ?? {}),
    unit: unitOf(row.family),
  }
}

const { identity, errors, forecasts, query, age } = OTHER_FAMILIES

/** Every metric family of nodes, in the order in which they are exposed. */
export const NODE_FAMILIES: readonly NodeFamily[] = [
  ...familiesOf(identity),
  ...ATTRIBUTE_FAMILIES.map(attributeFamily),
  ...familiesOf({ ...errors, ...forecasts, ...query, ...age }),
]

/** The metric families that a history can have: systems keep no past of health, disks and forecasts. */
export const HISTORY_FAMILIES: readonly NodeFamily[] = [
  ...ATTRIBUTE_FAMILIES.filter((row) => row.currentOnly !== true).map((row) =>
    attributeFamily({ ...row, ...row.history }),
  ),
  ...familiesOf({ ...errors, ...query }),
]

/** The families of {@link HISTORY_FAMILIES} that only the Flux API has the past of. */
export const QUERY_HISTORY_FAMILIES = familiesOf({ ...errors, ...query }).filter(
  ({ name, unit }) => name in query || unit !== 'ratio',
)

export type NodeFamilyName = KeysOfUnion<Families | ValuesOfUnion<typeof OTHER_FAMILIES>>
/** Histograms, which have the series of their buckets only. */
export type NodeHistogramName = {
  [Name in keyof typeof query]: (typeof query)[Name] extends { readonly type: 'histogram' } ? Name : never
}[keyof typeof query]
