import { rowToNode, seriesToNode } from '../../grafana/links.ts'
import { HEALTH_MAPPINGS } from '../../grafana/mappings.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { steps } from '../../grafana/spec.ts'
import { stateTimeline } from '../../grafana/state_timeline.ts'
import { table } from '../../grafana/table.ts'
import { type Expression, select } from '../../promql/expression.ts'
import { healthCode, sampleAge } from '../../promql/nodes.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { BUSIER_NIC, node, READ_LATENCY, USED } from './queries.ts'

const health = stateTimeline({
  title: 'Node health',
  about: [
    'Health of each node over time. A gap is time without data.',
    'Always green, or blue during planned work.',
    'Click a band to open the node. Several nodes that change together may share a switch, a rack or a power feed.',
  ],
  queries: [{ expr: healthCode(NODE_KEY, SCOPE.node), legend: '{{node}}' }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  links: [seriesToNode],
  width: 24,
})

const disks = (status: string): Expression =>
  by('max', NODE_KEY, select('sds_node_disks_by_status', ...SCOPE.node, `status="${status}"`))

const nodes = table({
  title: 'Nodes',
  about: [
    "One row per node: state, disks, space, load, latency and errors. The age of the data is by the storage system's clock.",
    'All rows are similar, with no yellow or red cell.',
    'Click a node to open it. Empty columns are attributes that the system does not serve: see “Served attributes”.',
  ],
  rows: ['system', 'pool', 'node'],
  columns: [
    {
      title: 'State',
      expr: healthCode(NODE_KEY, SCOPE.node),
      unit: 'none',
      mappings: HEALTH_MAPPINGS,
      cell: 'background',
    },
    {
      title: 'Bad disks',
      expr: disks('Bad'),
      unit: 'none',
      steps: steps(THRESHOLDS.disksNotGood),
      cell: 'text',
    },
    {
      title: 'Replace',
      expr: disks('ReadyToReplace'),
      unit: 'none',
      steps: steps(THRESHOLDS.disksNotGood),
      cell: 'text',
    },
    {
      title: 'Used',
      expr: USED,
      unit: 'percentunit',
      steps: steps(THRESHOLDS.usedRatio),
      cell: 'gauge',
      width: 140,
    },
    {
      title: 'CPU',
      expr: node('sds_node_cpu_utilization_ratio'),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.cpuRatio),
      cell: 'gauge',
      width: 140,
    },
    {
      title: 'Memory',
      expr: node('sds_node_memory_utilization_ratio'),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.memoryRatio),
      cell: 'gauge',
      width: 140,
    },
    {
      title: 'NIC, busier direction',
      expr: BUSIER_NIC,
      unit: 'percentunit',
      steps: steps(THRESHOLDS.nicRatio),
      cell: 'gauge',
      width: 140,
    },
    {
      title: 'Read latency',
      expr: READ_LATENCY,
      unit: 's',
      steps: steps(THRESHOLDS.latencySeconds),
      cell: 'text',
    },
    {
      title: 'Failed',
      expr: node('sds_node_transaction_errors_ratio'),
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
      cell: 'text',
    },
    {
      title: 'Data age',
      expr: sampleAge(NODE_KEY, SCOPE.node),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.sampleAgeSeconds),
      cell: 'text',
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'State',
  width: 24,
})

export const poolHealth: readonly SizedPanel[] = [health, nodes]
