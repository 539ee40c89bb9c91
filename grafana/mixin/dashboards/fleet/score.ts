import { type Expression, join, type Matcher, promql, select } from '../../promql/expression.ts'
import { nodeLatency } from '../../promql/latency.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { sampleAge } from '../../promql/nodes.ts'
import { by, perNode, sumByPool } from '../../promql/operators.ts'
import { polled, poolsOfDay } from '../../promql/pools.ts'
import { recorded } from '../../promql/recorded.ts'
import { firingAlerts, SCOPE } from '../../promql/scope.ts'
import {
  LATENCY_THRESHOLDS,
  LIMITS,
  lowerIsWorse,
  POOL_KEY,
  THRESHOLDS,
  type Threshold,
} from '../../settings.ts'
import { DISKS_TO_FIX, RECORDED_FORECAST } from './queries.ts'

/** What a critical finding counts; a warning counts 1. No pool has as many warnings. */
export const CRITICAL_SCORE = 1000
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
export const SCORE = sumByPool(
  join(
    TERMS.map((term, index) => promql`label_replace(${term}, "term", "${index}", "", "")`),
    '\nor\n',
  ),
)
