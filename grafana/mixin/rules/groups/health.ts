import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { perNode, sumByPool } from '../../promql/operators.ts'
import { POLLED_POOLS } from '../../promql/polled_pools.ts'
import { HEALTH, LIMITS, NODE_KEY, POOL_KEY } from '../../settings.ts'
import { type Alert, type AlertGroup, alertsAbout, shown } from './rule.ts'
import { counted, dashboardOf, NODE, nodesWhere, POOL } from './templates.ts'

const { critical, warning, info } = alertsAbout({})

const nodePage = dashboardOf('node', NODE_KEY)
const poolPage = dashboardOf('pool', POOL_KEY)
const KNOWN = Object.keys(HEALTH).join('|')
const withStatus = (status: Matcher): Expression => select('sds_node_health_status', status)
const health = (status: string): Expression => perNode(withStatus(`status="${status}"`))
const maintenance = withStatus('status="Maintenance"')
const unavailable = sumByPool(perNode(withStatus('status=~"Bad|NotAccessible"')))

const states: readonly Alert[] = [
  critical('SdsNodesUnavailable', {
    expr: promql`${unavailable} >= ${LIMITS.unavailableNodes}
or
${unavailable} == count by (${POOL_KEY}) (${perNode(select('sds_node_health_status'))})`,
    for: '2m',
    keepFiringFor: '10m',
    summary: 'Several or all nodes of a storage pool are Bad or not accessible.',
    description: `${POOL}: the number of its nodes that are Bad or not accessible at the same time is {{ $value }}. Data may be unavailable.`,
    advice: 'call the support of the vendor now, and do not replace disks',
    status: shown('nodes', ['unavailable', '>=', LIMITS.unavailableNodes]),
    dashboard: poolPage,
  }),
  critical('SdsNodeBad', {
    expr: promql`${health('Bad')} == 1`,
    for: '5m',
    keepFiringFor: '15m',
    summary: 'A storage node is Bad.',
    description: `${NODE} reports the health status Bad. Data protection is reduced until it recovers.`,
    advice:
      'check the events of the node in the management interface of the system, and open a case with the vendor',
    status: shown('nodes', ['bad', '>', 0]),
    dashboard: nodePage,
  }),
  warning('SdsNodeNotAccessible', {
    expr: promql`${health('NotAccessible')} == 1`,
    for: '10m',
    keepFiringFor: '10m',
    summary: 'A storage node is not accessible.',
    description: `${NODE} cannot be reached by the other nodes of its system, for longer than a restart takes. Data protection is reduced until it returns.`,
    advice: 'use the console or the remote management board of the node',
    status: shown('nodes', ['not_accessible', '>', 0]),
    dashboard: nodePage,
  }),
  warning('SdsNodesSuspect', {
    expr: promql`${sumByPool(health('Suspect'))} > 0`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'Nodes of a storage pool are Suspect.',
    description: `${POOL} has ${counted('Suspect node')}${nodesWhere(': ', 'sds_node_health_status', 'status="Suspect"', '== 1')}. Suspect often precedes Bad.`,
    advice: 'check the events of the nodes in the management interface',
    status: shown('nodes', ['suspect', '>', 0]),
    dashboard: poolPage,
  }),
  warning('SdsNodesHealthUnknown', {
    expr: promql`count by (${POOL_KEY}) (
  ${perNode(withStatus(`status!~"${KNOWN}"`))} == 1
  or
  (
    ${perNode(select('sds_node_info'))}
    unless
    ${perNode(select('sds_node_health_status'))} == 1
  )
) > 0`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'The health of nodes of a storage pool is not known.',
    description: `${POOL}: {{ $value }} of its nodes report an unknown health status or none. No other health alert covers them.`,
    advice: 'look up the status in the management interface and act on it',
    status: shown('nodes', ['unknown', '>', 0]),
    dashboard: poolPage,
  }),
]

/** `min_over_time` and `offset` instead of `for: 24h`, because a restart of Prometheus may reset `for`. */
const maintenanceLong = info('SdsNodeMaintenanceLong', {
  expr: promql`min by (${NODE_KEY}) (min_over_time(${maintenance}[24h])) == 1
and
${perNode(maintenance)} == 1
and
${perNode(promql`${maintenance} offset 24h`)} == 1`,
  for: '5m',
  summary: 'A storage node has been in maintenance for a day.',
  description: `${NODE} has been in Maintenance for more than 24 hours. Its data is not protected as usual meanwhile.`,
  advice: 'find out who works on it, and end the maintenance if it is over',
  dashboard: nodePage,
})

const flapping = warning('SdsNodeFlapping', {
  expr: promql`${perNode(promql`changes(${withStatus('status="Good"')}[1h])`)} >= ${LIMITS.flappingChanges}`,
  keepFiringFor: '30m',
  summary: 'The health of a storage node changes repeatedly.',
  description: `${NODE} changed to or from Good {{ $value }} times within an hour: it restarts, or its network fails at times.`,
  advice: 'check its network, and its events in the management interface',
  dashboard: nodePage,
})

/** Matched by node id, so that a renamed node has not vanished. */
const vanished = warning('SdsNodeVanished', {
  expr: promql`(
  max by (system,pool,pool_id,node,node_id) (max_over_time(${select('sds_node_info')}[2h]))
  unless on (system,pool_id,node_id)
  max by (system,pool_id,node_id) (${select('sds_node_info')})
)
and on (system,pool_id) ${POLLED_POOLS}`,
  for: '15m',
  summary: 'A storage node is no longer listed by its system.',
  description: `${NODE} was listed within the last two hours. Its pool is polled successfully, but without the node.`,
  advice: 'find out whether it was removed or replaced; otherwise compare with the management interface',
  dashboard: poolPage,
})

export const healthGroup: AlertGroup = {
  name: 'sds-health',
  component: 'health',
  alerts: [...states, maintenanceLong, flapping, vanished],
}
