import { type Expression, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { perNode, ratio } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

export const node = (metric: MetricName): Expression => perNode(select(metric, ...SCOPE.node))

export const USED = ratio(
  node('sds_node_disk_space_allocated_bytes'),
  node('sds_node_disk_space_total_bytes'),
)
