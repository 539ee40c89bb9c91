import { promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { healthCode, sampleAgeByCategory, usedRatio } from '../../promql/nodes.ts'
import { age, by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import {
  DISK_AREAS,
  DISK_COUNTS,
  HEALTH_MAPPINGS,
  REACHED_MAPPINGS,
  SPACE_AREAS,
  YES_NO,
} from '../../sdk/mappings.ts'
import { type About, type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { DISKS, GRAFANA, THRESHOLDS, type Threshold } from '../../settings.ts'
import { poolData } from '../common/pool_data.ts'
import { one, oneEach } from './queries.ts'
import { nodeResources } from './resources.ts'
import { nodeService } from './service.ts'

const health = stat({
  title: 'Health',
  shows: 'Current health of the node.',
  normal: 'Good, or Maintenance during planned work.',
  otherwise:
    'Bad: repair or replace the node; its data is rebuilt on other nodes. Not accessible: check power, network and console. Suspect: check its disks. “No data”: see “Last listed”.',
  queries: [{ expr: healthCode([], SCOPE.node) }],
  mappings: HEALTH_MAPPINGS,
  width: 4,
})

/** Scrapes of a minute are seen at the latest a minute later. */
const listed = promql`max_over_time(timestamp(${select('sds_node_info', ...SCOPE.node)})[1d:1m])`

const lastListed = stat({
  title: 'Last listed',
  shows: 'Time since the node was last exported, within a day.',
  normal: 'Up to two minutes.',
  otherwise: 'More: the system no longer lists the node, or the pool cannot be polled, see “Data”.',
  queries: [{ expr: age(promql`max(${listed})`) }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.pollAgeSeconds),
  noValue: 'Not within a day',
  width: 5,
})

const disksByState = stat({
  title: 'Disks',
  shows: 'Disks in the enclosure of the node, by state.',
  normal: 'All Good.',
  otherwise: 'Ready to replace: the disk can be removed. Bad: its data is still being rebuilt.',
  queries: Object.keys(DISKS).map((status) => ({
    expr: promql`max(${select('sds_node_disks_by_status', ...SCOPE.node, `status="${status}"`)})`,
    legend: status,
  })),
  overrides: DISK_COUNTS,
  width: 9,
})

const share = (title: string, metric: MetricName, threshold: Threshold, about: About): SizedPanel =>
  stat({
    title,
    ...about,
    queries: [{ expr: one(metric) }],
    unit: 'percentunit',
    steps: steps(threshold),
    width: 4,
  })

const spaceUsed = stat({
  title: 'Space used',
  shows: 'Allocated relative to usable space of the node.',
  normal: 'Similar to the other nodes of its pool.',
  otherwise: 'Far above the other nodes: see the pool dashboard. All nodes full: order disks.',
  queries: [{ expr: usedRatio((vector) => promql`max(${vector})`, SCOPE.node) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  width: 6,
})

const cpuNow = share('CPU', 'sds_node_cpu_utilization_ratio', THRESHOLDS.cpuRatio, {
  shows: 'Share of CPU time in use, over all cores.',
  normal: 'Below the warning threshold.',
  otherwise:
    'Compare with the other nodes on the pool dashboard: high on this node only is a fault of the node, high on all nodes is load.',
})

const memoryNow = share('Memory', 'sds_node_memory_utilization_ratio', THRESHOLDS.memoryRatio, {
  shows: 'Memory in use without buffers and cache, relative to all memory.',
  normal: 'High and constant: storage services cache data in memory.',
  otherwise:
    'A slow increase over days is a leak: plan a restart of the node with the support of the vendor.',
})

const nicNow = stat({
  title: 'Network use',
  shows: 'Use of the network interfaces relative to their capacity, each direction.',
  normal: 'Below the warning threshold.',
  otherwise: 'Compare with the other nodes. A ratio that doubles at equal traffic is a failed link.',
  queries: [
    { expr: one('sds_node_nic_received_utilization_ratio'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_utilization_ratio'), legend: 'Transmitted' },
  ],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.nicRatio),
  width: 6,
})

const sampleAges = stat({
  title: 'Sample age by category',
  shows:
    "Age of the newest sample of each category of attributes that the node serves, by the storage system's clock.",
  normal: 'Up to ten minutes; up to 12 minutes for samples of the Flux API.',
  otherwise:
    'One category only: its collector on the node has stopped. All categories: check whether the exporter polls.',
  queries: [{ expr: sampleAgeByCategory(SCOPE.node), legend: '{{category}}' }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.sampleAgeSeconds),
  width: 10,
})

const nodeNow: readonly SizedPanel[] = [
  poolData(['resources', 'transactions', 'errors', 'diskTraffic']),
  health,
  lastListed,
  disksByState,
  spaceUsed,
  cpuNow,
  memoryNow,
  nicNow,
  sampleAges,
]

const space = timeSeries({
  title: 'Space',
  shows: 'Usable space of the node: allocated, free and reserved, stacked.',
  normal: 'Allocated increases slowly, the sum is constant.',
  otherwise: 'A smaller sum means that disks became Bad, a larger one that disks were added.',
  queries: [
    { expr: one('sds_node_disk_space_allocated_bytes'), legend: 'Allocated' },
    { expr: one('sds_node_disk_space_free_bytes'), legend: 'Free' },
    { expr: one('sds_node_disk_space_reserved_bytes'), legend: 'Reserved' },
  ],
  unit: 'bytes',
  stacked: true,
  overrides: SPACE_AREAS,
  noValue: 'No data: see “Data”',
})

const forecastKey = ['target_percent', 'history_days'] as const

const forecasts = table({
  title: 'Forecasts',
  shows:
    "The storage system's own forecasts for the node: time until the target is reached, by days of history.",
  normal: 'Months, or available “no” when usage decreases or the history is too short.',
  otherwise:
    'A forecast is reliable when several histories agree. “reached” means that the target is passed.',
  rows: forecastKey,
  labelTitles: { target_percent: 'Target', history_days: 'Days' },
  columns: [
    {
      title: 'Available',
      expr: by('max', forecastKey, select('sds_node_capacity_forecast_available', ...SCOPE.node)),
      mappings: YES_NO,
    },
    {
      title: 'Time left',
      expr: by('min', forecastKey, select('sds_node_capacity_forecast_seconds', ...SCOPE.node)),
      unit: 'dtdurations',
      decimals: 0,
      mappings: REACHED_MAPPINGS,
      steps: steps(THRESHOLDS.forecastSeconds),
    },
  ],
  noValue: 'No data: see “Data”',
  width: 12,
})

const healthOverTime = stateTimeline({
  title: 'Health over time',
  shows: 'Health of the node. A gap is time without data.',
  normal: 'Always Good.',
  otherwise: 'Many short changes are a node that flaps: check its network links and power supplies.',
  queries: [{ expr: healthCode(['node'], SCOPE.node), legend: '{{node}}' }],
  mappings: HEALTH_MAPPINGS,
  noValue: 'No data: see “Data”',
  rows: 'one',
  width: 24,
  height: 4,
})

const disksOverTime = timeSeries({
  title: 'Disks by state over time',
  shows: 'Disks of the node by state, stacked.',
  normal: 'A constant number of Good disks.',
  otherwise:
    'A disk that became Bad and later Ready to replace has been rebuilt. A disk that stays Bad has not.',
  queries: [{ expr: oneEach('status', 'sds_node_disks_by_status'), legend: '{{status}}' }],
  stacked: true,
  stepped: true,
  overrides: DISK_AREAS,
  noValue: 'No data: see “Data”',
  width: 24,
})

export const node: DashboardSpec = {
  name: 'node',
  title: 'Storage / Node',
  question: 'What is the state of this node, and what causes it?',
  variables: ['datasource', 'cluster', 'job', 'oneSystem', 'onePool', 'oneNode'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', panels: nodeNow },
    { title: 'Health', panels: [healthOverTime, disksOverTime] },
    { title: 'Service: rate, errors, duration', panels: nodeService },
    { title: 'Resources: use and saturation', panels: nodeResources },
    { title: 'Capacity', collapsed: true, panels: [space, forecasts] },
  ],
}
