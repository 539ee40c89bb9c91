import { type Expression, promql, select } from '../../promql/expression.ts'
import { nodeLatency } from '../../promql/latency.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { perNode, ratio } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { heatmap } from '../../sdk/heatmap.ts'
import { rowToNode } from '../../sdk/links.ts'
import { barSteps, lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { LATENCY_MEASURE, topNodeLatency } from '../common/latency.ts'
import { NODE_NAME, topNodes } from '../common/lines.ts'
import { NO_DATA, NO_RECORDED_DATA } from '../common/pool_data.ts'

export const node = (metric: MetricName): Expression => perNode(select(metric, ...SCOPE.node))

export const USED = ratio(
  node('sds_node_disk_space_allocated_bytes'),
  node('sds_node_disk_space_total_bytes'),
)

const usedByNode = table({
  title: 'Top $topn nodes by space used',
  shows: 'Allocated relative to usable space of the fullest nodes.',
  normal: 'Similar on all nodes of a pool. A new node fills slowly.',
  otherwise: 'One node far above the others: see “Fullest minus emptiest node” on the capacity dashboard.',
  rows: NODE_KEY,
  columns: [
    {
      title: 'Used',
      expr: promql`topk($topn, ${USED})`,
      unit: 'percentunit',
      steps: barSteps(THRESHOLDS.usedRatio),
      bar: true,
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Used',
  noValue: 'No data: see “Data”',
})

const transactions = topNodes({
  title: 'Top $topn nodes by transactions',
  shows:
    'Reads and writes per second of the nodes with the most transactions in the last three hours of the time range.',
  normal: 'Similar on all nodes of a pool.',
  otherwise: 'One node far above the others: the load balancer is uneven.',
  expr: recorded(RECORDED.nodeTransactions, SCOPE.node),
  unit: 'reqps',
  noValue: NO_RECORDED_DATA,
})

const cpu = topNodes({
  title: 'Top $topn nodes by CPU',
  shows:
    'Share of CPU time in use on the nodes where it was highest in the last three hours of the time range.',
  normal: 'Below the dashed thresholds and similar on all nodes.',
  otherwise: 'One node only: check for background work on it, or an uneven load balancer.',
  expr: node('sds_node_cpu_utilization_ratio'),
  unit: 'percentunit',
  steps: lineSteps(THRESHOLDS.cpuRatio),
  limits: true,
  noValue: NO_DATA,
})

const nic = topNodes({
  title: 'Top $topn nodes by NIC use',
  shows:
    'Use of the network interfaces relative to their capacity, the larger of receiving and transmitting, on the nodes where it was highest in the last three hours of the time range.',
  normal: 'Below the dashed thresholds and similar on all nodes.',
  otherwise:
    'One node only points to the load balancer. A ratio that doubles at equal traffic is a failed link.',
  expr: recorded(RECORDED.nodeBusierNic, SCOPE.node),
  unit: 'percentunit',
  steps: lineSteps(THRESHOLDS.nicRatio),
  limits: true,
  noValue: NO_RECORDED_DATA,
})

const distribution = heatmap({
  title: 'Read latency of all nodes',
  shows: `Number of nodes by the time of a read transaction, over time: ${LATENCY_MEASURE} Useful for about a dozen nodes or more.`,
  normal: 'One narrow band.',
  otherwise:
    'Two bands are two types of nodes. A point above the band is one node: find it under “Top $topn nodes by read latency”.',
  queries: [{ expr: nodeLatency('read', SCOPE.node), legend: NODE_NAME }],
  unit: 's',
  calculate: true,
  // Grafana gets each node at each point.
  interval: '10m',
  noValue: NO_DATA,
  width: 24,
})

export const poolBalance: readonly SizedPanel[] = [
  usedByNode,
  transactions,
  topNodeLatency('read'),
  topNodeLatency('write'),
  cpu,
  nic,
]
export const poolDistribution: readonly SizedPanel[] = [distribution]
