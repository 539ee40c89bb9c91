import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup, ratio, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { ALERT_COUNTS, DISK_COUNTS, HEALTH_COUNTS } from '../../sdk/mappings.ts'
import { type About, from, type SizedPanel, type Step } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { DISKS, SYSTEM_KEY } from '../../settings.ts'
import { NODES_UNACCOUNTED, ofSystem, TABLES_UNREADY, unacknowledged } from '../common/systems.ts'
import { CODED, GARBAGE_PENDING, ofPool, TO_CODE } from './queries.ts'

const ownAlerts = stat({
  title: 'Unacknowledged alerts',
  shows:
    'Alerts of the selected systems that are not acknowledged there, by severity. They are not the alerts of Prometheus.',
  normal: 'No Critical and no Error. Many systems have some warnings and notes.',
  otherwise: 'The management interface of the system lists them.',
  queries: (['Critical', 'Error', 'Warning', 'Info'] as const).map((severity) => ({
    expr: sum(unacknowledged(severity)),
    legend: severity,
  })),
  overrides: ALERT_COUNTS,
  width: 8,
})

const nodes = stat({
  title: 'Nodes as counted by the system',
  shows:
    'Nodes of the selected systems by status, as the systems count them. “Away” are those in none of the statuses: Suspect or not accessible. A node that is not available is counted as Bad after an hour.',
  normal: 'All Good.',
  otherwise: 'The pool dashboard names the nodes.',
  queries: [
    ...(['Good', 'Maintenance', 'Bad'] as const).map((status) => ({
      expr: sum(ofSystem('sds_system_nodes_by_status', `status="${status}"`)),
      legend: status,
    })),
    { expr: sum(NODES_UNACCOUNTED), legend: 'Away' },
  ],
  overrides: [
    ...HEALTH_COUNTS,
    {
      name: 'Away',
      properties: [{ id: 'thresholds', value: { mode: 'absolute', steps: from(1, 'warning') } }],
    },
  ],
  width: 8,
})

const disks = stat({
  title: 'Disks as counted by the system',
  shows:
    'Disks of the selected systems by status, as the systems count them. They are in no status where a node is not available.',
  normal: 'All Good, or a few that are Bad or ready to replace.',
  otherwise: 'The disks dashboard lists the nodes.',
  queries: Object.keys(DISKS).map((status) => ({
    expr: sum(ofSystem('sds_system_disks_by_status', `status="${status}"`)),
    legend: status,
  })),
  overrides: DISK_COUNTS,
  width: 8,
})

const tile = (
  title: string,
  expr: Expression,
  unit: string,
  about: About,
  steps?: readonly Step[],
): SizedPanel => stat({ title, ...about, queries: [{ expr }], unit, ...(steps && { steps }), width: 4 })

export const now: readonly SizedPanel[] = [
  ownAlerts,
  nodes,
  disks,
  tile(
    'Failed links',
    sum(ofSystem('sds_replication_links_failed')),
    'none',
    {
      shows: 'Replication links of the selected systems that have failed.',
      normal: '0. Systems of one site have none.',
      otherwise: '“Links” below names them. Check the network and the other site.',
    },
    from(1, 'critical'),
  ),
  tile('Garbage', sum(GARBAGE_PENDING), 'bytes', {
    shows: 'Garbage of the selected pools that is to be reclaimed.',
    normal: 'It changes with deletes and overwrites, and does not grow for days.',
    otherwise: '“Pools” below shows whether garbage collection is on.',
  }),
  tile('To recover', sum(ofPool('sds_pool_recovery_bad_chunks_bytes')), 'bytes', {
    shows:
      'Data in bad chunks of the selected pools. It may be a value of weeks ago: “Pools” below has its age.',
    normal: '0, or some hours after a disk or node failed.',
    otherwise: 'If it does not fall, see “Data to recover” below.',
  }),
  tile('Coded', ratio(sum(CODED), sum(TO_CODE)), 'percentunit', {
    shows: 'Erasure coded data relative to all data that is to be, summed over the selected pools.',
    normal: 'Above 95 %. It falls during a large import.',
    otherwise: 'Erasure coding needs enough available nodes and free space.',
  }),
  tile(
    'Tables',
    sum(TABLES_UNREADY),
    'none',
    {
      shows:
        'Directory tables of the selected systems that are not ready or in no known state, by the Flux API.',
      normal: '0, except for minutes after a node stopped.',
      otherwise:
        'Requests for the objects in these tables fail or wait. Bring back nodes that are not available.',
    },
    from(1, 'critical'),
  ),
  tile(
    'Versions',
    promql`max(count by (${SYSTEM_KEY}) (${dedup([...SYSTEM_KEY, 'version'], select('sds_node_software_info', ...SCOPE.system))}))`,
    'none',
    {
      shows: 'Software versions of the nodes of the selected system that has the most.',
      normal: '1, or 2 during an upgrade, which takes days.',
      otherwise: '“Software versions” below counts the nodes of each version.',
    },
  ),
]
