import { type Expression, promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { by, dedup, sumBy, top } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { LINK_CELLS } from '../../sdk/mappings.ts'
import { type About, lineSteps, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, GROUP_KEY, LINK_KEY, SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NOT_READ, NOT_RECORDED, resourceData } from '../common/resource_data.ts'
import { LAG, ofSystem, systemTable, TABLES_UNREADY, unacknowledged } from '../common/systems.ts'
import { now } from './now.ts'
import { background, pools } from './pools.ts'

const pending = (title: string, kind: 'repository' | 'journal' | 'xor'): Column => ({
  title,
  expr: dedup(GROUP_KEY, select('sds_replication_group_pending_bytes', ...SCOPE.system, `kind="${kind}"`)),
  unit: 'bytes',
})
const perLink = (metric: MetricName) => dedup(LINK_KEY, select(metric, ...SCOPE.system))

const groups = table({
  title: 'Replication groups',
  shows:
    'The replication groups of the selected systems: their sites, the time for which their oldest data waits for replication, and the data that waits: objects, journals, and data to be encoded with XOR between three or more sites.',
  normal: 'A lag of minutes, and data that follows the load. Groups of one site have neither.',
  otherwise: 'A lag of hours: see “Links”, and check the bandwidth between the sites.',
  rows: GROUP_KEY,
  columns: [
    { title: 'Sites', expr: dedup(GROUP_KEY, select('sds_replication_group_sites', ...SCOPE.system)) },
    { title: 'Lag', expr: LAG, unit: 's', steps: steps(THRESHOLDS.replicationLagSeconds) },
    pending('Objects', 'repository'),
    pending('Journal', 'journal'),
    pending('XOR', 'xor'),
  ],
  sortBy: 'Lag',
  noValue: NOT_READ,
  height: 7,
})

const links = table({
  title: 'Links that have failed, or copy to a new site',
  shows:
    'Replication links of the selected systems that have failed, and those that copy the existing data to a site that was added or joined again, with their progress.',
  normal: 'Empty.',
  otherwise:
    'A failed link: check the network between the sites, and the nodes of the other site. A progress that does not change for hours: check the free space of the other site, too.',
  rows: LINK_KEY,
  columns: [
    { title: 'State', expr: perLink('sds_replication_link_failed'), mappings: LINK_CELLS },
    { title: 'Copied', expr: perLink('sds_replication_link_bootstrap_ratio'), unit: 'percentunit' },
  ],
  sortBy: 'State',
  noValue: 'No link has failed or copies, or no data: see “Data”',
  height: 6,
})

const GROUP_NAME = '{{system}} / {{replication_group}}'

const lag = timeSeries({
  title: 'Top $topn replication groups by lag',
  shows:
    'Time for which the oldest data of a group waits for replication, while data waits. It is the recovery point of the group.',
  normal: 'Minutes.',
  otherwise: 'A line that rises by an hour each hour: nothing is copied. See “Links”.',
  queries: [{ expr: top(LAG), legend: GROUP_NAME }],
  unit: 's',
  steps: lineSteps(THRESHOLDS.replicationLagSeconds),
  limits: true,
  interval: SAMPLE_INTERVAL,
  noValue: NOT_RECORDED,
})

const backlog = timeSeries({
  title: 'Top $topn groups by data that waits',
  shows: 'Data of a replication group that waits for replication, of all kinds.',
  normal: 'Follows the load.',
  otherwise: 'Growth for hours: more is written than is copied. Check the bandwidth between the sites.',
  queries: [{ expr: top(recorded(RECORDED.replicationPending, SCOPE.system)), legend: GROUP_NAME }],
  unit: 'bytes',
  interval: SAMPLE_INTERVAL,
  noValue: NOT_RECORDED,
})

const VERSION_KEY = [...SYSTEM_KEY, 'version'] as const

const versions = table({
  title: 'Software versions',
  shows: 'Nodes of the selected systems by the version of their software.',
  normal: 'One version for each system, or two during an upgrade, which takes days.',
  otherwise: 'Two versions for a week: the upgrade may have stopped.',
  rows: VERSION_KEY,
  columns: [
    {
      title: 'Nodes',
      expr: by(
        'count',
        VERSION_KEY,
        dedup([...VERSION_KEY, 'node'], select('sds_node_software_info', ...SCOPE.system)),
      ),
    },
  ],
  sortBy: 'Nodes',
  noValue: NOT_READ,
  width: 7,
})

const licenses = table({
  title: 'Licenses and tables',
  shows:
    'The selected systems: 1 if a licensed feature has expired, the time until the first one expires, where the system has a date, and the number of directory tables, by the Flux API.',
  normal: 'Not expired. The number of tables does not change.',
  otherwise: 'Order a license before it expires.',
  rows: SYSTEM_KEY,
  columns: [
    { title: 'Expired', expr: ofSystem('sds_system_license_expired') },
    {
      title: 'Expires in',
      expr: promql`${by('min', SYSTEM_KEY, select('sds_system_license_expiry_timestamp_seconds', ...SCOPE.system))} - time()`,
      unit: 'dtdurations',
      decimals: 0,
    },
    { title: 'Tables', expr: ofSystem('sds_system_directory_tables') },
  ],
  sortBy: 'Expired',
  noValue: NOT_READ,
  width: 10,
})

const tables = timeSeries({
  title: 'Tables not ready',
  shows: 'Directory tables of each selected system that are not ready or in no known state, by the Flux API.',
  normal: '0, except for minutes after a node stopped.',
  otherwise:
    'Requests for the objects in these tables fail or wait. Bring back nodes that are not available.',
  queries: [{ expr: TABLES_UNREADY, legend: '{{system}}' }],
  stepped: true,
  faults: true,
  interval: SAMPLE_INTERVAL,
  noValue: 'Not served, no Flux API, or no data: see “Data”',
  width: 7,
})

const counts = (title: string, expr: Expression, about: About, faults: boolean) =>
  timeSeries({
    title,
    ...about,
    queries: [{ expr, legend: '{{system}}' }],
    stepped: true,
    ...(faults && { faults }),
    noValue: NOT_READ,
  })

const ownAlerts = counts(
  'Critical alerts and errors by system',
  promql`${unacknowledged('Critical')} + ${unacknowledged('Error')}`,
  {
    shows: 'Alerts with the severity Critical or Error that are not acknowledged there.',
    normal: '0.',
    otherwise:
      'A step upwards is a new alert of the system. The management interface of the system lists them.',
  },
  true,
)

const ownWarnings = counts(
  'Warnings by system',
  unacknowledged('Warning'),
  {
    shows: 'Alerts with the severity Warning that are not acknowledged there.',
    normal: 'Constant. Many systems have old ones.',
    otherwise: 'Steady growth is a fault that returns. Repair it, and acknowledge those that are known.',
  },
  false,
)

const nodes = counts(
  'Nodes that are not Good by system',
  promql`${ofSystem('sds_system_nodes')} - ${ofSystem('sds_system_nodes_by_status', 'status="Good"')}`,
  {
    shows: 'Nodes that the system does not count as Good, including those in maintenance.',
    normal: '0, except for planned work.',
    otherwise: 'The pool dashboard names the nodes.',
  },
  false,
)

const BY_STATUS = [...SYSTEM_KEY, 'status'] as const
const disks = counts(
  'Disks that are not Good by system',
  promql`${ofSystem('sds_system_disks')} - ${sumBy(SYSTEM_KEY, dedup(BY_STATUS, select('sds_system_disks_by_status', ...SCOPE.system, 'status="Good"')))}`,
  {
    shows:
      'Disks that the system does not count as Good, including those in maintenance and those of nodes that are not available.',
    normal: 'Small steps until disks are replaced.',
    otherwise: 'Many at once: a node, an enclosure or a power supply. The disks dashboard lists the nodes.',
  },
  false,
)

export const system: DashboardSpec = {
  name: 'system',
  title: 'Storage / System',
  question: 'What does the storage system report about itself, and does its background work keep up?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'topn'],
  from: 'now-24h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Right now', panels: [...now, systemTable(6)] },
    { title: 'Alerts, nodes and disks', panels: [ownAlerts, ownWarnings, nodes, disks] },
    { title: 'Replication', panels: [groups, links, lag, backlog] },
    { title: 'Garbage, recovery and erasure coding', panels: [pools, ...background] },
    { title: 'Software, licenses and tables', panels: [versions, licenses, tables] },
    { title: 'What is read', panels: [resourceData(['system', 'pools', 'replication', 'inventory'])] },
  ],
}
