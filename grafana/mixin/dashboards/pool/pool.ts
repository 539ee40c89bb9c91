import { nodeHealthBands } from '../../promql/bands.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import { busierNic, healthCode, sampleAge, usedRatio } from '../../promql/nodes.ts'
import { perNode, perNodeAnd, sum, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { rowToNode, seriesToNode } from '../../sdk/links.ts'
import { HEALTH_CELLS, HEALTH_MAPPINGS } from '../../sdk/mappings.ts'
import { from, type SizedPanel, type Step, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { type Column, table } from '../../sdk/table.ts'
import { GRAFANA, LATENCY_THRESHOLDS, NO_DATA_HEALTH, NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { NODE_NAME } from '../common/lines.ts'
import { nodesByState } from '../common/nodes_by_state.ts'
import { poolData } from '../common/pool_data.ts'
import { latencyNow, transactionsNow } from '../common/service_now.ts'
import { node, poolBalance, poolDistribution, USED } from './balance.ts'

const health = stateTimeline({
  title: 'Nodes that were not Good',
  shows:
    'Health of the nodes that were not Good at some time in the time range; those that were worst come first. Bands have steps of five minutes or more, with the worst state of each; a gap is time without data.',
  normal: 'Empty, or blue during planned work.',
  otherwise:
    'Click a band to open the node. Several nodes that change together may share a switch, a rack or a power feed.',
  queries: [{ expr: nodeHealthBands(SCOPE.node), legend: NODE_NAME }],
  mappings: HEALTH_MAPPINGS,
  // Thousands of nodes at every minute take seconds.
  interval: '5m',
  noValue: 'All nodes with data were Good',
  links: [seriesToNode],
  width: 24,
  height: 8,
})

/** Nodes that were listed within a day, and are not now, have the code of no data. */
const state = promql`${healthCode(NODE_KEY, SCOPE.node)}
or
${perNode(promql`last_over_time(${select('sds_node_info', ...SCOPE.node)}[1d])`)} * 0 + ${NO_DATA_HEALTH.code}`

const ratio = (title: string, expr: Expression, marks: readonly Step[], decimals = 1): Column => ({
  title,
  expr,
  unit: 'percentunit',
  decimals,
  steps: marks,
})

const latency = (title: string, operation: Operation): Column => ({
  title,
  expr: nodeLatency(operation, SCOPE.node),
  unit: 's',
  steps: steps(LATENCY_THRESHOLDS[operation]),
  sample: '99.9 ms',
})

const disksToFix = sumBy(
  NODE_KEY,
  perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.node, 'status=~"Bad|ReadyToReplace"')),
)

const nodes = table({
  title: 'Nodes',
  shows:
    "One row for each node that was listed within a day: state, disks that are Bad or ready to replace, space, load, latency (mean or quantile), share of failed transactions, and the age of the newest sample by the storage system's clock. NIC is the busier direction.",
  normal: 'All rows are similar, with no coloured cell.',
  otherwise:
    'Click a node to open it. State “No data”: the system no longer lists the node, or its pool cannot be polled, see “Data”. Columns without values are attributes that the system does not serve.',
  rows: NODE_KEY,
  columns: [
    { title: 'State', expr: state, mappings: HEALTH_CELLS },
    { title: 'Disks', expr: disksToFix, steps: from(1, 'failed') },
    ratio('Used', USED, steps(THRESHOLDS.usedRatio)),
    ratio('CPU', node('sds_node_cpu_utilization_ratio'), steps(THRESHOLDS.cpuRatio)),
    ratio('Memory', node('sds_node_memory_utilization_ratio'), steps(THRESHOLDS.memoryRatio)),
    ratio('NIC', busierNic(SCOPE.node), steps(THRESHOLDS.nicRatio)),
    latency('Read', 'read'),
    latency('Write', 'write'),
    ratio('Failed', node('sds_node_transaction_errors_ratio'), steps(THRESHOLDS.errorRatio), 2),
    {
      title: 'Data age',
      expr: sampleAge(NODE_KEY, SCOPE.node),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.sampleAgeSeconds),
      sample: '59 mins',
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'State',
  noValue: 'No node was reported within a day',
  height: 11,
})

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
    { title: 'Health', panels: [health, nodes] },
    { title: 'Balance', panels: poolBalance },
    { title: 'Distribution', collapsed: true, panels: poolDistribution },
  ],
}
