import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { gauge, stat } from '../../grafana/stat.ts'
import { promql, select } from '../../promql/expression.ts'
import { latencyQuantile } from '../../promql/latency.ts'
import { sampleAge, usedRatio } from '../../promql/nodes.ts'
import { perNodeAnd, ratio, sum, weightedMean } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { MEASURES, THRESHOLDS } from '../../settings.ts'
import { NO_DATA, servedAttributes } from '../common/served_attributes.ts'
import { node, READ_MEAN, READS, WRITE_MEAN, WRITES } from './queries.ts'

const nodesHealthy = stat({
  title: 'Nodes healthy',
  about: [
    'Good nodes relative to all nodes of the pool.',
    '100 %.',
    '“Node health” shows which node is not Good and since when.',
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
    'Below the warning threshold.',
    'Compare the nodes under “Space used by node”. Plan with the capacity dashboard.',
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
    'Enough for the rebuild of the largest node and the growth until new disks are delivered.',
    'A decrease without more data means that disks became Bad: see the disks dashboard.',
  ],
  queries: [{ expr: sum(node('sds_node_disk_space_free_bytes')) }],
  unit: 'bytes',
  width: 4,
})

const transactions = stat({
  title: 'Transactions per second',
  about: [
    'Read and write transactions per second over the selected nodes.',
    'Follows the daily load.',
    'Zero while clients send requests means that the requests do not reach the system. Empty where the system does not serve transactions.',
  ],
  queries: [
    { expr: sum(READS), legend: 'Reads' },
    { expr: sum(WRITES), legend: 'Writes' },
  ],
  unit: 'reqps',
  sparkline: true,
  noValue: NO_DATA,
  width: 6,
})

const PERCENT = MEASURES.latencyQuantile * 100

const latency = stat({
  title: 'Latency',
  about: [
    `Mean time of a transaction over the selected nodes, weighted by their transactions. p${PERCENT} is the quantile ${MEASURES.latencyQuantile} of the requests of 15 minutes, of systems that do not serve means.`,
    'Below the warning threshold. No value where there are no transactions.',
    'One slow node in “Read latency by node” is a faulty node. All nodes slow together is load, network or background work.',
  ],
  queries: [
    { expr: weightedMean(READ_MEAN, READS, sum), legend: 'Read mean' },
    { expr: weightedMean(WRITE_MEAN, WRITES, sum), legend: 'Write mean' },
    { expr: latencyQuantile(MEASURES.latencyQuantile, [], 'read', SCOPE.node), legend: `Read p${PERCENT}` },
    { expr: latencyQuantile(MEASURES.latencyQuantile, [], 'write', SCOPE.node), legend: `Write p${PERCENT}` },
  ],
  unit: 's',
  steps: steps(THRESHOLDS.latencySeconds),
  noValue: NO_DATA,
  width: 6,
})

const dataAge = stat({
  title: 'Data age',
  about: [
    "Age of the newest sample of the node that is furthest behind, by the storage system's clock.",
    'Up to ten minutes; up to 12 minutes for samples of the query interface.',
    'The exporter dashboard shows whether polls fail or whether the system responds with old samples. In the second case its collector has stopped.',
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
  latency,
  dataAge,
  servedAttributes(['capacity', 'resources', 'transactions', 'errors'], 20),
]
