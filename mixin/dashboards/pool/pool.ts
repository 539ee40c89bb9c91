import type { Board } from '../../grafana/board.ts'
import { GRAFANA } from '../../settings.ts'
import { poolBalance, poolDistribution } from './pool_balance.ts'
import { poolHealth } from './pool_nodes.ts'
import { poolNow } from './pool_now.ts'

export const pool: Board = {
  name: 'pool',
  title: 'Storage / Pool',
  question: 'Which node of this pool is the odd one out?',
  variables: ['datasource', 'job', 'system', 'pool', 'node'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Pool now', tiles: poolNow },
    { title: 'Health', tiles: poolHealth },
    { title: 'Balance', tiles: poolBalance },
    { title: 'Distribution', collapsed: true, tiles: poolDistribution },
  ],
}
