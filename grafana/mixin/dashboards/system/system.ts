import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, SYSTEM_KEY } from '../../settings.ts'
import { NOT_READ, resourceData } from '../common/resource_data.ts'
import { ofSystem, systemTable, unacknowledged } from '../common/systems.ts'
import { now } from './now.ts'
import { background, pools } from './pools.ts'
import { replication } from './replication.ts'
import { software } from './software.ts'

const counts = (title: string, expr: Expression, about: readonly [string, string, string], faults: boolean) =>
  timeSeries({
    title,
    about,
    queries: [{ expr, legend: '{{system}}' }],
    stepped: true,
    ...(faults && { faults }),
    noValue: NOT_READ,
  })

const ownAlerts = counts(
  'Critical alerts and errors by system',
  promql`${unacknowledged('Critical')} + ${unacknowledged('Error')}`,
  [
    'Alerts with the severity Critical or Error that are not acknowledged there.',
    '0.',
    'A step upwards is a new alert of the system. The management interface of the system lists them.',
  ],
  true,
)

const ownWarnings = counts(
  'Warnings by system',
  unacknowledged('Warning'),
  [
    'Alerts with the severity Warning that are not acknowledged there.',
    'Constant. Many systems have old ones.',
    'Steady growth is a fault that returns. Repair it, and acknowledge those that are known.',
  ],
  false,
)

const nodes = counts(
  'Nodes that are not Good by system',
  promql`${ofSystem('sds_system_nodes')} - ${ofSystem('sds_system_nodes_by_status', 'status="Good"')}`,
  [
    'Nodes that the system does not count as Good, including those in maintenance.',
    '0, except for planned work.',
    'The pool dashboard names the nodes.',
  ],
  false,
)

const BY_STATUS = [...SYSTEM_KEY, 'status'] as const
const disks = counts(
  'Disks that are not Good by system',
  promql`${ofSystem('sds_system_disks')} - ${sumBy(SYSTEM_KEY, dedup(BY_STATUS, select('sds_system_disks_by_status', ...SCOPE.system, 'status="Good"')))}`,
  [
    'Disks that the system does not count as Good, including those in maintenance and those of nodes that are not available.',
    'Small steps until disks are replaced.',
    'Many at once: a node, an enclosure or a power supply. The disks dashboard lists the nodes.',
  ],
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
