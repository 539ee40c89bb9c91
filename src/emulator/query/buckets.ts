import { BYTES_PER_MB } from '../../catalogue.ts'
import { DISK_FIELDS, LATENCY_IDS } from '../../query_catalogue.ts'
import { MS_PER_SECOND, SECONDS_PER_DAY } from '../../time_units.ts'
import {
  type Amounts,
  amountOf,
  bytesIn,
  createAmounts,
  errorsIn,
  failedIn,
  latencyIn,
  succeededIn,
  transactionsIn,
} from '../model/activity.ts'
import { GAUGES } from '../model/gauges.ts'
import { type NodeState, STATISTICS_INTERVAL_SECONDS, type StorageModel } from '../model/model.ts'
import { mix, smoothNoise, sum } from '../model/random.ts'
import { cpu, DIRECTIONS, ERROR_CODES, nic, PURPOSES, rounded, trafficOf } from '../model/traffic.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { namespacesOf } from '../resources/namespaces.ts'
import { lagSeconds, replicationGroups, replicationLinks } from '../resources/replication.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { LATENCY_BOUNDS, latencySlot, NETWORK_BYTES } from './counters.ts'
import { type Bucket, type FieldSeries, mainClock, type NodeField, systemSeries } from './series.ts'

type Gauge = (state: NodeState) => number
type Tags = Readonly<Record<string, string>>

const IO_WAIT = 72
const IO_WAIT_SECONDS = 1_800
const system: Gauge = (state) => rounded(cpu(state) * 0.28)
const nice: Gauge = (state) => rounded(cpu(state) * 0.01)
const waiting: Gauge = ({ node, t }) =>
  rounded(0.3 + 0.2 * smoothNoise(mix(node.key, IO_WAIT), t, IO_WAIT_SECONDS))

/** In percent: user, nice and system add up to the value of the dashboard API, all fields to 100. */
const CPU: Readonly<Record<string, Gauge>> = {
  usage_idle: (state) => 100 - cpu(state) - waiting(state),
  usage_iowait: waiting,
  usage_nice: nice,
  usage_system: system,
  usage_user: (state) => cpu(state) - system(state) - nice(state),
}

const total: Gauge = ({ node }) => node.memoryBytes
const used = GAUGES.nodeMemoryUtilizationBytes
const cached: Gauge = (state) => Math.floor((total(state) - used(state)) * 0.6)
const buffered: Gauge = (state) => Math.floor((total(state) - used(state)) * 0.004)
const free: Gauge = (state) => total(state) - used(state) - cached(state) - buffered(state)
const available: Gauge = (state) => free(state) + Math.floor(cached(state) * 0.9)

/** Used, free, buffered and cached add up to the total. */
const MEMORY: Readonly<Record<string, Gauge>> = {
  available,
  available_percent: (state) => (100 * available(state)) / total(state),
  buffered,
  cached,
  free,
  total,
  used,
  used_percent: (state) => (100 * used(state)) / total(state),
}

const hostFields = (measurement: string, gauges: Readonly<Record<string, Gauge>>, tags: Tags): NodeField[] =>
  Object.entries(gauges).map(([field, gauge]) => ({ measurement, field, tags, value: { gauge } }))
const HOST_FIELDS = [
  ...hostFields('cpu', CPU, { cpu: 'cpu-total', tag: 'system' }),
  ...hostFields('mem', MEMORY, { tag: 'system' }),
]

/**
 * Parts of the traffic by interface. `public.data` and `public.repl` are VLANs of `public`, whose counters include
 * them. `private.4` has no parent. So `public` and `private.4` add up to the values of the dashboard API. No source has
 * the names of version 3.
 */
const INTERFACES: Readonly<Record<'v3' | 'v4', Readonly<Record<string, number>>>> = {
  v3: { private: 0.125, public: 0.875 },
  v4: { 'private.4': 0.125, public: 0.875, 'public.data': 0.8, 'public.repl': 0.01 },
}
const BYTES_PER_DROP = 1_400 * BYTES_PER_MB
const BITS_PER_BYTE = 8
const PORTS = 2

/** Counters of an interface, from the bytes that it received and transmitted. */
const NETWORK_COUNTERS: Readonly<Record<string, (received: number, transmitted: number) => number>> = {
  bytes_recv: (received) => received,
  bytes_sent: (_received, transmitted) => transmitted,
  bytes_sum: (received, transmitted) => received + transmitted,
  drop_in: (received) => received / BYTES_PER_DROP,
  drop_out: () => 0,
}

/** Fields of measurement `net`. In version 3 a utilization replaces the speed and `bytes_sum`. */
function networkFields(profile: Profile): NodeField[] {
  const version = PROFILES[profile].flux === 'v4' ? 'v4' : 'v3'
  return Object.entries(INTERFACES[version]).flatMap(([name, part]) => {
    const row = (field: string, value: NodeField['value']): NodeField => {
      return { measurement: 'net', field, tags: { interface: name, tag: 'system' }, value }
    }
    const utilization: Gauge = (state) => {
      const { received, transmitted } = nic(trafficOf(state))
      return (100 * (received + transmitted) * part * PORTS) / state.node.nicCapacity
    }
    /** Mbit/s: the interfaces of both ports have the capacity of the node. */
    const speed: Gauge = ({ node }) => (node.nicCapacity * BITS_PER_BYTE) / PORTS
    const counters = Object.entries(NETWORK_COUNTERS).map(([field, count]) =>
      row(field, {
        counter: (totals) => {
          const [received = 0, transmitted = 0] = NETWORK_BYTES.map((slot) => totals[slot])
          return count(Math.floor(received * part), Math.floor(transmitted * part))
        },
      }),
    )
    if (version === 'v4') return [...counters, row('speed', { gauge: speed })]
    const ofVersion3 = counters.filter(({ field }) => field !== 'bytes_sum')
    return [...ofVersion3, row('utilization', { gauge: utilization })]
  })
}

const TABLES = { _measurement: 'dtquery_dt_status', process: 'dtquery', tag: 'dt' } as const
const TABLES_PER_NODE = 384
const TABLES_DELAY_SECONDS = 57

/** Directory tables: values of the whole system, without `host` and `node_id`. Faults make tables unready. */
function directoryTables({ model, settings }: ResourceRequest): FieldSeries[] {
  const total = TABLES_PER_NODE * sum(model.pools.map(({ nodes }) => nodes.length))
  const unready = Number(settings['unready-tables'] ?? 0)
  const counts = { total, unready, unknown: 0, RIS_failure: 0, dump_failure: 0 }
  return Object.entries(counts).map(([_field, count]) =>
    systemSeries({ _field, ...TABLES }, () => count, { delaySeconds: TABLES_DELAY_SECONDS }),
  )
}

const INTERNAL = 'statDataHead_performance_internal'
const DATA_HEAD = { process: 'statDataHead', tag: 'dashboard' } as const
/** Services with disk I/O, and their part of it. No source has the list of real systems. */
const IO_SERVICES = [
  { service: 'blob', process: 'blobsvc', part: 0.75 },
  { service: 'cm', process: 'cm', part: 0.25 },
] as const

const MAIN_FIELDS: readonly NodeField[] = [
  ...counters('transactions', { succeed_request_counter: succeededIn, failed_request_counter: failedIn }),
  ...counters('throughput', {
    total_read_requests_size: bytesIn('readSize'),
    total_write_requests_size: bytesIn('writeSize'),
  }),
  ...counters('error', { user_errors: errorsIn('User'), system_errors: errorsIn('System') }),
  ...ERROR_CODES.flatMap((code) => counters('error_code', { error_counter: amountOf(code) }, { code })),
  ...Object.values(LATENCY_IDS).flatMap((id, operation) => {
    const read = (index: number) => (totals: Amounts) => totals[latencySlot(operation, index)] ?? 0
    const bounds = LATENCY_BOUNDS.map((bound, index) => [bound, read(index)])
    return counters('latency', Object.fromEntries(bounds), { id })
  }),
  ...IO_SERVICES.flatMap(({ service, process, part }) =>
    DIRECTIONS.flatMap((direction) =>
      PURPOSES.map((purpose, index) => {
        const bytes = bytesIn(`${direction}${purpose}`)
        const counter = (totals: Amounts) => bytes(totals) * part
        return {
          measurement: `${service}_IO_Statistics_data_${direction}`,
          // In the same order as the purposes.
          field: DISK_FIELDS[direction][index] ?? '',
          tags: { ...DATA_HEAD, process },
          value: { counter },
        }
      }),
    ),
  ),
]

function counters(
  measurement: string,
  fields: Readonly<Record<string, (totals: Amounts) => number>>,
  tags: Tags = {},
): NodeField[] {
  return Object.entries(fields).map(([field, read]) => {
    // A series of errors exists from the first error on.
    const isRare = /error|failed/.test(field)
    const counter = (totals: Amounts) => read(totals) || (isRare ? undefined : 0)
    return {
      measurement: `${INTERNAL}_${measurement}`,
      field,
      tags: { ...DATA_HEAD, ...tags },
      value: { counter },
    }
  })
}

const LAG_MEASUREMENT = 'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO'

/** The lag of each replication group in ms, 0 while nothing is pending. */
function replicationLags({ model }: ResourceRequest): FieldSeries[] {
  const groups = replicationGroups(model, Number.POSITIVE_INFINITY).filter(({ zones }) => zones > 1)
  return groups.map(({ urn }) => {
    const lag = (end: number) => {
      const links = replicationLinks(model, end).filter(({ group }) => group.urn === urn)
      return lagSeconds(links, end) * MS_PER_SECOND
    }
    const tags = { Replication_Group: urn, process: 'cm', tag: 'dashboard' }
    return systemSeries({ _field: 'RPO_Lag_Millis', _measurement: LAG_MEASUREMENT, ...tags }, lag)
  })
}

type Amount = (amounts: Amounts) => number
type VdcRow = readonly [measurement: string, tags: Tags, fields: Readonly<Record<string, Amount>>]

/** The limit of real systems for series of namespaces. */
const MAX_NAMESPACES = 25
const QUANTILES = { p50: 0.5, p99: 0.99 } as const

/**
 * Values of the whole system in windows of five minutes, as far as other clients than the exporter read them. The time
 * of a point is the start of its window: the newest one is five to ten minutes old.
 */
function vdcSeries({ model }: ResourceRequest): FieldSeries[] {
  const nodes = model.pools.flatMap((pool) => pool.nodes)
  const amountsUntil = createAmounts(model, nodes, STATISTICS_INTERVAL_SECONDS)
  return vdcRows(model).flatMap(([measurement, tags, fields]) =>
    Object.entries(fields).map(([_field, value]) =>
      systemSeries(
        { _field, _measurement: `cq_performance_${measurement}`, ...tags },
        (start) => value(amountsUntil(start + STATISTICS_INTERVAL_SECONDS)),
        { type: 'double' },
      ),
    ),
  )
}

/** Amounts of a window as a rate per second. */
const perSecond = (amount: Amount, part = 1): Amount => {
  return (amounts) => (amount(amounts) * part) / STATISTICS_INTERVAL_SECONDS
}
const transactionFields = (succeeded: Amount, failed: Amount, part = 1) => {
  return {
    succeed_request_counter: perSecond(succeeded, part),
    failed_request_counter: perSecond(failed, part),
  }
}
const errorFields = (head = '', part = 1) => {
  return {
    user_errors: perSecond(errorsIn('User', head), part),
    system_errors: perSecond(errorsIn('System', head), part),
  }
}

/** Reads and writes fail alike, transactions of namespaces are in proportion to their data, latencies exponential. */
function vdcRows(model: StorageModel): VdcRow[] {
  const methodRow = (method: string, count: Amount): VdcRow => {
    const failed: Amount = (all) => (failedIn(all) * count(all)) / Math.max(1, transactionsIn(all))
    return [
      'transaction_method',
      { method },
      transactionFields((amounts) => count(amounts) - failed(amounts), failed),
    ]
  }
  const latencyRow = (direction: 'read' | 'write'): VdcRow => {
    const mean = latencyIn(direction)
    const quantiles = Object.entries(QUANTILES).map(([name, part]) => {
      return [name, (amounts: Amounts) => -Math.log(1 - part) * mean(amounts)]
    })
    return ['latency', { id: LATENCY_IDS[direction] }, Object.fromEntries(quantiles)]
  }
  const namespaces = namespacesOf(model).slice(0, MAX_NAMESPACES)
  return [
    ['transaction', {}, transactionFields(succeededIn, failedIn)],
    methodRow('READ', amountOf('readCount')),
    methodRow('WRITE', amountOf('writeCount')),
    ...namespaces.flatMap(({ name: namespace, part }): VdcRow[] => [
      ['transaction_ns', { namespace }, transactionFields(succeededIn, failedIn, part)],
      ['error_ns', { namespace }, errorFields('', part)],
    ]),
    ['error', {}, errorFields()],
    ...['S3', 'ATMOS'].map((head): VdcRow => ['error_head', { head }, errorFields(head)]),
    [
      'throughput',
      {},
      {
        total_read_requests_size: perSecond(bytesIn('readSize')),
        total_write_requests_size: perSecond(bytesIn('writeSize')),
      },
    ],
    ...DIRECTIONS.map(latencyRow),
  ]
}

/** The exporter reads all but `monitoring_vdc`, which other clients read. */
export const BUCKETS: ReadonlyMap<string, Bucket> = new Map<string, Bucket>([
  /** Gauges of the operating system of every node, and counters of its network interfaces. */
  [
    'monitoring_op',
    {
      retentionSeconds: 5 * SECONDS_PER_DAY,
      delaySeconds: 30,
      fields: ({ profile }) => [...HOST_FIELDS, ...networkFields(profile)],
      series: directoryTables,
    },
  ],
  /** Cumulative counters of every node since the start of its processes. */
  [
    'monitoring_main',
    { retentionSeconds: 60 * SECONDS_PER_DAY, delaySeconds: 30, clock: mainClock, fields: () => MAIN_FIELDS },
  ],
  ['monitoring_last', { retentionSeconds: SECONDS_PER_DAY, delaySeconds: 30, series: replicationLags }],
  [
    'monitoring_vdc',
    {
      retentionSeconds: 60 * SECONDS_PER_DAY,
      delaySeconds: STATISTICS_INTERVAL_SECONDS + 5,
      series: vdcSeries,
    },
  ],
])
