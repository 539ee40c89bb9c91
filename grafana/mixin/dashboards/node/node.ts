import { select } from '../../promql/expression.ts'
import { healthCode } from '../../promql/nodes.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { DISK_AREAS, HEALTH_MAPPINGS, REACHED_MAPPINGS, SPACE_AREAS, YES_NO } from '../../sdk/mappings.ts'
import { type SizedPanel, steps } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { nodeNow } from './now.ts'
import { one, oneEach } from './queries.ts'
import { nodeResources } from './resources.ts'
import { nodeService } from './service.ts'

const space = timeSeries({
  title: 'Space',
  shows: 'Usable space of the node: allocated, free and reserved, stacked.',
  normal: 'Allocated increases slowly, the sum is constant.',
  otherwise: 'A smaller sum means that disks became Bad, a larger one that disks were added.',
  queries: [
    { expr: one('sds_node_disk_space_allocated_bytes'), legend: 'Allocated' },
    { expr: one('sds_node_disk_space_free_bytes'), legend: 'Free' },
    { expr: one('sds_node_disk_space_reserved_bytes'), legend: 'Reserved' },
  ],
  unit: 'bytes',
  stacked: true,
  overrides: SPACE_AREAS,
  noValue: 'No data: see “Data”',
})

const forecastKey = ['target_percent', 'history_days'] as const

const forecasts = table({
  title: 'Forecasts',
  shows:
    "The storage system's own forecasts for the node: time until the target is reached, by days of history.",
  normal: 'Months, or available “no” when usage decreases or the history is too short.',
  otherwise:
    'A forecast is reliable when several histories agree. “reached” means that the target is passed.',
  rows: forecastKey,
  labelTitles: { target_percent: 'Target', history_days: 'Days' },
  columns: [
    {
      title: 'Available',
      expr: by('max', forecastKey, select('sds_node_capacity_forecast_available', ...SCOPE.node)),
      mappings: YES_NO,
    },
    {
      title: 'Time left',
      expr: by('min', forecastKey, select('sds_node_capacity_forecast_seconds', ...SCOPE.node)),
      unit: 'dtdurations',
      decimals: 0,
      mappings: REACHED_MAPPINGS,
      steps: steps(THRESHOLDS.forecastSeconds),
    },
  ],
  noValue: 'No data: see “Data”',
  width: 12,
})

const nodeCapacity: readonly SizedPanel[] = [space, forecasts]

const healthOverTime = stateTimeline({
  title: 'Health over time',
  shows: 'Health of the node. A gap is time without data.',
  normal: 'Always Good.',
  otherwise: 'Many short changes are a node that flaps: check its network links and power supplies.',
  queries: [{ expr: healthCode(['node'], SCOPE.node), legend: '{{node}}' }],
  mappings: HEALTH_MAPPINGS,
  noValue: 'No data: see “Data”',
  rows: 'one',
  width: 24,
  height: 4,
})

const disksOverTime = timeSeries({
  title: 'Disks by state over time',
  shows: 'Disks of the node by state, stacked.',
  normal: 'A constant number of Good disks.',
  otherwise:
    'A disk that became Bad and later Ready to replace has been rebuilt. A disk that stays Bad has not.',
  queries: [{ expr: oneEach('status', 'sds_node_disks_by_status'), legend: '{{status}}' }],
  stacked: true,
  stepped: true,
  overrides: DISK_AREAS,
  noValue: 'No data: see “Data”',
  width: 24,
})

const nodeHealth: readonly SizedPanel[] = [healthOverTime, disksOverTime]

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
