import { type Expression, join, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { perNode, ratio } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

export const node = (metric: MetricName): Expression => perNode(select(metric, ...SCOPE.node))

export const USED = ratio(
  node('sds_node_disk_space_allocated_bytes'),
  node('sds_node_disk_space_total_bytes'),
)

/** The larger of the two directions. The label keeps `or` from dropping the second one. */
export const BUSIER_NIC = perNode(
  join(
    (['received', 'transmitted'] as const).map((direction) => {
      const utilization = node(`sds_node_nic_${direction}_utilization_ratio`)
      return promql`label_replace(${utilization}, "direction", "${[direction]}", "", "")`
    }),
    ' or ',
  ),
)
