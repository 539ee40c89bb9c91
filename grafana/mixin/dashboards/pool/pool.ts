import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { poolBalance, poolDistribution } from './balance.ts'
import { poolHealth } from './nodes.ts'
import { poolNow } from './now.ts'

export const pool: DashboardSpec = {
  name: 'pool',
  title: 'Storage / Pool',
  question: 'Which node of this pool differs from the others?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Pool now', panels: poolNow },
    { title: 'Health', panels: poolHealth },
    { title: 'Balance', panels: poolBalance },
    { title: 'Distribution', collapsed: true, panels: poolDistribution },
  ],
}
