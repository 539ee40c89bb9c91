import { select } from '../../promql/expression.ts'
import { by, perSystem, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { QUERY_RESULT, upDown, YES_NO } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA } from '../../settings.ts'
import { faultsInDetail } from './faults.ts'
import { coverage, polling } from './polling.ts'
import { output, processes } from './process.ts'
import { increase, occurred } from './rates.ts'
import { exporterStatus } from './status.ts'

const NOT_QUERIED = 'No system is queried'

const up = stateTimeline({
  title: 'Flux API',
  shows:
    'Whether the last poll of the Flux API succeeded, also without data. Systems whose dashboard API has all metrics are not queried.',
  normal: 'Always ok.',
  otherwise:
    'Failed since the start: the system has no Flux API, or forbids it. Otherwise see “Polls of the Flux API” for the reason.',
  queries: [{ expr: perSystem(select('sds_system_query_up', ...SCOPE.system)), legend: '{{system}}' }],
  mappings: upDown(...QUERY_RESULT),
  noValue: NOT_QUERIED,
  width: 12,
})

const polls = timeSeries({
  title: 'Polls of the Flux API',
  shows: 'Polls by result: ok, empty (no current data), or the reason of the failure.',
  normal: 'Only ok.',
  otherwise:
    'forbidden: a missing role. client_error: a refused query. unavailable, server_error, timeout: the monitoring services of the system. not_found: no Flux API. After repeated failures the exporter may wait for up to an hour.',
  queries: [
    {
      expr: occurred(sumBy(['system', 'result'], increase('sds_query_polls_total'))),
      legend: '{{system}} {{result}}',
    },
  ],
  bars: true,
  stacked: true,
  noValue: 'No poll in this time',
})

const queryInterface: readonly SizedPanel[] = [up, polls]

const providerKey = ['system', 'provider', 'provider_id'] as const

const providerList = table({
  title: 'Providers by name',
  shows: 'The authentication providers of each system.',
  normal: 'The providers that were set up.',
  otherwise: 'An unknown provider gives access to the system: find out who created it, then delete it.',
  rows: providerKey,
  columns: [
    {
      title: 'Listed',
      expr: by('max', providerKey, select('sds_authn_provider_info', ...SCOPE.system)),
      mappings: YES_NO,
    },
  ],
  noValue: 'None, or not read',
  height: 8,
})

const providers: readonly SizedPanel[] = [providerList]

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
