import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { gauge, stat } from '../../grafana/stat.ts'
import { promql, select } from '../../promql/expression.ts'
import { sampleAge, usedRatio } from '../../promql/nodes.ts'
import { perNodeAnd, ratio, sum, weightedMean } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { THRESHOLDS } from '../../settings.ts'
import { feedOffers, SEE_OFFERS } from '../common/coverage.ts'
import { node, READ_LATENCY, READS, WRITE_LATENCY, WRITES } from './queries.ts'

const nodesHealthy = stat({
  title: 'Nodes healthy',
  about: [
    'Good nodes relative to all nodes that the pool lists.',
    '100 %.',
    'The timeline below shows which node is not Good and since when.',
  ],
  queries: [
    {
      expr: ratio(
        sum(perNodeAnd('status', select('sds_node_health_status', ...SCOPE.node, 'status="Good"'))),
        promql`count(${node('sds_node_info')})`,
      ),
    },
  ],
  unit: 'percentunit',
  decimals: 0,
  steps: steps(THRESHOLDS.goodNodesRatio),
  width: 4,
})

const spaceUsed = gauge({
  title: 'Space used',
  about: [
    'Allocated relative to usable space, summed over the selected nodes before dividing; only nodes that serve both count.',
    'Below the yellow mark.',
    'Compare the nodes under “Space used by node”; plan with the capacity page.',
  ],
  queries: [{ expr: usedRatio(sum, SCOPE.node) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  width: 4,
})

const free = stat({
  title: 'Free on good disks',
  about: [
    'Free usable space on Good disks, without the reserve, summed over the selected nodes.',
    'Enough for the rebuild of the largest node and the growth until new disks arrive.',
    'A fall without more data means disks that went bad: see the disks page.',
  ],
  queries: [{ expr: sum(node('sds_node_disk_space_free_bytes')) }],
  unit: 'bytes',
  width: 4,
})

const transactions = stat({
  title: 'Transactions per second',
  about: [
    'Read and write transactions per second over the selected nodes, with their course.',
    'The rhythm of the day.',
    'Zero with clients at work means that they do not reach the system; empty where the system does not serve transactions.',
  ],
  queries: [
    { expr: sum(READS), legend: 'Reads' },
    { expr: sum(WRITES), legend: 'Writes' },
  ],
  unit: 'reqps',
  sparkline: true,
  noValue: SEE_OFFERS,
  width: 6,
})

const meanLatency = stat({
  title: 'Mean latency',
  about: [
    'Mean time of a transaction over the selected nodes, each node weighted by its transactions: what clients see.',
    'Below the yellow mark, without transactions no figure.',
    'One red node in “Read latency by node” is a sick node; all nodes slow together is load, network or background work.',
  ],
  queries: [
    { expr: weightedMean(READ_LATENCY, READS, sum), legend: 'Read' },
    { expr: weightedMean(WRITE_LATENCY, WRITES, sum), legend: 'Write' },
  ],
  unit: 's',
  steps: steps(THRESHOLDS.latencySeconds),
  noValue: SEE_OFFERS,
  width: 6,
})

const dataAge = stat({
  title: 'Data age',
  about: [
    "Age of the newest sample of the node that is furthest behind, by the storage system's clock.",
    'Up to two intervals of the storage system, ten minutes.',
    'The exporter page tells whether polls fail or whether the system answers with old samples; in the latter case its own collector stands still.',
  ],
  queries: [{ expr: sampleAge([], SCOPE.node) }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.sampleAgeSeconds),
  width: 4,
})

export const poolNow: readonly SizedPanel[] = [
  nodesHealthy,
  spaceUsed,
  free,
  transactions,
  meanLatency,
  dataAge,
  feedOffers(['capacity', 'resources', 'transactions', 'errors'], 20),
]
