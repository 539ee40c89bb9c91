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
    "The storage systems' own forecasts: the shortest of the nodes of a pool, by target and by days of history.",
    'Months. There is no row where the system makes no forecast: see “Forecasts not available”.',
    'Red is less than a week, yellow less than a month, “reached” means that the target is passed. Compare the histories: a short one shows a recent change.',
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
    'The nodes with the shortest forecast of the storage system.',
    'Months.',
    'Click a bar to open the node. Several nodes of one pool mean that the pool needs disks.',
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
    'Forecasts that the storage system reports as N/A, over all nodes, targets and histories.',
    'Any number: the system reports N/A when usage decreases or its history is too short.',
    'No action. Plan such pools with the projection above.',
  ],
  queries: [
    { expr: sum(promql`1 - ${perForecast(select('sds_node_capacity_forecast_available', ...SCOPE.pool))}`) },
  ],
  unit: 'none',
  width: 6,
})
