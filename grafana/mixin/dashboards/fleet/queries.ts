import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { poolForecast } from '../../promql/nodes.ts'
import { perNodeAnd, sumByPool } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LIMITS, POOL_KEY, THRESHOLDS } from '../../settings.ts'

/** Disks with one of the statuses that need an action; disks in maintenance need none. */
export const disksToFix = (status: 'Bad' | 'ReadyToReplace' | 'Bad|ReadyToReplace'): Expression =>
  perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, `status=~"${status}"`))

export const DISKS_TO_FIX = sumByPool(disksToFix('Bad|ReadyToReplace'))

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`

/** A forecast without short ones of pools whose alert on it cannot fire, because little space is used. */
const withoutHarmless = (forecast: Expression): Expression =>
  promql`(${forecast} >= ${THRESHOLDS.forecastSeconds.warning}
or
${forecast} unless on (${POOL_KEY}) ${recorded(RECORDED.usedRatio, SCOPE.system)} <= ${THRESHOLDS.forecastUsedRatio.warning})`

/** The storage system's own forecast of a pool. */
export const POOL_FORECAST = withoutHarmless(poolForecast(SCOPE.system, TARGET))

/** The forecast of a pool, as it was recorded. */
export const RECORDED_FORECAST = withoutHarmless(recorded(RECORDED.forecast, SCOPE.system))
