import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { dedup } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NAMESPACE_KEY } from '../../settings.ts'

export const ofNamespace = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  dedup(NAMESPACE_KEY, select(metric, ...SCOPE.namespace, ...matchers))

export const USED = ofNamespace('sds_namespace_used_bytes')
/** Used relative to the hard quota, of namespaces that have one. */
export const QUOTA_USED = recorded(RECORDED.quotaUsed, SCOPE.namespace)

/** The part of a vector about the namespaces that a table lists. */
export const within = (listed: Expression, vector: Expression): Expression =>
  promql`${vector} and on (${NAMESPACE_KEY}) ${listed}`
