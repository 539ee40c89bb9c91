import type { AttributeName, HealthState } from '../../../catalogue.ts'
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
import { PURPOSES, type Purpose } from '../../model/disk_io.ts'
import { diskCounts, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { sum } from '../../model/random.ts'
import { alertCount, SEVERITIES } from '../../model/system/alerts.ts'
import { namespacesOf } from '../../model/system/namespaces.ts'
import { systemFigures } from '../../model/system/pool_figures.ts'
import { nodesAt } from '../../model/topology.ts'
import { DIRECTIONS, ERROR_CODES, PROTOCOLS } from '../../model/traffic.ts'
import { latencyCounts } from '../points/counters.ts'
import { LATENCY_BOUNDS, LATENCY_IDS, latencyQuantile } from '../points/latency_histogram.ts'
import { type Bucket, type FieldSeries, pointsBetween, type Source } from '../points/series.ts'

/** The limit of real systems for series of namespaces. */
const MAX_NAMESPACES = 25

/**
 * `monitoring_vdc`: figures of the whole system in windows of five minutes. The time of a point is the start of its
 * window: the newest one is five to ten minutes old.
 */
export const MONITORING_VDC: Bucket = {
  retentionSeconds: 60 * SECONDS_PER_DAY,
  delaySeconds: STATISTICS_INTERVAL_SECONDS + 5,
  series: vdcSeries,
}

type Tags = Readonly<Record<string, string>>
type Amount = (amounts: Amounts) => number
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
  for (const [measurement, tags, fields] of gaugeRows(readersOf(source, amountsUntil)))
    for (const [field, valueAt] of Object.entries(fields)) yield seriesOf(measurement, field, tags, valueAt)
}

/** @param valueAt from the end of the window */
function seriesOf(_measurement: string, _field: string, tags: Tags, valueAt: (end: number) => number) {
  const type = _field.endsWith('_i') ? 'long' : 'double'
  const timeOf = (k: number) => k * STATISTICS_INTERVAL_SECONDS
  const columns = { _field, _measurement, ...tags }
  return { columns, type, points: pointsBetween(timeOf, (k) => valueAt(timeOf(k + 1)), type) } as const
}

const TRANSACTIONS = { succeed_request_counter: succeededIn, failed_request_counter: failedIn }
const ERRORS = { user_errors: errorsIn('User'), system_errors: errorsIn('System') }
const [reads, writes] = [amountOf('readCount'), amountOf('writeCount')]
const failedReads = (amounts: Amounts) =>
  Math.floor((failedIn(amounts) * reads(amounts)) / Math.max(1, reads(amounts) + writes(amounts)))
const failedWrites = (amounts: Amounts) => failedIn(amounts) - failedReads(amounts)
const METHODS = Object.entries({ READ: [reads, failedReads], WRITE: [writes, failedWrites] } as const)

/** Amounts in a window. Reads and writes fail alike, and the transactions of namespaces are in proportion to their data. */
function performanceRows({ model }: Source): Row<Amount>[] {
  const methods = METHODS.map(([method, [all, failed]]) => {
    const succeeded: Amount = (amounts) => all(amounts) - failed(amounts)
    const fields = { succeed_request_counter: succeeded, failed_request_counter: failed }
    return ['transaction_method', { method }, fields] as const
  })
  const namespaces = namespacesOf(model).slice(0, MAX_NAMESPACES)
  return [
    ['transaction', {}, TRANSACTIONS],
    ...methods,
    ...namespaces.flatMap(({ name: namespace, part }): Row<Amount>[] => [
      ['transaction_ns', { namespace }, parts(TRANSACTIONS, part)],
      ['error_ns', { namespace }, parts(ERRORS, part)],
    ]),
    ['error', {}, ERRORS],
    ...PROTOCOLS.map((head) => {
      const ofHead = { user_errors: errorsIn('User', head), system_errors: errorsIn('System', head) }
      return ['error_head', { head }, ofHead] as const
    }),
    ...ERROR_CODES.map((code) => ['error_code', { code }, { error_counter: amountOf(code) }] as const),
    [
      'throughput',
      {},
      { total_read_requests_size: bytesIn('readSize'), total_write_requests_size: bytesIn('writeSize') },
    ],
  ]
}

function parts(fields: Readonly<Record<string, Amount>>, part: number): Record<string, Amount> {
  const entries = Object.entries(fields).map(([field, amount]): [string, Amount] => {
    return [field, (amounts) => amount(amounts) * part]
  })
  return Object.fromEntries(entries)
}

const DISK_FIELDS: Readonly<Record<string, Purpose>> = {
  consistency_checker: 'Cc',
  erasure_encoding: 'Ec',
  geo: 'Geo',
  hardware_recovery: 'Recovery',
  user_traffic: 'User',
  xor: 'Xor',
}

type Read = (end: number) => number

/** Values at the end of a window, or rates in it. */
function gaugeRows(readers: Readers): Row<Read>[] {
  return [...performanceGauges(readers), ...capacityGauges(readers), ...healthGauges(readers)]
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
    figure: (name: string): Read => {
      return (t) => systemFigures(model, t)[name] ?? 0
    },
    alerts: (severity: (typeof SEVERITIES)[number]): Read => {
      return (t) => alertCount(model, t, severity)
    },
  }
}

function performanceGauges({ quantile, perSecond, mean }: Readers): Row<Read>[] {
  const disk = DIRECTIONS.map((direction) => {
    const all = PURPOSES.map((purpose) => `${direction}${purpose}` as const)
    const fields = Object.entries(DISK_FIELDS).map(
      ([field, purpose]) => [field, perSecond(bytesIn(`${direction}${purpose}`))] as const,
    )
    return [
      'cq_disk_bandwidth',
      { type_op: direction },
      { total: perSecond(bytesIn(...all)), ...Object.fromEntries(fields) },
    ] as const
  })
  const health = {
    cpu_used: mean('nodeCpuUtilization'),
    mem_used: mean('nodeMemoryUtilizationBytes'),
    mem_used_percent: mean('nodeMemoryUtilization'),
    nic_bytes: perSecond(bytesIn('received', 'transmitted'), true),
    nic_utilization: mean('nodeNicUtilization'),
  }
  return [
    ...LATENCY_IDS.map((id, operation) => {
      const fields = { p50: quantile(operation, 0.5), p99: quantile(operation, 0.99) }
      return ['cq_performance_latency', { id }, fields] as const
    }),
    ...disk,
    ['cq_process_health', {}, health],
  ]
}

function capacityGauges({ total, figure }: Readers): Row<Read>[] {
  const capacity = {
    total_i: total(GAUGES.diskSpaceTotal),
    used: total(GAUGES.diskSpaceAllocated),
    available: total(GAUGES.diskSpaceFree),
    reserved: total(GAUGES.diskSpaceReserved),
    offline: total(GAUGES.diskSpaceOfflineTotal),
  }
  const coding = {
    total_coded_data: figure('chunksEcCodedTotalSealSize'),
    total_coding_data: figure('chunksEcApplicableTotalSealSize'),
  }
  const garbage = ['User', 'System'].flatMap((scope) =>
    Object.entries({ gc_pending: 'Pending', gc_unreclaim: 'Unreclaimable', gc_reclaimed: 'Reclaimed' }).map(
      ([field, kind]) => [`${scope.toLowerCase()}_${field}`, figure(`gc${scope}${kind}`)] as const,
    ),
  )
  return [
    ['cq_capacity_vdc', {}, capacity],
    ['cq_capacity_ec', {}, coding],
    ['cq_capacity_ec_rate', {}, { coding_rate: figure('chunksEcRate') }],
    ['cq_recover_status_summary', {}, { data_to_recover: figure('recoveryBadChunksTotalSize') }],
    ['cq_gc_data', {}, Object.fromEntries(garbage)],
  ]
}

function healthGauges({ total, alerts }: Readers): Row<Read>[] {
  const withHealth = (health: HealthState) => total(({ effects }) => (effects.health === health ? 1 : 0))
  const nodes = {
    good_nodes: withHealth('Good'),
    bad_nodes: withHealth('Bad'),
    maintenance_nodes: withHealth('Maintenance'),
  }
  const disks = {
    good_disks: total((state) => diskCounts(state).numGoodDisks),
    bad_disks: total((state) => diskCounts(state).numBadDisks),
    maintenance_disks: total((state) => diskCounts(state).numMaintenanceDisks),
  }
  const unacknowledged = SEVERITIES.map((severity) => [`Unack${severity}`, alerts(severity)] as const)
  return [
    ['cq_hardware_health_nodes_counter', {}, nodes],
    ['cq_hardware_health_disks_counter', {}, disks],
    ['cq_alerts', {}, Object.fromEntries(unacknowledged)],
  ]
}
