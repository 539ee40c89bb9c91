import { type Expression, select, selectAny } from '../../promql/expression.ts'
import { nodeLatency } from '../../promql/latency.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { by, perNode, ratio } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NODE_KEY } from '../../settings.ts'

export const node = (metric: MetricName): Expression => perNode(select(metric, ...SCOPE.node))

export const READS = node('sds_node_transaction_reads_per_second')
export const WRITES = node('sds_node_transaction_writes_per_second')
/** Mean latencies; systems with the query interface do not serve them. */
export const READ_MEAN = node('sds_node_transaction_read_latency_seconds')
export const WRITE_MEAN = node('sds_node_transaction_write_latency_seconds')
export const READ_LATENCY = nodeLatency('read', SCOPE.node)
export const WRITE_LATENCY = nodeLatency('write', SCOPE.node)
export const USED = ratio(
  node('sds_node_disk_space_allocated_bytes'),
  node('sds_node_disk_space_total_bytes'),
)
export const BUSIER_NIC = by(
  'max',
  NODE_KEY,
  selectAny(
    ['sds_node_nic_received_utilization_ratio', 'sds_node_nic_transmitted_utilization_ratio'],
    ...SCOPE.node,
  ),
)
