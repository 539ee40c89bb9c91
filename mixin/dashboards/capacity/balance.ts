import { lineSteps, type SizedPanel } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { perNodeAnd, sumBy } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { THRESHOLDS } from '../../settings.ts'
import { SAMPLE_INTERVAL, topPools } from '../common/lines.ts'
import { NEEDS_RULES } from './space.ts'

export const imbalance: SizedPanel = topPools({
  title: 'Top $topn pools: fullest minus emptiest node',
  about: [
    'Difference between the fullest and the emptiest node of a pool, as a share of usable space, of the pools where it is largest.',
    'Below the warning threshold; larger for some days after nodes were added.',
    'A difference that does not decrease means that the system does not rebalance.',
  ],
  expr: recorded(RECORDED.usedRatioRange, SCOPE.pool),
  unit: 'percentunit',
  softMax: THRESHOLDS.imbalanceRatio.critical,
  steps: lineSteps(THRESHOLDS.imbalanceRatio),
  limits: true,
  noValue: NEEDS_RULES,
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
  interval: SAMPLE_INTERVAL,
  noValue: 'No data: see “Data”',
  width: 12,
})
