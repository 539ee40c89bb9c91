import type { Board } from '../board.ts'
import { barGauge } from '../panels/bar_gauge.ts'
import { heatmap } from '../panels/heatmap.ts'
import { rowToNode, seriesToNode } from '../panels/links.ts'
import { HEALTH_MAPPINGS } from '../panels/mappings.ts'
import { steps } from '../panels/spec.ts'
import { gauge, stat } from '../panels/stat.ts'
import { stateTimeline } from '../panels/state_timeline.ts'
import { table } from '../panels/table.ts'
import { timeSeries } from '../panels/timeseries.ts'
import {
  by,
  healthCode,
  perNode,
  perNodeAnd,
  ratio,
  sampleAge,
  select,
  sum,
  usedRatio,
  weightedMean,
} from '../promql.ts'
import { GRAFANA, NODE_KEY, THRESHOLDS } from '../settings.ts'
import { feedOffers, SEE_OFFERS } from './coverage.ts'

const node = (metric: string): string => perNode(metric, 'node')

const READS = node('sds_node_transaction_reads_per_second')
const WRITES = node('sds_node_transaction_writes_per_second')
const READ_LATENCY = node('sds_node_transaction_read_latency_seconds')
const WRITE_LATENCY = node('sds_node_transaction_write_latency_seconds')
const USED = ratio(node('sds_node_disk_space_allocated_bytes'), node('sds_node_disk_space_total_bytes'))
/** `a or b` would never show b: `or` does not look at metric names. */
const BUSIER_NIC = by(
  'max',
  NODE_KEY,
  select('', 'node', '__name__=~"sds_node_nic_(received|transmitted)_utilization_ratio"'),
)

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
        sum(perNodeAnd('status', 'sds_node_health_status', 'node', 'status="Good"')),
        `count(${node('sds_node_info')})`,
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
    'Allocated relative to usable space, summed over the selected nodes before dividing.',
    'Below the yellow mark.',
    'Compare the nodes under “Space used by node”; plan with the capacity page.',
  ],
  queries: [{ expr: usedRatio(sum, 'node') }],
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
  queries: [{ expr: sampleAge([], 'node') }],
  unit: 's',
  decimals: 0,
  steps: steps(THRESHOLDS.sampleAgeSeconds),
  width: 4,
})

const health = stateTimeline({
  title: 'Node health',
  about: [
    'The health of each node over time. A gap is time without data.',
    'Green throughout; blue while somebody works on a node.',
    'Click a band to open the node. Several nodes that change together share a switch, a rack or a power feed.',
  ],
  queries: [{ expr: healthCode(NODE_KEY, 'node'), legend: '{{node}}' }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  links: [seriesToNode],
  width: 24,
})

const disks = (status: string): string =>
  by('max', NODE_KEY, select('sds_node_disks_by_status', 'node', `status="${status}"`))

const nodes = table({
  title: 'Nodes',
  about: [
    'One row a node: state, disks, space, load and latency next to each other, so that the odd one stands out.',
    'Rows look alike, nothing yellow or red.',
    'Click a node. Empty columns are attributes that the system does not serve: see “Feed offers”.',
  ],
  rows: ['system', 'pool', 'node'],
  columns: [
    {
      title: 'State',
      expr: healthCode(NODE_KEY, 'node'),
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
      expr: sampleAge(NODE_KEY, 'node'),
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

const usedByNode = barGauge({
  title: 'Space used by node',
  about: [
    'Allocated relative to usable space of each node, fullest first.',
    'Nodes of a pool are about equally full; a new node fills up slowly.',
    'One node far above the others gets more new data than it can hold: see “Fullest minus emptiest node” on the capacity page.',
  ],
  queries: [{ expr: `sort_desc(${USED})`, legend: '{{node}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [seriesToNode],
  width: 8,
})

const readLatency = timeSeries({
  title: 'Read latency by node',
  about: [
    'Mean time of a read transaction on each node.',
    'The lines lie close together, below the dashed mark.',
    'One line apart from the bundle is a sick node; the whole bundle rising is load or background work.',
  ],
  queries: [{ expr: READ_LATENCY, legend: '{{node}}' }],
  unit: 's',
  min: 0,
  steps: steps(THRESHOLDS.latencySeconds),
  limits: true,
  many: true,
  noValue: SEE_OFFERS,
  links: [seriesToNode],
  width: 8,
})

const writeLatency = timeSeries({
  title: 'Write latency by node',
  about: [
    'Mean time of a write transaction on each node.',
    'The lines lie close together, below the dashed mark.',
    'As for reads; writes also wait for other nodes, so a sick node slows all of them a little.',
  ],
  queries: [{ expr: WRITE_LATENCY, legend: '{{node}}' }],
  unit: 's',
  min: 0,
  steps: steps(THRESHOLDS.latencySeconds),
  limits: true,
  many: true,
  noValue: SEE_OFFERS,
  links: [seriesToNode],
  width: 8,
})

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

export const pool: Board = {
  name: 'pool',
  title: 'Storage / Pool',
  question: 'Which node of this pool is the odd one out?',
  variables: ['datasource', 'job', 'system', 'pool', 'node'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Pool now',
      tiles: [
        nodesHealthy,
        spaceUsed,
        free,
        transactions,
        meanLatency,
        dataAge,
        feedOffers(['capacity', 'resources', 'transactions', 'errors'], 20),
      ],
    },
    { title: 'Health', tiles: [health, nodes] },
    { title: 'Balance', tiles: [usedByNode, readLatency, writeLatency, cpu, nic] },
    { title: 'Distribution', collapsed: true, tiles: [distribution] },
  ],
}
