import type { AttributeName, DiskCount, HealthState } from '../../../catalogue.ts'
import { SECONDS_PER_DAY } from '../../../time_units.ts'
import { oncePerKey } from '../../../values/memo.ts'
import {
  type Amounts,
  amountOf,
  bytesIn,
  createAmounts,
  errorsIn,
  failedIn,
  isRate,
  RATES,
  succeededIn,
} from '../../model/activity.ts'
import { GAUGES } from '../../model/attribute_values.ts'
import { diskCounts, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { sum } from '../../model/random.ts'
import { alertCount, SEVERITIES } from '../../model/system/alerts.ts'
import { namespacesOf } from '../../model/system/namespaces.ts'
import { systemValues } from '../../model/system/pool_values.ts'
import { nodesAt } from '../../model/topology.ts'
import {
  DIRECTIONS,
  type Direction,
  ERROR_CODES,
  PROTOCOLS,
  PURPOSES,
  type Purpose,
} from '../../model/traffic.ts'
import { latencyCounts } from '../points/counters.ts'
import { LATENCY_BOUNDS, LATENCY_IDS, latencyQuantile } from '../points/latency_histogram.ts'
import { type Bucket, type FieldSeries, pointsBetween, type Source } from '../points/series.ts'

/** The limit of real systems for series of namespaces. */
const MAX_NAMESPACES = 25

/**
 * `monitoring_vdc`: values of the whole system in windows of five minutes. The time of a point is the start of its
 * window: the newest one is five to ten minutes old.
 */
export const MONITORING_VDC: Bucket = {
  retentionSeconds: 60 * SECONDS_PER_DAY,
  delaySeconds: STATISTICS_INTERVAL_SECONDS + 5,
  series: vdcSeries,
}

type Tags = Readonly<Record<string, string>>
type Amount = (amounts: Amounts) => number
/** A value at the end of a window, or a rate in it. */
type Read = (end: number) => number
type Row<Value> = readonly [measurement: string, tags: Tags, fields: Readonly<Record<string, Value>>]

function* vdcSeries(source: Source): Iterable<FieldSeries> {
  const nodes = source.model.pools.flatMap((pool) => pool.nodes)
  const amountsUntil = createAmounts(source.model, nodes, STATISTICS_INTERVAL_SECONDS)
  for (const [name, tags, fields] of performanceRows(source)) {
    for (const [field, amount] of Object.entries(fields)) {
      const inWindow = (end: number) => amount(amountsUntil(end))
      const perSecond = (end: number) => inWindow(end) / STATISTICS_INTERVAL_SECONDS
      yield seriesOf(`cq_performance_${name}`, field, tags, perSecond)
      yield seriesOf(`cq_performance_${name}_delta`, `${field}_i`, tags, inWindow)
    }
  }
  const readers = readersOf(source, amountsUntil)
  for (const [measurement, tags, fields] of [...performanceGauges(readers), ...systemGauges(readers)])
    for (const [field, valueAt] of Object.entries(fields)) yield seriesOf(measurement, field, tags, valueAt)
}

/** @param valueAt from the end of the window */
function seriesOf(_measurement: string, _field: string, tags: Tags, valueAt: Read) {
  const type = _field.endsWith('_i') ? 'long' : 'double'
  const timeOf = (k: number) => k * STATISTICS_INTERVAL_SECONDS
  const columns = { _field, _measurement, ...tags }
  return { columns, type, points: pointsBetween(timeOf, (k) => valueAt(timeOf(k + 1)), type) } as const
}

const transactionFields = (succeeded: Amount, failed: Amount) => {
  return { succeed_request_counter: succeeded, failed_request_counter: failed }
}
const errorFields = (head = '') => {
  return { user_errors: errorsIn('User', head), system_errors: errorsIn('System', head) }
}
const [reads, writes] = [amountOf('readCount'), amountOf('writeCount')]
const failedReads = (amounts: Amounts) =>
  Math.floor((failedIn(amounts) * reads(amounts)) / Math.max(1, reads(amounts) + writes(amounts)))
const failedWrites = (amounts: Amounts) => failedIn(amounts) - failedReads(amounts)

/** Amounts in a window. Reads and writes fail alike, and the transactions of namespaces are in proportion to their data. */
function performanceRows({ model }: Source): Row<Amount>[] {
  const transactions = transactionFields(succeededIn, failedIn)
  const methodRow = (method: string, all: Amount, failed: Amount): Row<Amount> => {
    const fields = transactionFields((amounts) => all(amounts) - failed(amounts), failed)
    return ['transaction_method', { method }, fields]
  }
  const partOf = (part: number) => (amount: Amount) => (amounts: Amounts) => amount(amounts) * part
  const sizes = {
    total_read_requests_size: bytesIn('readSize'),
    total_write_requests_size: bytesIn('writeSize'),
  }
  return [
    ['transaction', {}, transactions],
    methodRow('READ', reads, failedReads),
    methodRow('WRITE', writes, failedWrites),
    ...namespacesOf(model)
      .slice(0, MAX_NAMESPACES)
      .flatMap(({ name: namespace, part }): Row<Amount>[] => [
        ['transaction_ns', { namespace }, mapValues(transactions, partOf(part))],
        ['error_ns', { namespace }, mapValues(errorFields(), partOf(part))],
      ]),
    ['error', {}, errorFields()],
    ...PROTOCOLS.map((head): Row<Amount> => ['error_head', { head }, errorFields(head)]),
    ...ERROR_CODES.map((code): Row<Amount> => ['error_code', { code }, { error_counter: amountOf(code) }]),
    ['throughput', {}, sizes],
  ]
}

const DISK_FIELDS: Readonly<Record<string, Purpose>> = {
  consistency_checker: 'Cc',
  erasure_encoding: 'Ec',
  geo: 'Geo',
  hardware_recovery: 'Recovery',
  user_traffic: 'User',
  xor: 'Xor',
}

type Readers = ReturnType<typeof readersOf>

function readersOf({ model }: Source, amountsUntil: (t: number) => Amounts) {
  const nodes = (t: number) => model.pools.flatMap((pool) => nodesAt(pool, t))
  const states = (t: number) => nodes(t).map((node) => model.stateOf(node, t))
  const total =
    (of: (state: NodeState) => number): Read =>
    (t) =>
      sum(states(t).map(of))
  const countsUntil = oncePerKey((t: number) => latencyCounts(states(t)))
  return {
    total,
    mean: (name: AttributeName): Read =>
      isRate(name)
        ? (t) => RATES[name](amountsUntil(t), STATISTICS_INTERVAL_SECONDS, nodes(t))
        : (t) => total(GAUGES[name])(t) / nodes(t).length,
    perSecond: (amount: Amount, perNode = false): Read => {
      return (t) => amount(amountsUntil(t)) / STATISTICS_INTERVAL_SECONDS / (perNode ? nodes(t).length : 1)
    },
    quantile: (operation: number, part: number): Read => {
      return (t) => latencyQuantile(countsUntil(t), operation * LATENCY_BOUNDS.length, part)
    },
    systemValue: (name: string): Read => {
      return (t) => systemValues(model, t)[name] ?? 0
    },
    alerts: (severity: (typeof SEVERITIES)[number]): Read => {
      return (t) => alertCount(model, t, severity)
    },
  }
}

function performanceGauges({ quantile, perSecond, mean }: Readers): Row<Read>[] {
  const diskFields = (direction: Direction) => ({
    total: perSecond(bytesIn(...PURPOSES.map((purpose) => `${direction}${purpose}` as const))),
    ...mapValues(DISK_FIELDS, (purpose) => perSecond(bytesIn(`${direction}${purpose}`))),
  })
  const health = {
    cpu_used: mean('nodeCpuUtilization'),
    mem_used: mean('nodeMemoryUtilizationBytes'),
    mem_used_percent: mean('nodeMemoryUtilization'),
    nic_bytes: perSecond(bytesIn('received', 'transmitted'), true),
    nic_utilization: mean('nodeNicUtilization'),
  }
  return [
    ...LATENCY_IDS.map((id, operation): Row<Read> => {
      const fields = { p50: quantile(operation, 0.5), p99: quantile(operation, 0.99) }
      return ['cq_performance_latency', { id }, fields]
    }),
    ...DIRECTIONS.map((type_op): Row<Read> => ['cq_disk_bandwidth', { type_op }, diskFields(type_op)]),
    ['cq_process_health', {}, health],
  ]
}

const CAPACITY_FIELDS: Readonly<Record<string, keyof typeof GAUGES>> = {
  total_i: 'diskSpaceTotal',
  used: 'diskSpaceAllocated',
  available: 'diskSpaceFree',
  reserved: 'diskSpaceReserved',
  offline: 'diskSpaceOfflineTotal',
}
const GARBAGE_FIELDS: Readonly<Record<string, string>> = {
  user_gc_pending: 'gcUserPending',
  user_gc_unreclaim: 'gcUserUnreclaimable',
  user_gc_reclaimed: 'gcUserReclaimed',
  system_gc_pending: 'gcSystemPending',
  system_gc_unreclaim: 'gcSystemUnreclaimable',
  system_gc_reclaimed: 'gcSystemReclaimed',
}
const CODING_FIELDS: Readonly<Record<string, string>> = {
  total_coded_data: 'chunksEcCodedTotalSealSize',
  total_coding_data: 'chunksEcApplicableTotalSealSize',
}
const NODE_FIELDS: Readonly<Record<string, HealthState>> = {
  good_nodes: 'Good',
  bad_nodes: 'Bad',
  maintenance_nodes: 'Maintenance',
}
const DISK_COUNT_FIELDS: Readonly<Record<string, DiskCount>> = {
  good_disks: 'numGoodDisks',
  bad_disks: 'numBadDisks',
  maintenance_disks: 'numMaintenanceDisks',
}

function systemGauges({ total, systemValue, alerts }: Readers): Row<Read>[] {
  const nodesWith = (health: HealthState) => total(({ effects }) => (effects.health === health ? 1 : 0))
  const disks = (name: DiskCount) => total((state) => diskCounts(state)[name])
  return [
    ['cq_capacity_vdc', {}, mapValues(CAPACITY_FIELDS, (name) => total(GAUGES[name]))],
    ['cq_capacity_ec', {}, mapValues(CODING_FIELDS, systemValue)],
    ['cq_capacity_ec_rate', {}, { coding_rate: systemValue('chunksEcRate') }],
    ['cq_recover_status_summary', {}, { data_to_recover: systemValue('recoveryBadChunksTotalSize') }],
    ['cq_gc_data', {}, mapValues(GARBAGE_FIELDS, systemValue)],
    ['cq_hardware_health_nodes_counter', {}, mapValues(NODE_FIELDS, nodesWith)],
    ['cq_hardware_health_disks_counter', {}, mapValues(DISK_COUNT_FIELDS, disks)],
    ['cq_alerts', {}, Object.fromEntries(SEVERITIES.map((one) => [`Unack${one}`, alerts(one)]))],
  ]
}

function mapValues<A, B>(fields: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, map(value)]))
}
