import type { Board } from '../../grafana/board.ts'
import { GRAFANA } from '../../settings.ts'
import { nodeCapacity, nodeHealth, nodeResources, nodeService } from './node_course.ts'
import { nodeNow } from './node_now.ts'

export const node: Board = {
  name: 'node',
  title: 'Storage / Node',
  question: 'What is happening on this node? Causes next to symptoms.',
  variables: ['datasource', 'job', 'oneSystem', 'onePool', 'oneNode'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', tiles: nodeNow },
    { title: 'Health', tiles: nodeHealth },
    { title: 'Service: rate, errors, duration', tiles: nodeService },
    { title: 'Resources: use and saturation', tiles: nodeResources },
    { title: 'Capacity', collapsed: true, tiles: nodeCapacity },
  ],
}
