import type { DashboardSpec } from '../../grafana/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { servedAttributes } from '../common/served_attributes.ts'
import { imbalance, levels } from './balance.ts'
import { closest, forecastMatrix, unavailable } from './forecast.ts'
import { growthTable, projection, totals, usedByPool, usedOverTime } from './space.ts'

export const capacity: DashboardSpec = {
  name: 'capacity',
  title: 'Storage / Capacity and forecast',
  question: 'When must disks be ordered, and for which pool?',
  variables: ['datasource', 'job', 'system', 'pool', 'topn'],
  from: 'now-30d',
  refresh: GRAFANA.refresh.trend,
  rows: [
    { title: 'Totals', panels: totals },
    { title: 'Usage', panels: [usedByPool, usedOverTime, projection, growthTable] },
    {
      title: 'Forecast from the storage system',
      panels: [unavailable, servedAttributes(['capacity', 'forecasts'], 18), forecastMatrix, closest],
    },
    { title: 'Balance', collapsed: true, panels: [imbalance, levels] },
  ],
}
