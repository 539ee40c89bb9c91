import { seriesToPool } from '../../grafana/links.ts'
import { steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { promql, select } from '../../promql/expression.ts'
import { by, perNode, perNodeAnd, ratio, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { ALLOCATED } from './space.ts'

const USED = ratio(
  perNode(select(ALLOCATED, ...SCOPE.pool)),
  perNode(select('sds_node_disk_space_total_bytes', ...SCOPE.pool)),
)

export const imbalance = timeSeries({
  title: 'Fullest minus emptiest node',
  about: [
    'Difference between the fullest and the emptiest node of each pool, as a share of usable space.',
    'Below the warning threshold; larger for some days after nodes were added.',
    'A difference that does not decrease means that the system does not rebalance.',
  ],
  queries: [
    {
      expr: promql`${by('max', POOL_KEY, USED)} - ${by('min', POOL_KEY, USED)}`,
      legend: '{{system}} / {{pool}}',
    },
  ],
  unit: 'percentunit',
  softMax: THRESHOLDS.imbalanceRatio.critical,
  steps: steps(THRESHOLDS.imbalanceRatio),
  limits: true,
  links: [seriesToPool],
  width: 12,
})

export const levels = timeSeries({
  title: 'Space by level',
  about: [
    'Allocated and free space by level of the disks, over the selected pools, stacked.',
    'Nearly all space is in level L1.',
    'Writes to a level without free space fail, although the pool has free space.',
  ],
  queries: (['allocated', 'free'] as const).map((kind) => ({
    expr: sumBy(
      ['level'],
      perNodeAnd('level', select(`sds_node_disk_space_${kind}_level_bytes`, ...SCOPE.pool)),
    ),
    legend: `${kind} {{level}}`,
  })),
  unit: 'bytes',
  min: 0,
  stacked: true,
  width: 12,
})
