import type { Expression } from '../../promql/expression.ts'
import { RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { sumBy } from '../../promql/operators.ts'
import { recorded, recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { SAMPLE_INTERVAL, topPools } from '../common/lines.ts'
import { poolData } from '../common/pool_data.ts'
import { closest, forecastMatrix, timeToTarget, whenFull } from './forecast.ts'
import { NEEDS_RULES, purposes, totals, usedOverTime } from './space.ts'

const imbalance: SizedPanel = topPools({
  title: 'Top $topn pools: fullest minus emptiest node',
  shows:
    'Difference between the fullest and the emptiest node of a pool, as a share of usable space, of the pools where it is largest.',
  normal: 'Below the warning threshold; larger for some days after nodes were added.',
  otherwise: 'A difference that does not decrease means that the system does not rebalance.',
  expr: recorded(RECORDED.usedRatioRange, SCOPE.pool),
  unit: 'percentunit',
  softMax: THRESHOLDS.imbalanceRatio.critical,
  steps: lineSteps(THRESHOLDS.imbalanceRatio),
  limits: true,
  noValue: NEEDS_RULES,
})

const ofLevels = (name: RecordedName): Expression => sumBy(['level'], recordedSelector(name, SCOPE.pool))

const levels = timeSeries({
  title: 'Space by level',
  shows: 'Allocated and free space by level of the disks, over the selected pools, stacked.',
  normal: 'Nearly all space is in level L1.',
  otherwise: 'Writes to a level without free space fail, although the pool has free space.',
  queries: [
    { expr: ofLevels(RECORDED.allocatedLevels), legend: 'allocated {{level}}' },
    { expr: ofLevels(RECORDED.freeLevels), legend: 'free {{level}}' },
  ],
  unit: 'bytes',
  stacked: true,
  fewNames: true,
  interval: SAMPLE_INTERVAL,
  noValue: NEEDS_RULES,
})

export const capacity: DashboardSpec = {
  name: 'capacity',
  title: 'Storage / Capacity and forecast',
  question: 'When must disks be ordered, and for which pool?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'topn'],
  from: 'now-30d',
  refresh: GRAFANA.refresh.trend,
  rows: [
    { title: 'Totals', panels: [poolData(['capacity', 'forecasts']), ...totals] },
    { title: 'When pools are full', panels: [whenFull, usedOverTime, timeToTarget] },
    { title: 'What the space is used for', panels: [purposes] },
    { title: 'Forecasts of the storage systems', panels: [forecastMatrix, closest] },
    { title: 'Balance', collapsed: true, panels: [imbalance, levels] },
  ],
}
