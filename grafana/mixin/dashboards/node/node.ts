import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { nodeCapacity } from './capacity.ts'
import { nodeHealth } from './health.ts'
import { nodeNow } from './now.ts'
import { nodeResources } from './resources.ts'
import { nodeService } from './service.ts'

export const node: DashboardSpec = {
  name: 'node',
  title: 'Storage / Node',
  question: 'What is the state of this node, and what causes it?',
  variables: ['datasource', 'cluster', 'job', 'oneSystem', 'onePool', 'oneNode'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', panels: nodeNow },
    { title: 'Health', panels: nodeHealth },
    { title: 'Service: rate, errors, duration', panels: nodeService },
    { title: 'Resources: use and saturation', panels: nodeResources },
    { title: 'Capacity', collapsed: true, panels: nodeCapacity },
  ],
}
