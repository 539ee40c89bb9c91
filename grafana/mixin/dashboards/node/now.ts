import { promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { healthCode, sampleAgeByCategory, usedRatio } from '../../promql/nodes.ts'
import { age } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { DISK_COUNTS, HEALTH_MAPPINGS } from '../../sdk/mappings.ts'
import { type About, type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { DISKS, THRESHOLDS, type Threshold } from '../../settings.ts'
import { poolData } from '../common/pool_data.ts'
import { one } from './queries.ts'

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

export const nodeNow: readonly SizedPanel[] = [
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
