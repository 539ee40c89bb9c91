import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { by, dedup, perSystem, ratio, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { QUERY_RESULT, upDown, YES_NO } from '../../sdk/mappings.ts'
import { type About, lineSteps, type PanelSpec, type SizedPanel } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { faultsInDetail } from './faults.ts'
import { coverage, polling } from './polling.ts'
import { increase, occurred } from './rates.ts'
import { exporterStatus } from './status.ts'

type Course = About & Pick<PanelSpec, 'title' | 'unit'> & Partial<PanelSpec> & { readonly limits?: boolean }

const NO_EXPORTER = 'No exporter in this time range'

const perExporter = (vector: Expression, course: Course): SizedPanel =>
  timeSeries({
    queries: [{ expr: dedup(['instance'], vector), legend: '{{instance}}' }],
    noValue: NO_EXPORTER,
    ...course,
  })

const metric = (name: MetricName): Expression => select(name, ...SCOPE.exporter)

const output: readonly SizedPanel[] = [
  perExporter(metric('sds_exporter_series'), {
    title: 'Series',
    shows:
      'Series of nodes, pools and systems in the last exposition of each exporter, without those about the exporter.',
    normal: 'Constant: about 50 per node, more where error types occur.',
    otherwise:
      'A drop to half is a category that a system no longer serves. A steady increase is a label with ever new values.',
    width: 8,
  }),
  perExporter(metric('scrape_duration_seconds'), {
    title: 'Scrape duration',
    shows: 'Duration of the scrape of each exporter.',
    normal: 'Well below a second: the exporter responds from memory.',
    otherwise:
      'Slow scrapes are caused by a busy host or a slow network. They never wait for a storage system.',
    unit: 's',
    width: 8,
  }),
  perExporter(metric('scrape_samples_scraped'), {
    title: 'Samples per scrape',
    shows: 'Samples in the last scrape of each exporter.',
    normal: 'Slightly more than “Series”, and equal on both exporters of a pair.',
    otherwise: 'Different on a pair: one exporter does not reach a system, or has another configuration.',
    width: 8,
  }),
]

const processes: readonly SizedPanel[] = [
  perExporter(promql`rate(${metric('process_cpu_seconds_total')}[$__rate_interval])`, {
    title: 'CPU cores in use',
    shows: 'CPU seconds per second of each exporter.',
    normal: 'A few hundredths.',
    otherwise: 'Near 1 the exporter is at its limit: distribute the systems over several exporters.',
    decimals: 3,
    width: 12,
  }),
  timeSeries({
    title: 'Memory of the exporter',
    shows: 'Resident memory of the process, and the used part of the JavaScript heap.',
    normal: 'Rises and falls without a trend.',
    otherwise: 'An increase over days is a leak: report it with a heap snapshot, and restart the exporter.',
    queries: [
      { expr: dedup(['instance'], metric('process_resident_memory_bytes')), legend: '{{instance}} resident' },
      { expr: dedup(['instance'], metric('nodejs_heap_size_used_bytes')), legend: '{{instance}} heap used' },
    ],
    unit: 'bytes',
    noValue: NO_EXPORTER,
  }),
  perExporter(metric('nodejs_eventloop_lag_p99_seconds'), {
    title: 'Event loop lag, 99th percentile',
    shows: 'Delay of the event loop of each exporter.',
    normal: 'Some hundredths of a second.',
    otherwise:
      'Above the thresholds the exporter responds late: too many nodes for one process, or too little CPU.',
    unit: 's',
    steps: lineSteps(THRESHOLDS.eventLoopLagSeconds),
    limits: true,
  }),
  perExporter(ratio(metric('process_open_fds'), metric('process_max_fds')), {
    title: 'Open files',
    shows: 'Open file descriptors relative to the limit, of each exporter.',
    normal: 'A few percent.',
    otherwise: 'A steady increase is connections that are not closed: report it.',
    unit: 'percentunit',
    steps: lineSteps(THRESHOLDS.openFilesRatio),
    limits: true,
  }),
]

const up = stateTimeline({
  title: 'Flux API',
  shows:
    'Whether the last poll of the Flux API succeeded, also without data. Systems whose dashboard API has all metrics are not queried.',
  normal: 'Always ok.',
  otherwise:
    'Failed since the start: the system has no Flux API, or forbids it. Otherwise see “Polls of the Flux API” for the reason.',
  queries: [{ expr: perSystem(select('sds_system_query_up', ...SCOPE.system)), legend: '{{system}}' }],
  mappings: upDown(...QUERY_RESULT),
  noValue: 'No system is queried',
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
    { title: 'Flux API', panels: [up, polls] },
    { title: 'What the systems serve', panels: coverage },
    { title: 'Output', panels: output },
    { title: 'Authentication providers', collapsed: true, panels: [providerList] },
    { title: 'Process', collapsed: true, panels: processes },
  ],
}
