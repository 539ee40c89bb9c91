import { type Expression, type Matcher, select } from '../../promql/expression.ts'
import { perForecast } from '../../promql/nodes.ts'
import { by, perNodeAnd, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LIMITS, POOL_KEY } from '../../settings.ts'

/** Disks with one of the statuses that need an action; disks in maintenance need none. */
export const disksToFix = (status: 'Bad' | 'ReadyToReplace' | 'Bad|ReadyToReplace'): Expression =>
  perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, `status=~"${status}"`))

export const DISKS_TO_FIX = sumByPool(disksToFix('Bad|ReadyToReplace'))

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`

export const SHORTEST_FORECAST = by(
  'min',
  POOL_KEY,
  perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.system, TARGET)),
)
