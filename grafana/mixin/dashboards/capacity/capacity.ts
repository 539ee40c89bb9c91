import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { poolData } from '../common/pool_data.ts'
import { imbalance, levels } from './balance.ts'
import { closest, forecastMatrix, timeToTarget, whenFull } from './forecast.ts'
import { purposes, totals, usedOverTime } from './space.ts'

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
