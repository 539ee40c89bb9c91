/**
 * Everything that is known of the Flux API of current systems, as tables: the measurements and fields that it
 * serves, and which attributes of the dashboard API they replace.
 *
 * Query texts, decoding, coverage and the metrics reference are derived from these tables. Sources: ECS and ObjectScale
 * administration guides, "Flux API", and answers of real systems.
 */
import type { AttributeName, PlausibleRange, SourceUnit } from './catalogue.ts'

export const QUERY_PATH = '/flux/api/external/v2/query'

/** Range of every value in an answer: counters have 64 bits. What is calculated from them has the range of its unit. */
export const VALUE_RANGE: PlausibleRange = { max: 2 ** 64 }

interface Measurement {
  readonly bucket: 'monitoring_op' | 'monitoring_main' | 'monitoring_last'
  readonly name: string
  /** Tags that tell series of one node apart, beside its name and id. */
  readonly tags: readonly string[]
  /** What the values of a node are about: those of different subjects do not depend on each other. */
  readonly subject?: string
}

/** A measurement of the service that answers requests for objects. */
const ofDataHead = <const Subject extends string>(name: string, subject: Subject, ...tags: string[]) =>
  ({ bucket: 'monitoring_main', name: `statDataHead_performance_internal_${name}`, tags, subject }) as const

/**
 * Measurements by our name. Values of `monitoring_op` and `monitoring_last` are gauges, but for the counters of the network;
 * those of `monitoring_main` are counters.
 */
export const MEASUREMENTS = {
  cpu: { bucket: 'monitoring_op', name: 'cpu', tags: ['cpu'], subject: 'CPU' },
  memory: { bucket: 'monitoring_op', name: 'mem', tags: [], subject: 'memory' },
  network: { bucket: 'monitoring_op', name: 'net', tags: ['interface'], subject: 'network' },
  transactions: ofDataHead('transactions', 'transactions', 'process'),
  throughput: ofDataHead('throughput', 'throughput', 'process'),
  errors: ofDataHead('error', 'transactions', 'process'),
  errorCodes: ofDataHead('error_code', 'transactions', 'code', 'process'),
  latency: ofDataHead('latency', 'latency', 'id', 'process'),
  directoryTables: { bucket: 'monitoring_op', name: 'dtquery_dt_status', tags: [] },
  replicationLag: {
    bucket: 'monitoring_last',
    name: 'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO',
    tags: ['Replication_Group'],
  },
} as const satisfies Record<string, Measurement>
export type MeasurementName = keyof typeof MEASUREMENTS
type SubjectIn<T> = T extends { readonly subject: infer Name } ? Name : never
/** Measurements without a subject of their own are of disk I/O. */
export type Subject = SubjectIn<(typeof MEASUREMENTS)[MeasurementName]> | 'disk I/O'

/**
 * Disk I/O is in measurements `<service>_IO_Statistics_data_read` and `_data_write`. No list of the services is
 * published, so the fields are selected by name, which is unique.
 */
export const DISK_IO = { bucket: 'monitoring_main', tags: ['process'] } as const

/** Purposes of disk I/O: end of the attribute name, and the text in the field name. */
const PURPOSES = { Ec: 'EC', Cc: 'CC', Recovery: 'RECOVER', Geo: 'GEO', User: 'USER', Xor: 'XOR' } as const
type Purpose = keyof typeof PURPOSES
const PURPOSE_NAMES = Object.keys(PURPOSES) as Purpose[]
const diskField = (direction: 'read' | 'write', purpose: Purpose) => `${direction}_${PURPOSES[purpose]}Total`
const diskFields = (direction: 'read' | 'write') =>
  PURPOSE_NAMES.map((purpose) => diskField(direction, purpose))
export const DISK_FIELDS = { read: diskFields('read'), write: diskFields('write') } as const

export const TRANSACTION_FIELDS = {
  succeeded: 'succeed_request_counter',
  failed: 'failed_request_counter',
} as const
/** Errors of clients and of the system: field by category of `transactionErrors`. */
export const ERROR_FIELDS = { User: 'user_errors', System: 'system_errors' } as const
export const ERROR_CODE_FIELD = 'error_counter'
export const NETWORK_FIELDS = {
  received: 'bytes_recv',
  transmitted: 'bytes_sent',
  /** Mbit/s; served since 4.3. */
  speed: 'speed',
  /** Percent; served by 3.x instead of the speed. */
  utilization: 'utilization',
} as const

/** Tag `id` of the latency histograms: time to the first byte of reads, and to the last byte of writes. */
export const LATENCY_IDS = { read: 'ttfb_read', write: 'ttlb_write' } as const
export type LatencyOperation = keyof typeof LATENCY_IDS
/** Fields of a latency histogram are upper bounds in milliseconds. This last one counts all requests. */
export const LATENCY_TOTAL = '+Inf'

/** How an attribute is calculated. `fields` are added up; a rate also adds up the series of all services. */
export type QuerySource = { readonly unit: SourceUnit } & (
  | { readonly kind: 'gauge'; readonly measurement: MeasurementName; readonly fields: readonly string[] }
  | {
      readonly kind: 'rate'
      readonly measurement?: MeasurementName
      readonly fields: readonly string[]
      readonly tags?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'network'
      readonly directions: readonly ('received' | 'transmitted')[]
      readonly of: 'bandwidth' | 'utilization'
    }
)

type Rate = Extract<QuerySource, { readonly kind: 'rate' }>
const gauge = (measurement: MeasurementName, unit: SourceUnit, ...fields: readonly string[]): QuerySource => {
  return { kind: 'gauge', measurement, fields, unit }
}
const rate = (
  unit: SourceUnit,
  fields: readonly string[],
  more?: Pick<Rate, 'measurement' | 'tags'>,
): Rate => {
  return { kind: 'rate', fields, unit, ...more }
}
const throughput = (field: string) => rate('B/s', [field], { measurement: 'throughput' })
const transactions = (operation: LatencyOperation) =>
  rate('TPS', [LATENCY_TOTAL], { measurement: 'latency', tags: { id: LATENCY_IDS[operation] } })
const network = (
  of: 'bandwidth' | 'utilization',
  ...directions: readonly ('received' | 'transmitted')[]
): QuerySource => ({ kind: 'network', of, directions, unit: of === 'bandwidth' ? 'B/s' : 'Percent' })
const disk = (...fields: readonly string[]) => rate('B/s', fields)
const purposes = <const Prefix extends string>(direction: 'read' | 'write', prefix: Prefix) =>
  Object.fromEntries(
    PURPOSE_NAMES.map((purpose) => [`${prefix}${purpose}`, disk(diskField(direction, purpose))]),
  ) as Record<`${Prefix}${Purpose}`, Rate>

/** The attributes of the dashboard API that the Flux API replaces. There is no mean latency. */
export const QUERY_SOURCES = {
  // As in the dashboard API: user, nice and kernel code. 100 - usage_idle also has interrupts and waiting for I/O.
  nodeCpuUtilization: gauge('cpu', 'Percent', 'usage_user', 'usage_nice', 'usage_system'),
  nodeMemoryUtilizationBytes: gauge('memory', 'Bytes', 'used'),
  nodeMemoryUtilization: gauge('memory', 'Percent', 'used_percent'),
  nodeNicBandwidth: network('bandwidth', 'received', 'transmitted'),
  nodeNicReceivedBandwidth: network('bandwidth', 'received'),
  nodeNicTransmittedBandwidth: network('bandwidth', 'transmitted'),
  nodeNicUtilization: network('utilization', 'received', 'transmitted'),
  nodeNicReceivedUtilization: network('utilization', 'received'),
  nodeNicTransmittedUtilization: network('utilization', 'transmitted'),
  transactionReadBandwidth: throughput('total_read_requests_size'),
  transactionWriteBandwidth: throughput('total_write_requests_size'),
  transactionReadTransactionsPerSec: transactions('read'),
  transactionWriteTransactionsPerSec: transactions('write'),
  diskReadBandwidthTotal: disk(...DISK_FIELDS.read),
  diskWriteBandwidthTotal: disk(...DISK_FIELDS.write),
  ...purposes('read', 'diskReadBandwidth'),
  ...purposes('write', 'diskWriteBandwidth'),
} as const satisfies Partial<Record<AttributeName, QuerySource>>

export type QueryAttributeName = keyof typeof QUERY_SOURCES

export const QUERY_ATTRIBUTES = Object.entries<QuerySource>(QUERY_SOURCES).map(([name, source]) => ({
  name: name as QueryAttributeName,
  source,
}))
