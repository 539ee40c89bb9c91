import { promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { usedRatio } from '../../promql/nodes.ts'
import { dedup, perNode, perSystem, sum, sumBy, sumByPool, top } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { seriesToPool, toPage } from '../../sdk/links.ts'
import { SPACE_PURPOSES } from '../../sdk/mappings.ts'
import { type About, from, lineSteps, type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { dashed, timeSeries } from '../../sdk/timeseries.ts'
import { POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { POOL_NAME } from '../common/lines.ts'
import { PROJECTED_RATIO, PROJECTION_DAYS, USED_RATIO } from './trend.ts'

const total = (title: string, metric: MetricName, about: About) =>
  stat({
    title,
    ...about,
    queries: [{ expr: sum(perNode(select(metric, ...SCOPE.pool))) }],
    unit: 'bytes',
    width: 4,
  })

export const totals: readonly SizedPanel[] = [
  stat({
    title: 'Space used',
    shows:
      'Allocated relative to usable space, summed over the selected pools before dividing; only nodes that serve both count.',
    normal: 'Below the warning threshold.',
    otherwise: 'Find the full pool under “When pools are full”.',
    queries: [{ expr: usedRatio(sum, SCOPE.pool) }],
    unit: 'percentunit',
    steps: steps(THRESHOLDS.usedRatio),
    width: 4,
  }),
  total('Usable', 'sds_node_disk_space_total_bytes', {
    shows: 'Usable disk space of the selected pools.',
    normal: 'Constant, except when disks are added.',
    otherwise: 'A decrease means that disks or nodes left the pool: see the disks dashboard.',
  }),
  total('Allocated', 'sds_node_disk_space_allocated_bytes', {
    shows: 'Disk space allocated for chunks in the selected pools.',
    normal: 'Grows with the stored data.',
    otherwise: 'See “When pools are full” for the growth.',
  }),
  total('Free', 'sds_node_disk_space_free_bytes', {
    shows: 'Free usable space on Good disks, without the reserve.',
    normal: 'More than the growth until new disks are delivered.',
    otherwise: 'Order disks. Until they are delivered, delete or move data.',
  }),
  total('Reserved', 'sds_node_disk_space_reserved_bytes', {
    shows: 'Disk space that the system reserves for rebuilds.',
    normal: 'A constant share of the usable space, about 10 %.',
    otherwise: 'Do not count it as free space when planning.',
  }),
  stat({
    title: 'Offline',
    shows:
      'Offline disk space of each selected system, over all pools. Every node reports the value of the whole system, so it is counted once per system.',
    normal: '0.',
    otherwise: 'The disks dashboard shows which nodes have bad disks.',
    queries: [{ expr: sum(perSystem(select('sds_node_disk_space_offline_bytes', ...SCOPE.system))) }],
    unit: 'bytes',
    steps: from(1, 'warning'),
    width: 4,
  }),
]

const POOL_PURPOSE = [...POOL_KEY, 'purpose'] as const
const byPurpose = dedup(POOL_PURPOSE, select('sds_pool_disk_space_allocated_purpose_bytes', ...SCOPE.pool))
/** Allocated space of the pools that serve it by purpose. */
const allocated = dedup(POOL_KEY, select('sds_pool_disk_space_allocated_bytes', ...SCOPE.pool))

export const purposes = timeSeries({
  title: 'Allocated space by purpose',
  shows:
    'Allocated space of the selected pools, by the purposes that the systems report, stacked. “Other” is what has none of these purposes.',
  normal: 'Mostly user data, with local protection, and copies of other sites where there are several.',
  otherwise:
    'Growing system metadata or geo cache: ask the support of the vendor. Growing “Other”: see garbage on the system dashboard.',
  queries: [
    { expr: sumBy(['purpose'], byPurpose), legend: '{{purpose}}' },
    { expr: sum(promql`${allocated} - on (${POOL_KEY}) ${sumByPool(byPurpose)}`), legend: 'Other' },
  ],
  unit: 'bytes',
  stacked: true,
  fewNames: true,
  overrides: SPACE_PURPOSES,
  noValue: 'Not served, or no data: see “Data” on the system dashboard',
  links: [toPage('System', 'system')],
  width: 24,
})

/** Text of panels on recorded sums. */
export const NEEDS_RULES = 'No data: see “Data”, and load the recording rules'

export const usedOverTime = timeSeries({
  title: `Top $topn pools by space used, and in ${PROJECTION_DAYS} days`,
  shows: `Allocated relative to usable space of the fullest pools. Dashed: the value in ${PROJECTION_DAYS} days by the linear trend of the seven days before, where there are seven days of data of the same nodes.`,
  normal: 'Increases slowly, and drops when disks are added. The dashed lines are below the thresholds.',
  otherwise:
    'A dashed line above a threshold: disks are needed within that time. A line that becomes steeper is new use or an error of a client: find the client that writes.',
  queries: [
    { expr: top(USED_RATIO), legend: POOL_NAME },
    { expr: top(PROJECTED_RATIO), legend: `${POOL_NAME}, in ${PROJECTION_DAYS} days` },
  ],
  unit: 'percentunit',
  steps: lineSteps(THRESHOLDS.usedRatio),
  limits: true,
  overrides: [dashed(`/, in ${PROJECTION_DAYS} days$/`)],
  noValue: NEEDS_RULES,
  links: [seriesToPool],
  width: 24,
  height: 10,
})
