import { barGauge } from '../../grafana/bar_gauge.ts'
import { rowToPool, seriesToNode } from '../../grafana/links.ts'
import { REACHED_MAPPING } from '../../grafana/mappings.ts'
import { steps } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { table } from '../../grafana/table.ts'
import { type Matcher, promql, select } from '../../promql/expression.ts'
import { perForecast } from '../../promql/nodes.ts'
import { by, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LIMITS, NODE_KEY, THRESHOLDS } from '../../settings.ts'

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`

const MATRIX_KEY = ['system', 'pool', 'target_percent', 'history_days'] as const

export const forecastMatrix = table({
  title: 'Time until target',
  about: [
    "The storage systems' own forecasts: the shortest of the nodes of a pool, by target and by the days of history that they look at.",
    'Months. No row where the system makes no forecast: see “Forecasts not available”.',
    'Red is less than a week, yellow less than a month, “reached” is passed: compare the histories, a long one sees the season, a short one sees the change.',
  ],
  rows: MATRIX_KEY,
  columns: [
    {
      title: 'Time until target',
      expr: by('min', MATRIX_KEY, perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.pool))),
      unit: 'dtdurations',
      decimals: 0,
      mappings: [REACHED_MAPPING],
      steps: steps(THRESHOLDS.forecastSeconds),
      cell: 'background',
    },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Time until target',
  ascending: true,
  noValue: 'no forecast',
  width: 12,
})

export const closest = barGauge({
  title: `Top $topn nodes closest to ${LIMITS.forecastTargetPercent} %`,
  about: [
    'The nodes that will be full first, by the shortest forecast of the storage system.',
    'Long bars: months.',
    'Click a bar to open the node; several nodes of one pool mean that the pool needs disks.',
  ],
  queries: [
    {
      expr: promql`bottomk($topn, ${by('min', NODE_KEY, perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.pool, TARGET)))})`,
      legend: '{{system}} / {{pool}} / {{node}}',
    },
  ],
  unit: 'dtdurations',
  decimals: 0,
  min: 0,
  mappings: [REACHED_MAPPING],
  steps: steps(THRESHOLDS.forecastSeconds),
  noValue: 'no forecast',
  links: [seriesToNode],
  width: 12,
  height: 9,
})

export const unavailable = stat({
  title: 'Forecasts not available',
  about: [
    'Forecasts for which the storage system said N/A, over all nodes, targets and histories.',
    'Any number: it is what the system says when usage falls or its history is too short.',
    'Nothing to do; plan such pools with the projection above.',
  ],
  queries: [
    { expr: sum(promql`1 - ${perForecast(select('sds_node_capacity_forecast_available', ...SCOPE.pool))}`) },
  ],
  unit: 'none',
  width: 6,
})
