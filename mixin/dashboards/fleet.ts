import type { Board } from '../grafana/board.ts'
import type { Row } from '../grafana/layout.ts'
import { rowToNode, rowToPool, seriesToPool, toPage } from '../grafana/links.ts'
import { HEALTH_COUNTS, HEALTH_MAPPINGS, REACHED_MAPPING } from '../grafana/mappings.ts'
import { steps, type Tile, ZERO_IS_GOOD } from '../grafana/spec.ts'
import { gauge, stat } from '../grafana/stat.ts'
import { stateTimeline } from '../grafana/state_timeline.ts'
import { table } from '../grafana/table.ts'
import { timeSeries } from '../grafana/timeseries.ts'
import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import { healthCode, perForecast, sampleAge, usedRatio } from '../promql/nodes.ts'
import { by, perNode, perNodeAnd, perSystem, sum, sumBy, sumByPool } from '../promql/operators.ts'
import { firingAlerts, SCOPE } from '../promql/scope.ts'
import { GRAFANA, HEALTH, LIMITS, POOL_KEY, THRESHOLDS } from '../settings.ts'

/** What a person has to do something about; disks in maintenance are in somebody's hands. */
const DISKS_TO_FIX = 'status=~"Bad|ReadyToReplace"'

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`

const systemsDown = stat({
  title: 'Systems not answering',
  about: [
    'Systems that no exporter could reach with its last request.',
    '0. No figure at all means that no exporter reports: look at the exporter page.',
    'Open the exporter page: reachability over time, the reasons of failed polls and the answers by status tell network, certificate and login faults apart.',
  ],
  queries: [{ expr: sum(promql`1 - ${perSystem(select('sds_system_up', ...SCOPE.system))}`) }],
  unit: 'none',
  steps: ZERO_IS_GOOD,
  links: [toPage('Exporter', 'exporter')],
  width: 4,
})

const HEALTH_STATES = Object.keys(HEALTH)
const inState = (matcher: Matcher): Expression =>
  perNodeAnd('status', select('sds_node_health_status', ...SCOPE.system, matcher))

/** A query a state, so that each keeps its place; one that nobody knows comes last. */
const nodesByState = stat({
  title: 'Nodes by state',
  about: [
    'Nodes of all selected systems, by their current health.',
    'All are Good; some in Maintenance while somebody works on them.',
    'Bad or Not accessible reduces the protection of the data: find the pool in the table below. Suspect often comes before Bad.',
  ],
  queries: [
    ...HEALTH_STATES.map((status) => ({ expr: sum(inState(`status="${status}"`)), legend: status })),
    { expr: sumBy(['status'], inState(`status!~"${HEALTH_STATES.join('|')}"`)), legend: '{{status}}' },
  ],
  unit: 'none',
  overrides: HEALTH_COUNTS,
  links: [toPage('Pool', 'pool')],
  width: 8,
})

const disksToFix = stat({
  title: 'Disks needing attention',
  about: [
    'Disks that are Bad or ready to be replaced, over all selected systems.',
    '0, or a few in a large fleet: disks fail, and the system rebuilds what was on them.',
    'The disks page lists the enclosures to walk to.',
  ],
  queries: [
    { expr: sum(perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, DISKS_TO_FIX))) },
  ],
  unit: 'none',
  steps: steps(THRESHOLDS.disksNotGood),
  links: [toPage('Disks', 'disks')],
  width: 3,
})

const spaceUsed = gauge({
  title: 'Fleet space used',
  about: [
    'Allocated relative to usable space, summed over all selected systems before dividing; only nodes that serve both count.',
    'Below the yellow mark.',
    'A fleet average hides a full pool: sort the table below by “Used”, then plan with the capacity page.',
  ],
  queries: [{ expr: usedRatio(sum, SCOPE.system) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [toPage('Capacity', 'capacity')],
  width: 3,
})

const soonestForecast = stat({
  title: `Time to ${LIMITS.forecastTargetPercent} % full`,
  about: [
    "The shortest of the storage systems' own forecasts, over all nodes: time until this share of the space is used.",
    'Months, or “no forecast”, which is what a system says when usage falls or its history is too short.',
    'The capacity page shows which pool it is and whether the trend is real; 0 means that the mark is reached.',
  ],
  queries: [
    {
      expr: promql`min(${perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.system, TARGET))})`,
    },
  ],
  unit: 'dtdurations',
  decimals: 0,
  mappings: [REACHED_MAPPING],
  steps: steps(THRESHOLDS.forecastSeconds),
  noValue: 'no forecast',
  links: [toPage('Capacity', 'capacity')],
  width: 3,
})

const alertCounts = stat({
  title: 'Firing alerts',
  about: [
    'Alerts of this product that fire now, by severity, of the selected systems and of the exporters themselves.',
    '0 and 0. Prometheus must have loaded the rules: without them it also says 0.',
    'The table “Alerts firing now” names them; each alert has a runbook.',
  ],
  queries: ['critical', 'warning'].map((severity) => ({
    expr: promql`count(${firingAlerts(`severity="${severity}"`)}) or vector(0)`,
    legend: severity,
  })),
  unit: 'none',
  steps: ZERO_IS_GOOD,
  width: 3,
})

const pools = table({
  title: 'Pools',
  about: [
    "One row a pool: its worst node, its size, what is to repair, how full it is, how slow, and how old the data is by the storage system's clock. Latency and errors are those of the worst node.",
    'Worst state Good, data younger than ten minutes, nothing yellow or red.',
    'Click a pool to see which of its nodes it is. Empty cells under latency and errors: the system does not serve transactions, or had none.',
  ],
  rows: ['system', 'pool'],
  columns: [
    {
      title: 'Worst state',
      expr: healthCode(POOL_KEY, SCOPE.system),
      unit: 'none',
      mappings: HEALTH_MAPPINGS,
      cell: 'background',
    },
    {
      title: 'Nodes',
      expr: by('count', POOL_KEY, perNode(select('sds_node_info', ...SCOPE.system))),
      unit: 'none',
    },
    {
      title: 'Disks to fix',
      expr: sumByPool(
        perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, DISKS_TO_FIX)),
      ),
      unit: 'none',
      steps: steps(THRESHOLDS.disksNotGood),
      cell: 'text',
    },
    {
      title: 'Used',
      expr: usedRatio(sumByPool, SCOPE.system),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.usedRatio),
      cell: 'gauge',
      width: 220,
    },
    {
      title: 'Free',
      expr: sumByPool(perNode(select('sds_node_disk_space_free_bytes', ...SCOPE.system))),
      unit: 'bytes',
    },
    {
      title: `To ${LIMITS.forecastTargetPercent} %`,
      expr: by(
        'min',
        POOL_KEY,
        perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.system, TARGET)),
      ),
      unit: 'dtdurations',
      decimals: 0,
      mappings: [REACHED_MAPPING],
      steps: steps(THRESHOLDS.forecastSeconds),
      cell: 'text',
    },
    {
      title: 'Worst read latency',
      expr: by(
        'max',
        POOL_KEY,
        perNode(select('sds_node_transaction_read_latency_seconds', ...SCOPE.system)),
      ),
      unit: 's',
      steps: steps(THRESHOLDS.latencySeconds),
      cell: 'text',
    },
    {
      title: 'Worst error ratio',
      expr: by('max', POOL_KEY, perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.system))),
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
      cell: 'text',
    },
    {
      title: 'Data age',
      expr: sampleAge(POOL_KEY, SCOPE.system),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.sampleAgeSeconds),
      cell: 'text',
    },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Worst state',
  width: 24,
  height: 8,
})

const poolStates = stateTimeline({
  title: 'Worst node state per pool',
  about: [
    'The health of the worst node of each pool over time. A gap is time without data.',
    'Green throughout.',
    'Click a band to open the pool; short repeated bands are a node that flaps, a gap on all bands of a system is the exporter or the network.',
  ],
  queries: [{ expr: healthCode(POOL_KEY, SCOPE.system), legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  links: [seriesToPool],
  width: 12,
})

const alertTable: Tile = table({
  title: 'Alerts firing now',
  about: [
    'The alerts of this product that fire now, with the system, pool and node that they name.',
    'Empty.',
    'Start with critical ones; click the pool or node. The runbook of the alert says what it means and what to do.',
  ],
  rows: ['alertname', 'severity', 'system', 'pool', 'node'],
  columns: [
    {
      title: 'Alerts',
      expr: sumBy(['alertname', 'severity', 'system', 'pool', 'node'], firingAlerts()),
      unit: 'none',
    },
  ],
  // Critical ones first.
  sortBy: 'severity',
  ascending: true,
  cellLinks: { pool: rowToPool, node: rowToNode },
  noValue: 'No alert fires',
  width: 12,
  height: 8,
})

const transactions = timeSeries({
  title: 'Reads and writes per second by system',
  about: [
    'Transactions per second that clients ask of each system, summed over its nodes.',
    'The rhythm of the day; reads and writes move together with the load.',
    'A fall to zero while clients complain points at the network or the load balancer; a jump explains latency.',
  ],
  queries: [
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_reads_per_second', ...SCOPE.system))),
      legend: '{{system}} reads',
    },
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_writes_per_second', ...SCOPE.system))),
      legend: '{{system}} writes',
    },
  ],
  unit: 'reqps',
  min: 0,
  noValue: 'No data, or not served by this system',
  links: [toPage('Performance', 'performance')],
  width: 12,
})

const bandwidth = timeSeries({
  title: 'Transaction bandwidth by system',
  about: [
    'Bytes per second that transactions read and write, summed over the nodes of each system.',
    'The rhythm of the day.',
    'Bandwidth that rises without more transactions means larger objects; see the performance page.',
  ],
  queries: [
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_read_bytes_per_second', ...SCOPE.system))),
      legend: '{{system}} reads',
    },
    {
      expr: sumBy(
        ['system'],
        perNode(select('sds_node_transaction_write_bytes_per_second', ...SCOPE.system)),
      ),
      legend: '{{system}} writes',
    },
  ],
  unit: 'Bps',
  min: 0,
  noValue: 'No data, or not served by this system',
  links: [toPage('Performance', 'performance')],
  width: 12,
})

const rows: readonly Row[] = [
  {
    title: 'Right now',
    tiles: [systemsDown, nodesByState, disksToFix, spaceUsed, soonestForecast, alertCounts],
  },
  { title: 'Pools', tiles: [pools] },
  { title: 'Last hours', tiles: [poolStates, alertTable, transactions, bandwidth] },
]

export const fleet: Board = {
  name: 'fleet',
  title: 'Storage / Fleet overview',
  question: 'Is anything wrong, and in which pool?',
  variables: ['datasource', 'job', 'system'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows,
}
