import { select } from '../../promql/expression.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { REACHED_MAPPINGS, SPACE_AREAS, YES_NO } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { steps } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { THRESHOLDS } from '../../settings.ts'
import { one } from './queries.ts'

const space = timeSeries({
  title: 'Space',
  about: [
    'Usable space of the node: allocated, free and reserved, stacked.',
    'Allocated increases slowly, the sum is constant.',
    'A smaller sum means that disks became Bad, a larger one that disks were added.',
  ],
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
  about: [
    "The storage system's own forecasts for the node: time until the target is reached, by days of history.",
    'Months, or available “no” when usage decreases or the history is too short.',
    'A forecast is reliable when several histories agree. “reached” means that the target is passed.',
  ],
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

export const nodeCapacity: readonly SizedPanel[] = [space, forecasts]
