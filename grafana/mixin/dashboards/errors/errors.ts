import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { poolData } from '../common/pool_data.ts'
import { nodesOverTime, typeMatrix, worstNodes, worstTypes } from './nodes.ts'
import { failedNow, failureRatio, systemNow, userNow } from './ratios.ts'
import { byCategory, topTypes } from './types.ts'

export const errors: DashboardSpec = {
  name: 'errors',
  title: 'Storage / Transaction errors',
  question: 'Do requests of clients fail, by whose fault, and with which error?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', panels: [poolData(['transactions', 'errors']), failedNow, systemNow, userNow] },
    { title: 'Over time', panels: [failureRatio, byCategory, topTypes] },
    { title: 'Where', panels: [worstNodes, nodesOverTime, worstTypes, typeMatrix] },
  ],
}
