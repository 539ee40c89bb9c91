import { barGauge } from '../../grafana/bar_gauge.ts'
import { heatmap } from '../../grafana/heatmap.ts'
import { seriesToNode } from '../../grafana/links.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { promql } from '../../promql/expression.ts'
import { THRESHOLDS } from '../../settings.ts'
import { LATENCY_MEASURE, latencyByNode } from '../common/node_latency.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { BUSIER_NIC, node, READ_LATENCY, USED, WRITE_LATENCY } from './queries.ts'

const usedByNode = barGauge({
  title: 'Space used by node',
  about: [
    'Allocated relative to usable space of each node, fullest first.',
    'Similar on all nodes of a pool. A new node fills slowly.',
    'One node far above the others: see “Fullest minus emptiest node” on the capacity dashboard.',
  ],
  queries: [{ expr: promql`sort_desc(${USED})`, legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [seriesToNode],
  width: 8,
})

const readLatency = latencyByNode(
  {
    title: 'Read latency by node',
    about: [
      `Time of a read transaction on each node: ${LATENCY_MEASURE}`,
      'All lines are similar and below the dashed thresholds.',
      'One line far from the others is a faulty node. All lines rising together is load or background work.',
    ],
    width: 8,
  },
  { expr: READ_LATENCY, legend: '{{node}}' },
)

const writeLatency = latencyByNode(
  {
    title: 'Write latency by node',
    about: [
      `Time of a write transaction on each node: ${LATENCY_MEASURE}`,
      'All lines are similar and below the dashed thresholds.',
      'As for reads. Writes also wait for other nodes, so one faulty node makes all nodes slightly slower.',
    ],
    width: 8,
  },
  { expr: WRITE_LATENCY, legend: '{{node}}' },
)

const cpu = timeSeries({
  title: 'CPU by node',
  about: [
    'Share of CPU time in use on each node.',
    'Below the dashed thresholds and similar on all nodes.',
    'One node only: check for background work on it, or an uneven load balancer.',
  ],
  queries: [{ expr: node('sds_node_cpu_utilization_ratio'), legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.cpuRatio),
  limits: true,
  many: true,
  noValue: NO_DATA,
  links: [seriesToNode],
  width: 12,
})

const nic = timeSeries({
  title: 'NIC use by node, busier direction',
  about: [
    'Use of the network interfaces of each node relative to their capacity, the larger of receiving and transmitting.',
    'Below the dashed thresholds and similar on all nodes.',
    'One node only points to the load balancer. A ratio that doubles at equal traffic is a failed link.',
  ],
  queries: [{ expr: BUSIER_NIC, legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.nicRatio),
  limits: true,
  many: true,
  noValue: NO_DATA,
  links: [seriesToNode],
  width: 12,
})

const distribution = heatmap({
  title: 'Read latency distribution over nodes',
  about: [
    'Number of nodes by read latency, over time. Useful for about a dozen nodes or more.',
    'One narrow band.',
    'Two bands are two types of nodes. A point above the band is one node: find it under “Read latency by node”.',
  ],
  queries: [{ expr: READ_LATENCY, legend: '{{node}}' }],
  unit: 's',
  calculate: true,
  noValue: NO_DATA,
  width: 24,
})

export const poolBalance: readonly SizedPanel[] = [usedByNode, readLatency, writeLatency, cpu, nic]
export const poolDistribution: readonly SizedPanel[] = [distribution]
