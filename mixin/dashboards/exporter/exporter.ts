import type { Board } from '../../grafana/board.ts'
import { GRAFANA } from '../../settings.ts'
import { coverage, polling } from './exporter_polling.ts'
import { output, processes } from './exporter_process.ts'
import { providers, trust } from './exporter_trust.ts'

export const exporter: Board = {
  name: 'exporter',
  title: 'Storage / Exporter health',
  question: 'Can I trust the other dashboards?',
  variables: ['datasource', 'exporterJob', 'instance', 'system'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Trust', tiles: trust },
    { title: 'Polling', tiles: polling },
    { title: 'What the systems serve', tiles: coverage },
    { title: 'Output', tiles: output },
    { title: 'Authentication providers', collapsed: true, tiles: providers },
    { title: 'Process', collapsed: true, tiles: processes },
  ],
}
