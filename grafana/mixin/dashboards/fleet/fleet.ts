import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { systemTable } from '../common/systems.ts'
import { alertTable, bandwidth, transactions } from './activity.ts'
import { poolStates, pools } from './pools.ts'
import { status } from './status.ts'

export const fleet: DashboardSpec = {
  name: 'fleet',
  title: 'Storage / Fleet overview',
  question: 'Is there a fault, and in which pool?',
  variables: ['datasource', 'cluster', 'job', 'system'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    // The first screen of a laptop: the tiles and the worst pools.
    { title: 'Right now', panels: [...status, pools] },
    { title: 'Alerts', panels: [alertTable] },
    { title: 'What the systems report', panels: [systemTable(5)] },
    { title: 'Last hours', panels: [poolStates, transactions, bandwidth] },
  ],
}
