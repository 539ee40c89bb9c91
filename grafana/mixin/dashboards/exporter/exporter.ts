import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { faultsInDetail } from './faults.ts'
import { coverage, polling } from './polling.ts'
import { output, processes } from './process.ts'
import { providers } from './providers.ts'
import { queryInterface } from './query_interface.ts'
import { exporterStatus } from './status.ts'

export const exporter: DashboardSpec = {
  name: 'exporter',
  title: 'Storage / Exporter health',
  question: 'Are the values of the other dashboards correct and current?',
  variables: ['datasource', 'cluster', 'exporterJob', 'instance', 'system', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Status', panels: exporterStatus },
    { title: 'Faults in detail', collapsed: true, panels: faultsInDetail },
    { title: 'Polling', panels: polling },
    { title: 'Flux API', panels: queryInterface },
    { title: 'What the systems serve', panels: coverage },
    { title: 'Output', panels: output },
    { title: 'Authentication providers', collapsed: true, panels: providers },
    { title: 'Process', collapsed: true, panels: processes },
  ],
}
