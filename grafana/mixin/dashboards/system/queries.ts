import { type Expression, type Matcher, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { dedup, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY } from '../../settings.ts'

/** A value that the system reports about each selected pool. */
export const ofPool = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  dedup(POOL_KEY, select(metric, ...SCOPE.pool, ...matchers))

/** A value of each selected pool, summed over a label. */
export const sumOfPool = (metric: MetricName, label: string, ...matchers: readonly Matcher[]): Expression =>
  sumByPool(dedup([...POOL_KEY, label], select(metric, ...SCOPE.pool, ...matchers)))

export const GARBAGE_PENDING = sumOfPool('sds_pool_garbage_pending_bytes', 'scope')
export const GARBAGE_UNRECLAIMABLE = sumOfPool('sds_pool_garbage_unreclaimable_bytes', 'scope')
export const GARBAGE_RECLAIMED = sumOfPool('sds_pool_garbage_reclaimed_bytes', 'scope')
export const CODED = ofPool('sds_pool_erasure_coding_coded_bytes')
export const TO_CODE = ofPool('sds_pool_erasure_coding_applicable_bytes')
