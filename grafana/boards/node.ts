import type { Board } from '../board.ts'
import { barGauge } from '../panels/bar_gauge.ts'
import {
  DISK_AREAS,
  DISK_COUNTS,
  HEALTH_MAPPINGS,
  PURPOSE_AREAS,
  REACHED_MAPPING,
  YES_NO,
} from '../panels/mappings.ts'
import { steps } from '../panels/spec.ts'
import { gauge, stat } from '../panels/stat.ts'
import { stateTimeline } from '../panels/state_timeline.ts'
import { table } from '../panels/table.ts'
import { dashed, timeSeries } from '../panels/timeseries.ts'
import { age, by, healthCode, perNode, select, usedRatio } from '../promql.ts'
import { DISK_COLORS, GRAFANA, THRESHOLDS } from '../settings.ts'
import { feedOffers, SEE_OFFERS } from './coverage.ts'

/** The page shows one node, so one series; `max` drops the labels and the second exporter of a pair. */
const one = (metric: string): string => `max(${select(metric, 'node')})`
const oneEach = (label: string, metric: string): string => by('max', [label], select(metric, 'node'))

const health = stat({
  title: 'Health',
  about: [
    'The current health of the node.',
    'Good, or Maintenance while somebody works on it.',
    'Bad: replace or repair it soon, its data is rebuilt elsewhere. Not accessible: power, network, then console. Suspect: watch it and look at its disks.',
  ],
  queries: [{ expr: healthCode([], 'node') }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  background: true,
  width: 4,
})

const disksByState = barGauge({
  title: 'Disks by state',
  about: [
    'Disks in the enclosure of the node, by state.',
    'All Good.',
    'Ready to replace means that the disk may be pulled now; Bad means that its data is still being rebuilt.',
  ],
  queries: Object.keys(DISK_COLORS).map((status) => ({
    expr: `max(${select('sds_node_disks_by_status', 'node', `status="${status}"`)})`,
    legend: status,
  })),
  unit: 'none',
  min: 0,
  overrides: DISK_COUNTS,
  width: 6,
  height: 4,
})

const spaceUsed = gauge({
  title: 'Space used',
  about: [
    'Allocated relative to usable space of the node.',
    'About that of the other nodes of its pool.',
    'Far above its siblings: see the pool page. All of them full: order disks.',
  ],
  queries: [{ expr: usedRatio((vector) => `max(${vector})`, 'node') }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  width: 4,
})

const cpuNow = stat({
  title: 'CPU',
  about: [
    'Share of CPU time in use, over all cores.',
    'Below the yellow mark.',
    'Compare with its siblings on the pool page: alone it is this node, together it is the load.',
  ],
  queries: [{ expr: one('sds_node_cpu_utilization_ratio') }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.cpuRatio),
  noValue: SEE_OFFERS,
  width: 3,
})

const memoryNow = stat({
  title: 'Memory',
  about: [
    'Memory in use without buffers and cache, relative to all memory.',
    'High and steady; storage services keep much in memory.',
    'A slow climb over days is a leak: plan a restart of the node with the support of the vendor.',
  ],
  queries: [{ expr: one('sds_node_memory_utilization_ratio') }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.memoryRatio),
  noValue: SEE_OFFERS,
  width: 3,
})

const nicNow = stat({
  title: 'Network use',
  about: [
    'Use of the network interfaces relative to their capacity, each direction.',
    'Below the yellow mark.',
    'Compare with its siblings; a ratio that doubles at equal traffic is a link that failed.',
  ],
  queries: [
    { expr: one('sds_node_nic_received_utilization_ratio'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_utilization_ratio'), legend: 'Transmitted' },
  ],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.nicRatio),
  noValue: SEE_OFFERS,
  width: 4,
})

const sampleAges = stat({
  title: 'Sample age by category',
  about: [
    'Age of the newest sample of each category of attributes that the node serves.',
    'Up to two intervals of the storage system, ten minutes.',
    'One category alone: that collector of the node stands still. All: see whether the exporter polls.',
  ],
  queries: [{ expr: age(oneEach('category', 'sds_node_sample_timestamp_seconds')), legend: '{{category}}' }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.sampleAgeSeconds),
  width: 8,
})

const healthOverTime = stateTimeline({
  title: 'Health over time',
  about: [
    'The health of the node. A gap is time without data.',
    'Green throughout.',
    'Many short changes are a node that flaps: look for a bad link or power supply.',
  ],
  queries: [{ expr: healthCode(['node'], 'node'), legend: '{{node}}' }],
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

const readsWrites = (reads: string, writes: string) => [
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
      expr: `quantile(0.5, ${perNode('sds_node_transaction_read_latency_seconds', 'pool')})`,
      legend: 'Read, pool median',
    },
    {
      expr: `quantile(0.5, ${perNode('sds_node_transaction_write_latency_seconds', 'pool')})`,
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
      expr: by('max', forecastKey, select('sds_node_capacity_forecast_available', 'node')),
      unit: 'none',
      mappings: YES_NO,
    },
    {
      title: 'Time until target',
      expr: by('min', forecastKey, select('sds_node_capacity_forecast_seconds', 'node')),
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

export const node: Board = {
  name: 'node',
  title: 'Storage / Node',
  question: 'What is happening on this node? Causes next to symptoms.',
  variables: ['datasource', 'job', 'oneSystem', 'onePool', 'oneNode'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Now',
      tiles: [
        health,
        disksByState,
        spaceUsed,
        cpuNow,
        memoryNow,
        nicNow,
        sampleAges,
        feedOffers(['resources', 'transactions', 'errors', 'diskTraffic'], 16),
      ],
    },
    { title: 'Health', tiles: [healthOverTime, disksOverTime] },
    { title: 'Service: rate, errors, duration', tiles: [transactions, latency, bandwidth, failed] },
    {
      title: 'Resources: use and saturation',
      tiles: [cpuAndMemory, memory, network, diskTraffic('read'), diskTraffic('write')],
    },
    { title: 'Capacity', collapsed: true, tiles: [space, forecasts] },
  ],
}
