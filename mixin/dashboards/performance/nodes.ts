import { heatmap } from '../../grafana/heatmap.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { promql } from '../../promql/expression.ts'
import { type Operation, recentNodeLatency } from '../../promql/latency.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LATENCY_MEASURE, latencyByNode } from '../common/node_latency.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { latencyOf } from './queries.ts'

export const topLatency = (operation: Operation): SizedPanel =>
  latencyByNode(
    {
      title: `Top $topn nodes by ${operation} latency`,
      about: [
        `Time of a ${operation} transaction on the nodes that were slowest in the last three hours of the time range: ${LATENCY_MEASURE}`,
        'The slowest nodes are only slightly slower than the others.',
        'Click the line of the slowest node to open it.',
      ],
      width: 12,
    },
    {
      expr: promql`${latencyOf(operation)} and topk($topn, ${recentNodeLatency(operation, SCOPE.node)})`,
      legend: '{{system}} / {{pool}} / {{node}}',
    },
  )

export const spread = heatmap({
  title: 'Read latency spread over nodes',
  about: [
    'Number of nodes by read latency, over time. Useful for about a dozen nodes or more.',
    'One narrow band.',
    'A second band is a group of nodes with a fault, a single point above the band is one node.',
  ],
  queries: [{ expr: latencyOf('read'), legend: '{{system}} / {{pool}} / {{node}}' }],
  unit: 's',
  calculate: true,
  noValue: NO_DATA,
  width: 24,
})
