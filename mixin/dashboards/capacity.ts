import { barGauge } from '../grafana/bar_gauge.ts'
import type { Board } from '../grafana/board.ts'
import { rowToPool, seriesToNode, seriesToPool } from '../grafana/links.ts'
import { REACHED_MAPPING } from '../grafana/mappings.ts'
import { steps } from '../grafana/spec.ts'
import { gauge, stat } from '../grafana/stat.ts'
import { table } from '../grafana/table.ts'
import { dashed, timeSeries } from '../grafana/timeseries.ts'
import type { Duration } from '../promql/duration.ts'
import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import type { MetricName } from '../promql/metrics.ts'
import { perForecast, usedRatio } from '../promql/nodes.ts'
import { by, perNode, perNodeAnd, perSystem, ratio, sum, sumBy, sumByPool } from '../promql/operators.ts'
import { SCOPE } from '../promql/scope.ts'
import { GRAFANA, LIMITS, NODE_KEY, POOL_KEY, THRESHOLDS } from '../settings.ts'
import { feedOffers } from './common/coverage.ts'

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`
const ALLOCATED = 'sds_node_disk_space_allocated_bytes'

const total = (title: string, metric: MetricName, about: readonly [string, string, string]) =>
  stat({
    title,
    about,
    queries: [{ expr: sum(perNode(select(metric, ...SCOPE.pool))) }],
    unit: 'bytes',
    width: 4,
  })

const totals = [
  gauge({
    title: 'Space used',
    about: [
      'Allocated relative to usable space, summed over the selected pools before dividing; only nodes that serve both count.',
      'Below the yellow mark.',
      'Find the pool under “Space used by pool”: an average hides the full one.',
    ],
    queries: [{ expr: usedRatio(sum, SCOPE.pool) }],
    unit: 'percentunit',
    steps: steps(THRESHOLDS.usedRatio),
    width: 4,
  }),
  total('Usable', 'sds_node_disk_space_total_bytes', [
    'Usable disk space of the selected pools.',
    'Constant, except when disks are added.',
    'A fall is disks or nodes that left the pool: see the disks page.',
  ]),
  total('Allocated', ALLOCATED, [
    'Disk space allocated for chunks in the selected pools.',
    'Grows with the data.',
    'See “Growth” for how fast.',
  ]),
  total('Free', 'sds_node_disk_space_free_bytes', [
    'Free usable space on Good disks, without the reserve.',
    'More than the growth until new disks arrive.',
    'Order disks; until then delete or move data.',
  ]),
  total('Reserved', 'sds_node_disk_space_reserved_bytes', [
    'Disk space that the system holds in reserve, for rebuilds.',
    'A fixed share of the usable space, about a tenth.',
    'Not for use: do not count on it when planning.',
  ]),
  stat({
    title: 'Offline, all pools',
    about: [
      'Disk space that is offline, of the whole of each selected system: the feed repeats this figure on every node, so it is taken once a system.',
      '0.',
      'The disks page shows which enclosures have bad disks.',
    ],
    queries: [{ expr: sum(perSystem(select('sds_node_disk_space_offline_bytes', ...SCOPE.system))) }],
    unit: 'bytes',
    steps: [
      { value: null, color: 'green' },
      { value: 1, color: 'yellow' },
    ],
    width: 4,
  }),
]

const usedByPool = barGauge({
  title: 'Space used by pool',
  about: [
    'Allocated relative to usable space of each pool.',
    'Below the yellow mark.',
    'Click a bar to open the pool; order disks for those that are yellow.',
  ],
  queries: [
    { expr: promql`sort_desc(${usedRatio(sumByPool, SCOPE.pool)})`, legend: '{{system}} / {{pool}}' },
  ],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [seriesToPool],
  width: 8,
})

const usedOverTime = timeSeries({
  title: 'Space used over time',
  about: [
    'Allocated relative to usable space of each pool, with the marks for warning and alarm.',
    'A slow climb, and a step down when disks are added.',
    'A line that becomes steeper is new or runaway use: ask who writes.',
  ],
  queries: [{ expr: usedRatio(sumByPool, SCOPE.pool), legend: '{{system}} / {{pool}}' }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  limits: true,
  links: [seriesToPool],
  width: 16,
})

const PROJECTION_DAYS = 30
const projected = promql`predict_linear(${select(ALLOCATED, ...SCOPE.pool)}[7d], ${PROJECTION_DAYS} * 86400)`

const projection = timeSeries({
  title: `Allocated, and where it will be in ${PROJECTION_DAYS} days`,
  about: [
    `Allocated space of each pool; as dashed lines the value ${PROJECTION_DAYS} days later if the last seven days go on, and the usable space.`,
    'The projection stays below the usable space.',
    'Where it crosses, disks are needed within that time. It needs seven days of data to be worth anything.',
  ],
  queries: [
    { expr: sumByPool(perNode(select(ALLOCATED, ...SCOPE.pool))), legend: '{{system}} / {{pool}} allocated' },
    { expr: sumByPool(perNode(projected)), legend: '{{system}} / {{pool}} projected' },
    {
      expr: sumByPool(perNode(select('sds_node_disk_space_total_bytes', ...SCOPE.pool))),
      legend: '{{system}} / {{pool}} usable',
    },
  ],
  unit: 'bytes',
  min: 0,
  overrides: [dashed('/ projected$/'), dashed('/ usable$/', 'red')],
  links: [seriesToPool],
  width: 12,
  height: 9,
})

const growth = (range: Duration): Expression =>
  sumByPool(perNode(promql`delta(${select(ALLOCATED, ...SCOPE.pool)}[${range}])`))

const growthTable = table({
  title: 'Growth',
  about: [
    'Change of the allocated space of each pool within the last day, week and month.',
    'A week is about seven days, a month about four weeks.',
    'A day far above its week is a sudden writer. The month stays empty or too small where Prometheus keeps less (its default is 15 days) or has not run that long.',
  ],
  rows: POOL_KEY,
  columns: [
    { title: '1 day', expr: growth('1d'), unit: 'bytes' },
    { title: '7 days', expr: growth('7d'), unit: 'bytes' },
    { title: '30 days', expr: growth('30d'), unit: 'bytes' },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: '7 days',
  width: 12,
})

const MATRIX_KEY = ['system', 'pool', 'target_percent', 'history_days'] as const

const forecastMatrix = table({
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

const closest = barGauge({
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

const unavailable = stat({
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

const USED = ratio(
  perNode(select(ALLOCATED, ...SCOPE.pool)),
  perNode(select('sds_node_disk_space_total_bytes', ...SCOPE.pool)),
)

const imbalance = timeSeries({
  title: 'Fullest minus emptiest node',
  about: [
    'Difference between the fullest and the emptiest node of each pool, in share of their usable space.',
    'Below the yellow mark; larger for a while after nodes were added.',
    'A difference that does not shrink means that the system does not rebalance: new data hits the full node first.',
  ],
  queries: [
    {
      expr: promql`${by('max', POOL_KEY, USED)} - ${by('min', POOL_KEY, USED)}`,
      legend: '{{system}} / {{pool}}',
    },
  ],
  unit: 'percentunit',
  softMax: THRESHOLDS.imbalanceRatio.critical,
  steps: steps(THRESHOLDS.imbalanceRatio),
  limits: true,
  links: [seriesToPool],
  width: 12,
})

const levels = timeSeries({
  title: 'Space by level',
  about: [
    'Allocated and free space by level of the disks, over the selected pools, stacked.',
    'Level L1 holds nearly all.',
    'A level without free space stops what is written to it although the pool has room.',
  ],
  queries: (['allocated', 'free'] as const).map((kind) => ({
    expr: sumBy(
      ['level'],
      perNodeAnd('level', select(`sds_node_disk_space_${kind}_level_bytes`, ...SCOPE.pool)),
    ),
    legend: `${kind} {{level}}`,
  })),
  unit: 'bytes',
  min: 0,
  stacked: true,
  width: 12,
})

export const capacity: Board = {
  name: 'capacity',
  title: 'Storage / Capacity and forecast',
  question: 'When must I order disks, and for which pool?',
  variables: ['datasource', 'job', 'system', 'pool', 'topn'],
  from: 'now-30d',
  refresh: GRAFANA.refresh.trend,
  rows: [
    { title: 'Totals', tiles: totals },
    { title: 'Use', tiles: [usedByPool, usedOverTime, projection, growthTable] },
    {
      title: 'Forecast from the storage system',
      tiles: [unavailable, feedOffers(['capacity', 'forecasts'], 18), forecastMatrix, closest],
    },
    { title: 'Balance', collapsed: true, tiles: [imbalance, levels] },
  ],
}
