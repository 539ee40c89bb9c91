import { poolHealthBands } from '../../promql/bands.ts'
import { type Expression, join, type Matcher, promql, select } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { sampleAge, usedRatio } from '../../promql/nodes.ts'
import { by, perNode, sumByPool } from '../../promql/operators.ts'
import { lastPollAge, polled, poolHealthCode, poolsOfDay } from '../../promql/pools.ts'
import { recorded } from '../../promql/recorded.ts'
import { firingAlerts, SCOPE } from '../../promql/scope.ts'
import { rowToPool, seriesToPool } from '../../sdk/links.ts'
import { HEALTH_CELLS, HEALTH_MAPPINGS, issueMappings, REACHED_MAPPINGS } from '../../sdk/mappings.ts'
import { from, steps } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { type Column, table } from '../../sdk/table.ts'
import {
  LATENCY_THRESHOLDS,
  LIMITS,
  lowerIsWorse,
  POOL_KEY,
  THRESHOLDS,
  type Threshold,
} from '../../settings.ts'
import { POOL_NAME } from '../common/lines.ts'
import { DISKS_TO_FIX, POOL_FORECAST, RECORDED_FORECAST } from './queries.ts'

/** What a critical finding counts; a warning counts 1. No pool has as many warnings. */
const CRITICAL_SCORE = 1000
/** The score of a pool without current data: it comes before all others. */
const NO_DATA_SCORE = 1000 * CRITICAL_SCORE

/** Counts a value above (or below) both levels of a threshold. */
const beyond = (value: Expression, threshold: Threshold): Expression => {
  const [worse] = lowerIsWorse(threshold) ? ['<'] : ['>=']
  const comparison = (limit: Threshold['warning']) => promql`(${value} ${[worse]} bool ${limit})`
  return promql`${comparison(threshold.critical)} * ${CRITICAL_SCORE - 1} + ${comparison(threshold.warning)}`
}

/** Alerts about the pool and its nodes. */
const alerts = (severity: 'critical' | 'warning'): Expression =>
  by('count', POOL_KEY, firingAlerts(`severity="${severity}"`, 'pool!=""'))

const withHealth = (matcher: Matcher, score: number): Expression =>
  promql`${by('max', POOL_KEY, promql`${select('sds_node_health_status', ...SCOPE.system, matcher)} == 1`)} * ${score}`

/** The worst comes first, because `or` keeps the first. */
const health = join(
  [
    promql`(${polled(SCOPE.system)} == 0) + ${NO_DATA_SCORE}`,
    withHealth('status="Bad"', CRITICAL_SCORE),
    withHealth('status!~"Good|Maintenance|Bad"', 1),
    withHealth('status=~"Good|Maintenance"', 0),
    promql`${poolsOfDay(SCOPE.system)} + ${NO_DATA_SCORE}`,
  ],
  '\nor\n',
)

const UNAVAILABLE: Matcher = 'status=~"Bad|NotAccessible"'
const unavailableNodes = sumByPool(perNode(select('sds_node_health_status', ...SCOPE.system, UNAVAILABLE)))

const TERMS: readonly Expression[] = [
  promql`(${health})`,
  promql`(${unavailableNodes} >= bool ${LIMITS.unavailableNodes}) * ${CRITICAL_SCORE}`,
  promql`${DISKS_TO_FIX} >= bool 1`,
  beyond(recorded(RECORDED.usedRatio, SCOPE.system), THRESHOLDS.usedRatio),
  beyond(RECORDED_FORECAST, THRESHOLDS.forecastSeconds),
  beyond(by('max', POOL_KEY, nodeLatency('read', SCOPE.system)), LATENCY_THRESHOLDS.read),
  beyond(by('max', POOL_KEY, nodeLatency('write', SCOPE.system)), LATENCY_THRESHOLDS.write),
  beyond(
    by('max', POOL_KEY, perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.system))),
    THRESHOLDS.errorRatio,
  ),
  beyond(sampleAge(POOL_KEY, SCOPE.system), THRESHOLDS.sampleAgeSeconds),
  promql`${alerts('critical')} * ${CRITICAL_SCORE}`,
  promql`clamp_max(${alerts('warning')}, ${CRITICAL_SCORE / 2})`,
]

/**
 * How bad a pool is: the critical and warning levels that its values have reached, and its alerts. Pools that were
 * reported within a day have a score. The label keeps `or` from dropping all terms but the first.
 */
const SCORE = sumByPool(
  join(
    TERMS.map((term, index) => promql`label_replace(${term}, "term", "${index}", "", "")`),
    '\nor\n',
  ),
)

const worstLatency = (title: string, operation: Operation): Column => ({
  title,
  expr: by('max', POOL_KEY, nodeLatency(operation, SCOPE.system)),
  unit: 's',
  steps: steps(LATENCY_THRESHOLDS[operation]),
  sample: '99.9 ms',
})

const STATE: readonly Column[] = [
  { title: 'Issues', expr: SCORE, mappings: issueMappings(CRITICAL_SCORE) },
  { title: 'State', expr: poolHealthCode(SCOPE.system), mappings: HEALTH_CELLS },
  { title: 'Nodes', expr: by('count', POOL_KEY, perNode(select('sds_node_info', ...SCOPE.system))) },
  { title: 'Disks', expr: DISKS_TO_FIX, steps: from(1, 'failed') },
]

const SPACE: readonly Column[] = [
  {
    title: 'Used',
    expr: usedRatio(sumByPool, SCOPE.system),
    unit: 'percentunit',
    steps: steps(THRESHOLDS.usedRatio),
  },
  {
    title: 'Free',
    expr: sumByPool(perNode(select('sds_node_disk_space_free_bytes', ...SCOPE.system))),
    unit: 'bytes',
  },
  {
    title: `To ${LIMITS.forecastTargetPercent} %`,
    expr: POOL_FORECAST,
    unit: 'dtdurations',
    decimals: 0,
    mappings: REACHED_MAPPINGS,
    steps: steps(THRESHOLDS.forecastSeconds),
  },
]

const SERVICE: readonly Column[] = [
  worstLatency('Read', 'read'),
  worstLatency('Write', 'write'),
  {
    title: 'Errors',
    expr: by('max', POOL_KEY, perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.system))),
    unit: 'percentunit',
    decimals: 2,
    steps: steps(THRESHOLDS.errorRatio),
  },
  {
    title: 'Data age',
    expr: promql`${sampleAge(POOL_KEY, SCOPE.system)} or ${lastPollAge(SCOPE.system)}`,
    unit: 's',
    decimals: 0,
    steps: steps(THRESHOLDS.sampleAgeSeconds),
    sample: '59 mins',
  },
]

export const pools = table({
  title: 'Pools',
  shows:
    "One row for each pool that was reported within a day, the worst first: “Issues” counts the coloured cells of the row and the firing alerts about the pool; pools whose polls fail come first. Health of the worst node, nodes, disks that are Bad or ready to replace, space, the storage system's own forecast (the median of the nodes; a short one only of pools with as much used space as the alert on it needs), latency (mean or quantile) and share of failed transactions of the worst node, and the age of the newest sample of the node that is furthest behind by the storage system's clock.",
  normal: 'Issues none, state Good, data younger than ten minutes, no coloured cell.',
  otherwise:
    'Click a pool to see its nodes. State “Polls fail”: all other cells are from the last successful poll, until they are dropped. “No data”: nothing is known now, and the age is the time since the last successful poll; see the exporter dashboard for the reason. Cells without a value are not served by the system, or there were no transactions.',
  rows: POOL_KEY,
  columns: [...STATE, ...SPACE, ...SERVICE],
  cellLinks: { pool: rowToPool },
  sortBy: 'Issues',
  noValue: 'No pool was reported within a day',
  height: 11,
})

export const poolStates = stateTimeline({
  title: 'Pools that were not Good',
  shows:
    'The health of the worst node of the pools whose polls failed, that had no data, or a node that was not Good, in the time range; those that were worst come first.',
  normal: 'Empty.',
  otherwise:
    'Click a band to open the pool. Short repeated bands are a node that flaps. “Polls fail” or “No data” on all pools of a system is a fault of the exporter or the network.',
  queries: [{ expr: poolHealthBands(SCOPE.system), legend: POOL_NAME }],
  mappings: HEALTH_MAPPINGS,
  noValue: 'All pools were Good, or none was reported',
  links: [seriesToPool],
  width: 24,
})
