import { heatmap } from '../../grafana/heatmap.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { topNodes } from '../../promql/nodes.ts'
import { nodeLatency } from '../common/node_latency.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { latencyOf, type Operation } from './queries.ts'

export const topLatency = (operation: Operation): SizedPanel =>
  nodeLatency(
    {
      title: `Top $topn nodes by ${operation} latency`,
      about: [
        `Mean time of a ${operation} transaction on the nodes that were slowest in the last three hours of the time range.`,
        'The slowest nodes are only slightly slower than the others.',
        'Click the line of the slowest node to open it.',
      ],
      width: 12,
    },
    {
      expr: topNodes(`sds_node_transaction_${operation}_latency_seconds`),
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
