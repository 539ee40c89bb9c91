import { usedRatio } from '../../promql/nodes.ts'
import { sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { nodesByState } from '../common/nodes_by_state.ts'
import { poolData } from '../common/pool_data.ts'
import { latencyNow, transactionsNow } from '../common/service_now.ts'
import { poolBalance, poolDistribution } from './balance.ts'
import { poolHealth } from './nodes.ts'
import { node } from './queries.ts'

const spaceUsed = stat({
  title: 'Space used',
  shows:
    'Allocated relative to usable space, summed over the selected nodes before dividing; only nodes that serve both count.',
  normal: 'Below the warning threshold.',
  otherwise: 'Compare the nodes under “Top $topn nodes by space used”. Plan with the capacity dashboard.',
  queries: [{ expr: usedRatio(sum, SCOPE.node) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  width: 4,
})

const free = stat({
  title: 'Free',
  shows: 'Free usable space on Good disks, without the reserve, summed over the selected nodes.',
  normal: 'Enough for the rebuild of the largest node and the growth until new disks are delivered.',
  otherwise: 'A decrease without more data means that disks became Bad: see the disks dashboard.',
  queries: [{ expr: sum(node('sds_node_disk_space_free_bytes')) }],
  unit: 'bytes',
  width: 4,
})

const poolNow: readonly SizedPanel[] = [
  poolData(['capacity', 'resources', 'transactions', 'errors']),
  nodesByState(
    SCOPE.node,
    '“Nodes that were not Good” shows which node it is and since when. Bad or Not accessible reduces the protection of the data.',
  ),
  spaceUsed,
  free,
  transactionsNow(5),
  latencyNow(5),
]

export const pool: DashboardSpec = {
  name: 'pool',
  title: 'Storage / Pool',
  question: 'Which node of this pool differs from the others?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Pool now', panels: poolNow },
    { title: 'Health', panels: poolHealth },
    { title: 'Balance', panels: poolBalance },
    { title: 'Distribution', collapsed: true, panels: poolDistribution },
  ],
}
