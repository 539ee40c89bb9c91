import { barGauge } from '../../grafana/bar_gauge.ts'
import { heatmap } from '../../grafana/heatmap.ts'
import { seriesToNode } from '../../grafana/links.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { promql } from '../../promql/expression.ts'
import { THRESHOLDS } from '../../settings.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { nodeLatency } from '../common/node_latency.ts'
import { BUSIER_NIC, node, READ_LATENCY, USED, WRITE_LATENCY } from './queries.ts'

const usedByNode = barGauge({
  title: 'Space used by node',
  about: [
    'Allocated relative to usable space of each node, fullest first.',
    'Nodes of a pool are about equally full; a new node fills up slowly.',
    'One node far above the others gets more new data than it can hold: see “Fullest minus emptiest node” on the capacity page.',
  ],
  queries: [{ expr: promql`sort_desc(${USED})`, legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [seriesToNode],
  width: 8,
})

const readLatency = nodeLatency(
  {
    title: 'Read latency by node',
    about: [
      'Mean time of a read transaction on each node.',
      'The lines lie close together, below the dashed mark.',
      'One line apart from the bundle is a sick node; the whole bundle rising is load or background work.',
    ],
    width: 8,
  },
  { expr: READ_LATENCY, legend: '{{node}}' },
)

const writeLatency = nodeLatency(
  {
    title: 'Write latency by node',
    about: [
      'Mean time of a write transaction on each node.',
      'The lines lie close together, below the dashed mark.',
      'As for reads; writes also wait for other nodes, so a sick node slows all of them a little.',
    ],
    width: 8,
  },
  { expr: WRITE_LATENCY, legend: '{{node}}' },
)

const cpu = timeSeries({
  title: 'CPU by node',
  about: [
    'Share of CPU time in use on each node.',
    'Below the dashed marks and alike on all nodes.',
    'One node alone: look for background work on it or an uneven load balancer.',
  ],
  queries: [{ expr: node('sds_node_cpu_utilization_ratio'), legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.cpuRatio),
  limits: true,
  many: true,
  noValue: SEE_OFFERS,
  links: [seriesToNode],
  width: 12,
})

const nic = timeSeries({
  title: 'NIC use by node, busier direction',
  about: [
    'Use of the network interfaces of each node relative to their capacity, the larger of receiving and transmitting.',
    'Below the dashed marks and alike on all nodes.',
    'One node alone points at the load balancer; a sudden doubling of the ratio at equal traffic at a link that failed.',
  ],
  queries: [{ expr: BUSIER_NIC, legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.nicRatio),
  limits: true,
  many: true,
  noValue: SEE_OFFERS,
  links: [seriesToNode],
  width: 12,
})

const distribution = heatmap({
  title: 'Read latency distribution over nodes',
  about: [
    'How many nodes have which read latency, over time; useful from about a dozen nodes.',
    'One narrow band.',
    'Two bands are two kinds of nodes; a spot above the band is a node to find under “Read latency by node”.',
  ],
  queries: [{ expr: READ_LATENCY, legend: '{{node}}' }],
  unit: 's',
  calculate: true,
  noValue: SEE_OFFERS,
  width: 24,
})

export const poolBalance: readonly SizedPanel[] = [usedByNode, readLatency, writeLatency, cpu, nic]
export const poolDistribution: readonly SizedPanel[] = [distribution]
