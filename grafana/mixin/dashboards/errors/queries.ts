import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { type Aggregate, dedup, perNode } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NODE_KEY } from '../../settings.ts'

const SUCCEEDED = perNode(select('sds_node_transactions_succeeded', ...SCOPE.node))

/** Only of nodes whose successes are known: the failures of others would change the ratio, as in the recorded ratios. */
export const FAILED = promql`(${perNode(select('sds_node_transactions_failed', ...SCOPE.node))} and ${SUCCEEDED})`

export const TYPE_KEY = [...NODE_KEY, 'category', 'error_type'] as const

export const byType = (...matchers: readonly Matcher[]): Expression =>
  dedup(TYPE_KEY, select('sds_node_transaction_errors_by_type', ...SCOPE.node, ...matchers))

/** All transactions of the newest samples. */
export const all = (total: Aggregate): Expression => promql`(${total(FAILED)} + ${total(SUCCEEDED)})`

/** Failures of category User. The dashboard API lists only types that occurred, so none is 0. */
export const byUser = (total: Aggregate): Expression =>
  promql`(${total(promql`${byType('category="User"')} and on (${NODE_KEY}) ${SUCCEEDED}`)} or 0 * ${total(FAILED)})`
