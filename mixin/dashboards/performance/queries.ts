import { type Expression, select } from '../../promql/expression.ts'
import { nodeLatency, type Operation } from '../../promql/latency.ts'
import { perNode } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

export const OPERATIONS: readonly Operation[] = ['read', 'write']

export const latencyOf = (operation: Operation): Expression => nodeLatency(operation, SCOPE.node)

/** Mean latencies; systems with the query interface do not serve them. */
export const meanOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}_latency_seconds`, ...SCOPE.node))

export const countOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}s_per_second`, ...SCOPE.node))

export const bytesOf = (operation: Operation): Expression =>
  perNode(select(`sds_node_transaction_${operation}_bytes_per_second`, ...SCOPE.node))

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
