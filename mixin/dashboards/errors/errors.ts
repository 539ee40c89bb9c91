import type { DashboardSpec } from '../../grafana/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { servedAttributes } from '../common/served_attributes.ts'
import { typeMatrix, worstNodes, worstTypes } from './nodes.ts'
import { failedNow, failureRatio, systemNow, userNow } from './ratios.ts'
import { byCategory, share, topTypes } from './types.ts'

export const errors: DashboardSpec = {
  name: 'errors',
  title: 'Storage / Transaction errors',
  question: 'Do requests of clients fail, by whose fault, and with which error?',
  variables: ['datasource', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Now',
      panels: [failedNow, systemNow, userNow, servedAttributes(['transactions', 'errors'], 12)],
    },
    { title: 'Over time', panels: [failureRatio, share, byCategory, topTypes] },
    { title: 'Where', panels: [worstNodes, worstTypes, typeMatrix] },
  ],
}
