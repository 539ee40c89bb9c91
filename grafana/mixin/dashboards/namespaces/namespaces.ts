import type { Expression } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { top } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { seriesToNamespace } from '../../sdk/links.ts'
import { type About, lineSteps } from '../../sdk/spec.ts'
import { type TimeSeriesSpec, timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { NOT_READ, NOT_RECORDED, resourceData } from '../common/resource_data.ts'
import { bucketTables, largest, QUOTA_USED, quotas, systems, USED } from './tables.ts'

/** Usage is read every 15 minutes. */
const USAGE_INTERVAL = '15m'

const topNamespaces = ({ expr, ...panel }: Omit<TimeSeriesSpec, 'queries'> & { expr: Expression }) =>
  timeSeries({
    interval: USAGE_INTERVAL,
    ...panel,
    queries: [{ expr: top(expr), legend: '{{system}} / {{namespace}}' }],
    links: [seriesToNamespace],
  })

const quotaUsed = topNamespaces({
  title: 'Used part of the hard quota of the top $topn namespaces',
  shows: 'Used size relative to the hard quota, of the selected namespaces that use most of it.',
  normal: 'Below the thresholds, rising slowly.',
  otherwise:
    'A line that becomes steeper is new use or an error of a client. At the hard quota, writes are refused.',
  expr: QUOTA_USED,
  unit: 'percentunit',
  steps: lineSteps(THRESHOLDS.quotaRatio),
  limits: true,
  noValue: 'No namespace has a hard quota, no data (see “Data”), or no recording rules',
  width: 24,
})

const sizes = topNamespaces({
  title: 'Size of the top $topn namespaces',
  shows: 'Size of the objects of the largest selected namespaces, without protection overhead.',
  normal: 'Grows slowly.',
  otherwise: 'A line that becomes steeper is new use or an error of a client.',
  expr: USED,
  unit: 'bytes',
  noValue: NOT_READ,
  width: 24,
})

const bySystem = (
  title: string,
  name: typeof RECORDED.namespacesUsed | typeof RECORDED.namespaceObjects,
  unit: string,
  about: About,
) =>
  timeSeries({
    title,
    ...about,
    queries: [{ expr: recorded(name, SCOPE.system), legend: '{{system}}' }],
    unit,
    interval: USAGE_INTERVAL,
    noValue: NOT_RECORDED,
  })

export const namespaces: DashboardSpec = {
  name: 'namespaces',
  title: 'Storage / Namespaces',
  question: 'Which namespaces grow, and which reach their quota?',
  variables: ['datasource', 'cluster', 'job', 'system', 'namespace', 'topn'],
  from: 'now-30d',
  refresh: GRAFANA.refresh.trend,
  rows: [
    { title: 'Right now', panels: [systems, quotas, largest] },
    {
      title: 'Growth',
      panels: [
        quotaUsed,
        sizes,
        bySystem('Size of all namespaces by system', RECORDED.namespacesUsed, 'bytes', {
          shows:
            'Size of the objects of all exported namespaces of each system, without protection overhead.',
          normal: 'Grows slowly.',
          otherwise:
            'The used space of the pools grows by more, because of protection overhead and garbage: see the capacity dashboard.',
        }),
        bySystem('Objects of all namespaces by system', RECORDED.namespaceObjects, 'short', {
          shows: 'Objects of all exported namespaces of each system.',
          normal: 'Grows with the size.',
          otherwise: 'More objects without more size are small objects, which need more metadata.',
        }),
      ],
    },
    { title: 'Buckets', collapsed: true, panels: bucketTables },
    { title: 'What is read', panels: [resourceData(['namespaces', 'quotas', 'buckets'])] },
  ],
}
