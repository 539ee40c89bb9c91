import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { by, dedup, perSystem } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToSystem } from '../../sdk/links.ts'
import { from, type SizedPanel, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'

/** A value of each selected system. */
export const ofSystem = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  perSystem(select(metric, ...SCOPE.system, ...matchers))

export const unacknowledged = (severity: 'Critical' | 'Error' | 'Warning' | 'Info'): Expression =>
  ofSystem('sds_system_alerts_unacknowledged', `severity="${severity}"`)

const nodesIn = (status: 'Good' | 'Bad' | 'Maintenance'): Expression =>
  ofSystem('sds_system_nodes_by_status', `status="${status}"`)
/** Nodes in no status that systems count: Suspect or not accessible. */
export const NODES_UNACCOUNTED = promql`${ofSystem('sds_system_nodes')} - ${nodesIn('Good')} - ${nodesIn('Bad')} - ${nodesIn('Maintenance')}`

/** Directory tables in an unknown state, or in a known state other than ready. */
export const TABLES_UNREADY = by(
  'sum',
  SYSTEM_KEY,
  dedup([...SYSTEM_KEY, 'state'], select('sds_system_directory_tables_by_state', ...SCOPE.system)),
)

/** The lag of groups with data that waits. */
export const LAG = promql`(${recorded(RECORDED.replicationLag, SCOPE.system)} and ${recorded(RECORDED.replicationPending, SCOPE.system)} > 0)`

const columns: readonly Column[] = [
  { title: 'Critical', expr: unacknowledged('Critical'), steps: from(1, 'critical') },
  { title: 'Errors', expr: unacknowledged('Error'), steps: from(1, 'failed') },
  { title: 'Warnings', expr: unacknowledged('Warning') },
  { title: 'Nodes away', expr: NODES_UNACCOUNTED, steps: from(1, 'warning') },
  { title: 'Failed links', expr: ofSystem('sds_replication_links_failed'), steps: from(1, 'critical') },
  {
    title: 'Lag',
    expr: by('max', SYSTEM_KEY, LAG),
    unit: 's',
    steps: steps(THRESHOLDS.replicationLagSeconds),
  },
  {
    title: 'To replicate',
    expr: by('sum', SYSTEM_KEY, recorded(RECORDED.replicationPending, SCOPE.system)),
    unit: 'bytes',
  },
]

/** One row for each system: its own alerts, and its replication. */
export const systemTable = (height: number): SizedPanel =>
  table({
    title: 'Systems',
    shows:
      'What each selected system reports about itself: its own alerts that are not acknowledged, nodes that it counts neither as Good nor as Bad nor as in maintenance, failed replication links, the longest time for which data of a replication group waits, and the data of all groups that waits. “VDC” is its name in the federation.',
    normal:
      'No critical alerts or errors, no nodes away, no failed links, a lag of minutes. Without a second site, nothing waits.',
    otherwise: 'Click a system for the details. Its own alerts are listed in its management interface.',
    rows: SYSTEM_KEY,
    columns,
    texts: [
      {
        title: 'VDC',
        label: 'vdc',
        expr: by('max', [...SYSTEM_KEY, 'vdc'], select('sds_system_vdc_info', ...SCOPE.system)),
      },
    ],
    cellLinks: { system: rowToSystem },
    sortBy: 'Critical',
    noValue: 'Not served, or no data',
    height,
  })
