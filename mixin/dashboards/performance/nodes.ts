import { heatmap } from '../../grafana/heatmap.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { topNodes } from '../../promql/nodes.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { nodeLatency } from '../common/node_latency.ts'
import { latencyOf, type Operation } from './queries.ts'

export const topLatency = (operation: Operation): SizedPanel =>
  nodeLatency(
    {
      title: `Top $topn nodes by ${operation} latency`,
      about: [
        `Mean time of a ${operation} transaction on the nodes that were slowest in the last three hours of the range; the choice is the same along the whole axis.`,
        'The slowest are little slower than the rest.',
        'Click the line that stands out to open its node.',
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
    'How many nodes have which read latency, over time; useful from about a dozen nodes.',
    'One narrow band.',
    'A second band or a spot above it is a group of nodes or a node with a problem of its own.',
  ],
  queries: [{ expr: latencyOf('read'), legend: '{{system}} / {{pool}} / {{node}}' }],
  unit: 's',
  calculate: true,
  noValue: SEE_OFFERS,
  width: 24,
})
