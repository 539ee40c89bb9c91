import { barGauge } from '../../grafana/bar_gauge.ts'
import { rowToPool, seriesToPool } from '../../grafana/links.ts'
import { steps } from '../../grafana/spec.ts'
import { gauge, stat } from '../../grafana/stat.ts'
import { table } from '../../grafana/table.ts'
import { dashed, timeSeries } from '../../grafana/timeseries.ts'
import type { Duration } from '../../promql/duration.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { usedRatio } from '../../promql/nodes.ts'
import { perNode, perSystem, sum, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY, THRESHOLDS } from '../../settings.ts'

export const ALLOCATED = 'sds_node_disk_space_allocated_bytes'

const total = (title: string, metric: MetricName, about: readonly [string, string, string]) =>
  stat({
    title,
    about,
    queries: [{ expr: sum(perNode(select(metric, ...SCOPE.pool))) }],
    unit: 'bytes',
    width: 4,
  })

export const totals = [
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

export const usedByPool = barGauge({
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

export const usedOverTime = timeSeries({
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

export const projection = timeSeries({
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

export const growthTable = table({
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
