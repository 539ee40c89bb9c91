import { barGauge } from '../grafana/bar_gauge.ts'
import type { DashboardSpec } from '../grafana/dashboard.ts'
import { rowToNode, seriesToPool } from '../grafana/links.ts'
import { DISK_AREAS, DISK_COUNTS, onOff, PURPOSE_AREAS } from '../grafana/mappings.ts'
import { steps } from '../grafana/spec.ts'
import { stat } from '../grafana/stat.ts'
import { stateTimeline } from '../grafana/state_timeline.ts'
import { table } from '../grafana/table.ts'
import { timeSeries } from '../grafana/timeseries.ts'
import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import { perNode, perNodeAnd, sum, sumBy, sumByPool } from '../promql/operators.ts'
import { SCOPE } from '../promql/scope.ts'
import { DISK_COLORS, GRAFANA, MEASURES, NODE_KEY, THRESHOLDS } from '../settings.ts'
import { byPurpose, diskReadShare } from './common/disk_read_share.ts'
import { NO_DATA, servedAttributes } from './common/served_attributes.ts'

const DISKS = 'sds_node_disks_by_status'
const byStatus = (...matchers: readonly Matcher[]): Expression =>
  perNodeAnd('status', select(DISKS, ...SCOPE.node, ...matchers))

const states = stat({
  title: 'Disks by state',
  about: [
    'Disks of the selected nodes, by state.',
    'All Good, or a few that are Bad or Ready to replace.',
    'The table below lists the nodes.',
  ],
  queries: Object.keys(DISK_COLORS).map((status) => ({
    expr: sum(byStatus(`status="${status}"`)),
    legend: status,
  })),
  unit: 'none',
  overrides: DISK_COUNTS,
  width: 10,
})

const uncounted = stat({
  title: 'Not counted in any state',
  about: [
    'All disks minus those that are counted as Good, Bad, in maintenance or ready to replace.',
    '0.',
    'The system does not report the state of these disks, for example while a node starts. If the number stays, look at the management interface of the system.',
  ],
  queries: [{ expr: promql`${sum(perNode(select('sds_node_disks', ...SCOPE.node)))} - ${sum(byStatus())}` }],
  unit: 'none',
  steps: [
    { value: null, color: 'green' },
    { value: 1, color: 'yellow' },
  ],
  width: 4,
})

const ofStatus = (status: string): Expression =>
  promql`${perNode(select(DISKS, ...SCOPE.node, `status="${status}"`))} > 0`

const workList = table({
  title: 'Nodes with disks to repair',
  about: [
    'Nodes with disks that are not Good: the work list for the data centre.',
    'Empty.',
    'Remove only disks that are ready to replace: the data of a Bad disk is still being rebuilt. Download the table with “Inspect, Data”.',
  ],
  rows: NODE_KEY,
  columns: [
    {
      title: 'Ready to replace',
      expr: ofStatus('ReadyToReplace'),
      unit: 'none',
      steps: [{ value: null, color: 'orange' }],
      cell: 'text',
    },
    {
      title: 'Bad',
      expr: ofStatus('Bad'),
      unit: 'none',
      steps: [{ value: null, color: 'red' }],
      cell: 'text',
    },
    {
      title: 'Maintenance',
      expr: ofStatus('Maintenance'),
      unit: 'none',
      steps: [{ value: null, color: 'blue' }],
      cell: 'text',
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Ready to replace',
  noValue: 'All disks are Good',
  width: 24,
  height: 7,
})

const notGood = timeSeries({
  title: 'Disks that are not Good',
  about: [
    'Disks of the selected nodes that are not Good, by state, stacked.',
    'Small steps until disks are replaced.',
    'Many at once in one node point to its controller, cables or power, not to the disks.',
  ],
  queries: [{ expr: sumBy(['status'], byStatus('status!="Good"')), legend: '{{status}}' }],
  unit: 'none',
  min: 0,
  stacked: true,
  stepped: true,
  overrides: DISK_AREAS,
  width: 12,
})

const newlyBad = perNode(promql`clamp_min(delta(${select(DISKS, ...SCOPE.node, 'status="Bad"')}[1d]), 0)`)

const failures = timeSeries({
  title: 'Disks gone bad within a day',
  about: [
    'Increase of Bad disks of each pool within a day. The source is a gauge, so disks that were replaced within the day are not counted.',
    '0, sometimes 1.',
    'Several in one pool within a day: check whether they share a node, a batch or a firmware version.',
  ],
  queries: [{ expr: sumByPool(newlyBad), legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  min: 0,
  bars: true,
  links: [seriesToPool],
  width: 12,
})

const traffic = (direction: 'read' | 'write') =>
  timeSeries({
    title: `Disk ${direction}s by activity`,
    about: [
      `Bytes per second ${direction === 'read' ? 'read from' : 'written to'} the disks of the selected nodes, by purpose, stacked.`,
      'Mostly user traffic, with some erasure coding.',
      'A large red area is recovery after a disk or node failed. It uses bandwidth of users until it ends.',
    ],
    queries: [{ expr: sumBy(['purpose'], byPurpose(direction)), legend: '{{purpose}}' }],
    unit: 'Bps',
    min: 0,
    stacked: true,
    overrides: PURPOSE_AREAS,
    noValue: NO_DATA,
    width: 12,
  })

const RECOVERING = promql`(${sumByPool(byPurpose('write', 'purpose="recovery"'))} > bool ${MEASURES.recoveryBytesPerSecond})`

const recovery = stateTimeline({
  title: 'Recovery running',
  about: [
    `Whether the pool writes more than ${MEASURES.recoveryBytesPerSecond / 1e6} MB/s for recovery. A gap is time without data.`,
    'Idle, or recovering for some hours after a disk failed.',
    'Recovering for days: the rebuild is too slow, or it fails and starts again. Contact the support of the vendor.',
  ],
  queries: [{ expr: RECOVERING, legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  mappings: onOff('recovering', 'idle'),
  noValue: NO_DATA,
  links: [seriesToPool],
  width: 12,
})

const userShare = diskReadShare('purpose="user"', {
  title: 'Share of disk reads that serves users',
  about: [
    'Disk reads for users relative to all disk reads of each pool.',
    'High under load, low when background work runs.',
    'Low under load: background work uses the bandwidth that users need.',
  ],
})

/** Points of the subquery, whose step is five minutes. */
const POINTS_PER_HOUR = 12

const hours = barGauge({
  title: 'Hours of recovery in the last day',
  about: [
    'Hours of the last 24 in which each pool was recovering, in steps of five minutes.',
    '0, or a few hours after a failure.',
    'Near 24 on several days: see “Recovery running”.',
  ],
  queries: [
    {
      expr: promql`sum_over_time(${RECOVERING}[1d:5m]) / ${POINTS_PER_HOUR}`,
      legend: '{{system}} / {{pool}}',
    },
  ],
  unit: 'h',
  min: 0,
  max: 24,
  decimals: 1,
  steps: steps(THRESHOLDS.recoveryHours),
  noValue: NO_DATA,
  links: [seriesToPool],
  width: 24,
  height: 6,
})

export const disks: DashboardSpec = {
  name: 'disks',
  title: 'Storage / Disks and background work',
  question: 'Which nodes have disks to replace, and is the pool still rebuilding?',
  variables: ['datasource', 'job', 'system', 'pool', 'node'],
  from: 'now-24h',
  refresh: GRAFANA.refresh.slow,
  rows: [
    {
      title: 'Disks',
      panels: [states, uncounted, servedAttributes(['diskTraffic'], 10), workList, notGood, failures],
    },
    {
      title: 'Background work',
      panels: [traffic('read'), traffic('write'), recovery, userShare, hours],
    },
  ],
}
