import {
  DISK_AREAS,
  HEALTH_MAPPINGS,
  PURPOSE_AREAS,
  REACHED_MAPPING,
  YES_NO,
} from '../../grafana/mappings.ts'
import type { Tile } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { stateTimeline } from '../../grafana/state_timeline.ts'
import { table } from '../../grafana/table.ts'
import { dashed, timeSeries } from '../../grafana/timeseries.ts'
import { promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { healthCode } from '../../promql/nodes.ts'
import { by, perNode } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { THRESHOLDS } from '../../settings.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { one, oneEach } from './one_node.ts'

const healthOverTime = stateTimeline({
  title: 'Health over time',
  about: [
    'The health of the node. A gap is time without data.',
    'Green throughout.',
    'Many short changes are a node that flaps: look for a bad link or power supply.',
  ],
  queries: [{ expr: healthCode(['node'], SCOPE.node), legend: '{{node}}' }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  width: 12,
})

const disksOverTime = timeSeries({
  title: 'Disks by state over time',
  about: [
    'Disks of the node by state, stacked to all that are counted.',
    'One flat area of Good disks.',
    'A disk that turned Bad and later Ready to replace has been rebuilt; one that stays Bad has not.',
  ],
  queries: [{ expr: oneEach('status', 'sds_node_disks_by_status'), legend: '{{status}}' }],
  unit: 'none',
  min: 0,
  stacked: true,
  stepped: true,
  overrides: DISK_AREAS,
  width: 12,
})

const readsWrites = (reads: MetricName, writes: MetricName) => [
  { expr: one(reads), legend: 'Reads' },
  { expr: one(writes), legend: 'Writes' },
]

const transactions = timeSeries({
  title: 'Transactions per second',
  about: [
    'Read and write transactions that clients ask of the node.',
    'The rhythm of the day, about that of its siblings.',
    'Far less than its siblings: the load balancer avoids the node, or it is slow.',
  ],
  queries: readsWrites('sds_node_transaction_reads_per_second', 'sds_node_transaction_writes_per_second'),
  unit: 'reqps',
  min: 0,
  noValue: SEE_OFFERS,
  width: 12,
})

const latency = timeSeries({
  title: 'Latency against the pool median',
  about: [
    'Mean time of transactions on the node, and as dashed lines the medians of the nodes of its pool.',
    'Each line close to its dashed one.',
    'Above the median while the others are well: the node is sick, look at its disks, CPU and network below.',
  ],
  queries: [
    { expr: one('sds_node_transaction_read_latency_seconds'), legend: 'Read' },
    { expr: one('sds_node_transaction_write_latency_seconds'), legend: 'Write' },
    {
      expr: promql`quantile(0.5, ${perNode(select('sds_node_transaction_read_latency_seconds', ...SCOPE.pool))})`,
      legend: 'Read, pool median',
    },
    {
      expr: promql`quantile(0.5, ${perNode(select('sds_node_transaction_write_latency_seconds', ...SCOPE.pool))})`,
      legend: 'Write, pool median',
    },
  ],
  unit: 's',
  min: 0,
  steps: steps(THRESHOLDS.latencySeconds),
  limits: true,
  overrides: [dashed('Read, pool median', 'green'), dashed('Write, pool median', 'yellow')],
  noValue: SEE_OFFERS,
  width: 12,
})

const bandwidth = timeSeries({
  title: 'Transaction bandwidth',
  about: [
    'Bytes per second that transactions read from and write to the node.',
    'Moves with the transactions per second.',
    'Bandwidth up and transactions flat means larger objects, which also take longer.',
  ],
  queries: readsWrites(
    'sds_node_transaction_read_bytes_per_second',
    'sds_node_transaction_write_bytes_per_second',
  ),
  unit: 'Bps',
  min: 0,
  noValue: SEE_OFFERS,
  width: 12,
})

const failed = timeSeries({
  title: 'Failed transactions',
  about: [
    "Share of the node's transactions that failed, whosever fault.",
    'Below the dashed marks; some callers always ask for what is not there.',
    'The errors page tells the types, and whether callers or the system are at fault.',
  ],
  queries: [{ expr: one('sds_node_transaction_errors_ratio'), legend: 'Failed' }],
  unit: 'percentunit',
  decimals: 2,
  softMax: THRESHOLDS.errorRatio.critical,
  steps: steps(THRESHOLDS.errorRatio),
  limits: true,
  noValue: SEE_OFFERS,
  width: 12,
})

const cpuAndMemory = timeSeries({
  title: 'CPU and memory',
  about: [
    'Shares of CPU time and of memory in use.',
    'CPU follows the load, memory is steady.',
    'CPU without load is background work, see disk traffic below; memory that climbs for days is a leak.',
  ],
  queries: [
    { expr: one('sds_node_cpu_utilization_ratio'), legend: 'CPU' },
    { expr: one('sds_node_memory_utilization_ratio'), legend: 'Memory' },
  ],
  unit: 'percentunit',
  noValue: SEE_OFFERS,
  width: 8,
})

const memory = timeSeries({
  title: 'Memory used',
  about: [
    'Memory in use without buffers and cache, in bytes.',
    'Steady.',
    'Steps come with restarts of services; a slow climb over days is a leak.',
  ],
  queries: [{ expr: one('sds_node_memory_used_bytes'), legend: 'Used' }],
  unit: 'bytes',
  min: 0,
  noValue: SEE_OFFERS,
  width: 8,
})

const network = timeSeries({
  title: 'Network traffic',
  about: [
    'Bytes per second through the network interfaces of the node.',
    'Client traffic and the copies to other nodes together: more than the transaction bandwidth.',
    'Traffic without transactions is recovery or replication: see disk traffic by activity.',
  ],
  queries: [
    { expr: one('sds_node_nic_received_bytes_per_second'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_bytes_per_second'), legend: 'Transmitted' },
  ],
  unit: 'Bps',
  min: 0,
  noValue: SEE_OFFERS,
  width: 8,
})

const diskTraffic = (direction: 'read' | 'write') =>
  timeSeries({
    title: `Disk ${direction}s by activity`,
    about: [
      `Bytes per second ${direction === 'read' ? 'read from' : 'written to'} the disks of the node, by purpose, stacked to all that has a purpose.`,
      'Mostly user traffic, erasure coding in the background.',
      'A thick red area is recovery after a disk or node failed; it takes bandwidth from users until it ends.',
    ],
    queries: [
      {
        expr: oneEach('purpose', `sds_node_disk_${direction}_purpose_bytes_per_second`),
        legend: '{{purpose}}',
      },
    ],
    unit: 'Bps',
    min: 0,
    stacked: true,
    overrides: PURPOSE_AREAS,
    noValue: SEE_OFFERS,
    width: 12,
  })

const space = timeSeries({
  title: 'Space',
  about: [
    'Usable space of the node: allocated, free and reserved, stacked.',
    'Allocated grows slowly, the sum is flat.',
    'A sum that falls is disks that went bad; one that rises is new disks.',
  ],
  queries: [
    { expr: one('sds_node_disk_space_allocated_bytes'), legend: 'Allocated' },
    { expr: one('sds_node_disk_space_free_bytes'), legend: 'Free' },
    { expr: one('sds_node_disk_space_reserved_bytes'), legend: 'Reserved' },
  ],
  unit: 'bytes',
  min: 0,
  stacked: true,
  width: 12,
})

const forecastKey = ['target_percent', 'history_days'] as const

const forecasts = table({
  title: 'Forecasts',
  about: [
    "The storage system's own forecasts for the node: time until the target is reached, by the days of history that it looked at.",
    'Months, or available “no”, which the system says when usage falls or its history is too short.',
    'Trust a forecast that agrees over several histories; “reached” means that the target is passed.',
  ],
  rows: forecastKey,
  columns: [
    {
      title: 'Available',
      expr: by('max', forecastKey, select('sds_node_capacity_forecast_available', ...SCOPE.node)),
      unit: 'none',
      mappings: YES_NO,
    },
    {
      title: 'Time until target',
      expr: by('min', forecastKey, select('sds_node_capacity_forecast_seconds', ...SCOPE.node)),
      unit: 'dtdurations',
      decimals: 0,
      mappings: [REACHED_MAPPING],
      steps: steps(THRESHOLDS.forecastSeconds),
      cell: 'background',
    },
  ],
  noValue: 'no forecast',
  width: 12,
  height: 8,
})

export const nodeHealth: readonly Tile[] = [healthOverTime, disksOverTime]
export const nodeService: readonly Tile[] = [transactions, latency, bandwidth, failed]
export const nodeResources: readonly Tile[] = [
  cpuAndMemory,
  memory,
  network,
  diskTraffic('read'),
  diskTraffic('write'),
]
export const nodeCapacity: readonly Tile[] = [space, forecasts]
