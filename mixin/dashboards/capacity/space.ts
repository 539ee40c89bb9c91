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
      'Below the warning threshold.',
      'Find the full pool under “Space used by pool”.',
    ],
    queries: [{ expr: usedRatio(sum, SCOPE.pool) }],
    unit: 'percentunit',
    steps: steps(THRESHOLDS.usedRatio),
    width: 4,
  }),
  total('Usable', 'sds_node_disk_space_total_bytes', [
    'Usable disk space of the selected pools.',
    'Constant, except when disks are added.',
    'A decrease means that disks or nodes left the pool: see the disks dashboard.',
  ]),
  total('Allocated', ALLOCATED, [
    'Disk space allocated for chunks in the selected pools.',
    'Grows with the stored data.',
    'See “Growth” for the rate.',
  ]),
  total('Free', 'sds_node_disk_space_free_bytes', [
    'Free usable space on Good disks, without the reserve.',
    'More than the growth until new disks are delivered.',
    'Order disks. Until they are delivered, delete or move data.',
  ]),
  total('Reserved', 'sds_node_disk_space_reserved_bytes', [
    'Disk space that the system reserves for rebuilds.',
    'A constant share of the usable space, about 10 %.',
    'Do not count it as free space when planning.',
  ]),
  stat({
    title: 'Offline, all pools',
    about: [
      'Offline disk space of each selected system, over all pools. Every node reports the value of the whole system, so it is counted once per system.',
      '0.',
      'The disks dashboard shows which nodes have bad disks.',
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
    'Below the warning threshold.',
    'Click a bar to open the pool. Order disks for pools above the warning threshold.',
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
    'Allocated relative to usable space of each pool, with both thresholds.',
    'Increases slowly, and drops when disks are added.',
    'A line that becomes steeper is new use or an error of a client: find the client that writes.',
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
  title: `Allocated space now and in ${PROJECTION_DAYS} days`,
  about: [
    `Allocated space of each pool. Dashed: the usable space, and the value in ${PROJECTION_DAYS} days by the linear trend of the last seven days.`,
    'The projection is below the usable space.',
    'Where the projection is above the usable space, disks are needed within that time. The projection needs seven days of data.',
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
    'The week is about seven times the day, the month about four times the week.',
    'A day far above a seventh of its week is sudden growth. The month is empty or too small where Prometheus has less than 30 days of data (its default retention is 15 days).',
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
