import { barGauge } from '../../grafana/bar_gauge.ts'
import { DISK_COUNTS, HEALTH_MAPPINGS } from '../../grafana/mappings.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { gauge, stat } from '../../grafana/stat.ts'
import { promql, select } from '../../promql/expression.ts'
import { healthCode, sampleAgeByCategory, usedRatio } from '../../promql/nodes.ts'
import { SCOPE } from '../../promql/scope.ts'
import { DISK_COLORS, THRESHOLDS } from '../../settings.ts'
import { NO_DATA, servedAttributes } from '../common/served_attributes.ts'
import { one } from './queries.ts'

const health = stat({
  title: 'Health',
  about: [
    'Current health of the node.',
    'Good, or Maintenance during planned work.',
    'Bad: repair or replace the node; its data is rebuilt on other nodes. Not accessible: check power, network and console. Suspect: check its disks.',
  ],
  queries: [{ expr: healthCode([], SCOPE.node) }],
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
    'Ready to replace: the disk can be removed. Bad: its data is still being rebuilt.',
  ],
  queries: Object.keys(DISK_COLORS).map((status) => ({
    expr: promql`max(${select('sds_node_disks_by_status', ...SCOPE.node, `status="${status}"`)})`,
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
    'Similar to the other nodes of its pool.',
    'Far above the other nodes: see the pool dashboard. All nodes full: order disks.',
  ],
  queries: [{ expr: usedRatio((vector) => promql`max(${vector})`, SCOPE.node) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  width: 4,
})

const cpuNow = stat({
  title: 'CPU',
  about: [
    'Share of CPU time in use, over all cores.',
    'Below the warning threshold.',
    'Compare with the other nodes on the pool dashboard: high on this node only is a fault of the node, high on all nodes is load.',
  ],
  queries: [{ expr: one('sds_node_cpu_utilization_ratio') }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.cpuRatio),
  noValue: NO_DATA,
  width: 3,
})

const memoryNow = stat({
  title: 'Memory',
  about: [
    'Memory in use without buffers and cache, relative to all memory.',
    'High and constant: storage services cache data in memory.',
    'A slow increase over days is a leak: plan a restart of the node with the support of the vendor.',
  ],
  queries: [{ expr: one('sds_node_memory_utilization_ratio') }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.memoryRatio),
  noValue: NO_DATA,
  width: 3,
})

const nicNow = stat({
  title: 'Network use',
  about: [
    'Use of the network interfaces relative to their capacity, each direction.',
    'Below the warning threshold.',
    'Compare with the other nodes. A ratio that doubles at equal traffic is a failed link.',
  ],
  queries: [
    { expr: one('sds_node_nic_received_utilization_ratio'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_utilization_ratio'), legend: 'Transmitted' },
  ],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.nicRatio),
  noValue: NO_DATA,
  width: 4,
})

const sampleAges = stat({
  title: 'Sample age by category',
  about: [
    "Age of the newest sample of each category of attributes that the node serves, by the storage system's clock.",
    'Up to ten minutes; up to 12 minutes for samples of the query interface.',
    'One category only: its collector on the node has stopped. All categories: check whether the exporter polls.',
  ],
  queries: [{ expr: sampleAgeByCategory(SCOPE.node), legend: '{{category}}' }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.sampleAgeSeconds),
  width: 8,
})

export const nodeNow: readonly SizedPanel[] = [
  health,
  disksByState,
  spaceUsed,
  cpuNow,
  memoryNow,
  nicNow,
  sampleAges,
  servedAttributes(['resources', 'transactions', 'errors', 'diskTraffic'], 16),
]
