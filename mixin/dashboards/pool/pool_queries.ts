import { by, perNode, ratio, select } from '../../promql/promql.ts'
import { NODE_KEY } from '../../settings.ts'

export const node = (metric: string): string => perNode(metric, 'node')

export const READS = node('sds_node_transaction_reads_per_second')
export const WRITES = node('sds_node_transaction_writes_per_second')
export const READ_LATENCY = node('sds_node_transaction_read_latency_seconds')
export const WRITE_LATENCY = node('sds_node_transaction_write_latency_seconds')
export const USED = ratio(
  node('sds_node_disk_space_allocated_bytes'),
  node('sds_node_disk_space_total_bytes'),
)
/** `a or b` would never show b: `or` does not look at metric names. */
export const BUSIER_NIC = by(
  'max',
  NODE_KEY,
  select('', 'node', '__name__=~"sds_node_nic_(received|transmitted)_utilization_ratio"'),
)
