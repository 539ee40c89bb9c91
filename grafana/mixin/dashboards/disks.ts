import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import { RECORDED } from '../promql/metrics.ts'
import { perNode, perNodeAnd, sum, sumBy, sumByPool } from '../promql/operators.ts'
import { recordedSelector } from '../promql/recorded.ts'
import { SCOPE } from '../promql/scope.ts'
import type { DashboardSpec } from '../sdk/dashboard.ts'
import { rowToNode, rowToPool, seriesToPool } from '../sdk/links.ts'
import { DISK_AREAS, DISK_CELLS, DISK_COUNTS, RECOVERY_MAPPINGS } from '../sdk/mappings.ts'
import { barSteps, from } from '../sdk/spec.ts'
import { stat } from '../sdk/stat.ts'
import { stateTimeline } from '../sdk/state_timeline.ts'
import { table } from '../sdk/table.ts'
import { timeSeries } from '../sdk/timeseries.ts'
import { DISKS as DISK_STATES, GRAFANA, MEASURES, NODE_KEY, POOL_KEY, THRESHOLDS } from '../settings.ts'
import { byPurpose, diskActivity, diskReadShare } from './common/disk_traffic.ts'
import { POOL_NAME, SAMPLE_INTERVAL, topPools } from './common/lines.ts'
import { NO_RECORDED_DATA, poolData } from './common/pool_data.ts'

const DISKS = 'sds_node_disks_by_status'
const byStatus = (...matchers: readonly Matcher[]): Expression =>
  perNodeAnd('status', select(DISKS, ...SCOPE.node, ...matchers))

const states = stat({
  title: 'Disks by state',
  shows: 'Disks of the selected nodes, by state.',
  normal: 'All Good, or a few that are Bad or Ready to replace.',
  otherwise: 'The table below lists the nodes.',
  queries: Object.keys(DISK_STATES).map((status) => ({
    expr: sum(byStatus(`status="${status}"`)),
    legend: status,
  })),
  overrides: DISK_COUNTS,
  width: 16,
})

const uncounted = stat({
  title: 'Not counted in any state',
  shows: 'All disks minus those that are counted as Good, Bad, in maintenance or ready to replace.',
  normal: '0.',
  otherwise:
    'The system does not report the state of these disks, for example while a node starts. If the number stays, look at the management interface of the system.',
  queries: [{ expr: promql`${sum(perNode(select('sds_node_disks', ...SCOPE.node)))} - ${sum(byStatus())}` }],
  steps: from(1, 'warning'),
  width: 8,
})

const workList = table({
  title: 'Nodes with disks to repair',
  shows:
    'Nodes with disks that are neither Good nor in maintenance, by the state of the disks: the work list for the data centre.',
  normal: 'Empty.',
  otherwise:
    'Remove only disks that are ready to replace: the data of a Bad disk is still being rebuilt. Download the table with “Inspect, Data”.',
  rows: [...NODE_KEY, 'status'],
  columns: [{ title: 'Disks', expr: promql`${byStatus('status!~"Good|Maintenance"')} > 0` }],
  labelMappings: { status: DISK_CELLS },
  cellLinks: { node: rowToNode },
  sortBy: 'Disks',
  noValue: 'No disk to repair, or no data: see “Data”',
  height: 7,
})

const notGood = timeSeries({
  title: 'Disks that are not Good',
  shows: 'Disks of the selected pools that are not Good, by state, stacked.',
  normal: 'Small steps until disks are replaced.',
  otherwise: 'Many at once in one node point to its controller, cables or power, not to the disks.',
  queries: [
    {
      expr: sumBy(['status'], recordedSelector(RECORDED.disks, SCOPE.pool, 'status!="Good"')),
      legend: '{{status}}',
    },
  ],
  stacked: true,
  stepped: true,
  fewNames: true,
  overrides: DISK_AREAS,
  noValue: NO_RECORDED_DATA,
})

const badDisks = recordedSelector(RECORDED.disks, SCOPE.pool, 'status="Bad"')

const failures = topPools({
  title: 'Top $topn pools by disks gone bad in a day',
  shows:
    'Bad disks of each pool, less the smallest number within the day before, where it is above 0. Disks that were replaced within the day are not counted.',
  normal: 'Empty, sometimes 1.',
  otherwise:
    'Several in one pool within a day: check whether they share a node, a batch or a firmware version.',
  expr: promql`(${sumByPool(promql`${badDisks} - min_over_time(${badDisks}[1d])`)} > 0)`,
  bars: true,
  faults: true,
  noValue: 'No disk has gone bad, no data (see “Data”), or no recording rules',
})

const traffic = (direction: 'read' | 'write') =>
  diskActivity(direction, 'the selected pools', sumBy(['purpose'], byPurpose(direction)), {
    noValue: NO_RECORDED_DATA,
    interval: SAMPLE_INTERVAL,
  })

const RECOVERY_WRITES = sumByPool(byPurpose('write', 'purpose="recovery"'))
const RECOVERING = promql`(${RECOVERY_WRITES} > bool ${MEASURES.recoveryBytesPerSecond})`

const recovery = stateTimeline({
  title: 'Pools that were recovering',
  shows: `Pools that wrote more than ${MEASURES.recoveryBytesPerSecond / 1e6} MB/s for recovery at some time in the time range. A gap is time without data.`,
  normal: 'Empty, or recovering for some hours after a disk failed.',
  otherwise:
    'Recovering for days: the rebuild is too slow, or it fails and starts again. Contact the support of the vendor.',
  queries: [
    {
      expr: promql`${RECOVERING} and max_over_time(${RECOVERING}[$__range:5m] @ end()) == 1`,
      legend: POOL_NAME,
    },
  ],
  mappings: RECOVERY_MAPPINGS,
  noValue: 'No pool was recovering, not served (see “Data”), or no recording rules',
  links: [seriesToPool],
  width: 12,
})

const userShare = diskReadShare('purpose="user"', {
  title: 'Top $topn pools: disk reads for users',
  shows: 'Disk reads for users relative to all disk reads, of the pools where it is largest.',
  normal: 'High under load, low when background work runs.',
  otherwise: 'Low under load: background work uses the bandwidth that users need.',
})

/** Points of the subquery, whose step is five minutes. */
const POINTS_PER_HOUR = 12

const hours = table({
  title: 'Top $topn pools by hours of recovery',
  shows:
    'Hours of the last 24 in which a pool was recovering, in steps of five minutes; pools that were not are not listed.',
  normal: 'Empty, or a few hours after a failure.',
  otherwise: 'Near 24 on several days: see “Pools that were recovering”.',
  rows: POOL_KEY,
  columns: [
    {
      title: 'Hours',
      expr: promql`topk($topn, sum_over_time(${RECOVERING}[1d:5m]) / ${POINTS_PER_HOUR} > 0)`,
      // Hours as a unit would show 24 of them as a day.
      decimals: 1,
      max: 24,
      steps: barSteps(THRESHOLDS.recoveryHours),
      bar: true,
    },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Hours',
  noValue: 'No recovery in the last day, not served (see “Data”), or no recording rules',
  width: 12,
})

const recoveryTraffic = topPools({
  title: 'Top $topn pools by recovery writes',
  shows: 'Bytes per second written for recovery, of the pools with the most.',
  normal: 'None, or for some hours after a disk or node failed.',
  otherwise:
    'A rate that does not decrease for days: the rebuild does not end. Contact the support of the vendor.',
  expr: RECOVERY_WRITES,
  unit: 'Bps',
  noValue: NO_RECORDED_DATA,
})

export const disks: DashboardSpec = {
  name: 'disks',
  title: 'Storage / Disks and background work',
  question: 'Which nodes have disks to replace, and is the pool still rebuilding?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-24h',
  refresh: GRAFANA.refresh.slow,
  rows: [
    { title: 'Disks', panels: [poolData(['diskTraffic']), states, uncounted, workList, notGood, failures] },
    {
      title: 'Background work',
      panels: [traffic('read'), traffic('write'), recovery, hours, recoveryTraffic, userShare],
    },
  ],
}
