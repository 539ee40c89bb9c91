import { type Expression, promql, select } from '../../promql/expression.ts'
import { by, dedup, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import type { About } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, SYSTEM_KEY } from '../../settings.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NOT_READ, resourceData } from '../common/resource_data.ts'
import { ofSystem, systemTable, TABLES_UNREADY, unacknowledged } from '../common/systems.ts'
import { now } from './now.ts'
import { background, pools } from './pools.ts'
import { replication } from './replication.ts'

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

const software = [versions, licenses, tables] as const

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
    { title: 'Replication', panels: replication },
    { title: 'Garbage, recovery and erasure coding', panels: [pools, ...background] },
    { title: 'Software, licenses and tables', panels: software },
    { title: 'What is read', panels: [resourceData(['system', 'pools', 'replication', 'inventory'])] },
  ],
}
