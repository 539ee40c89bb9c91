import { dashboardOf, health, NODE, POOL, POOL_ANSWERS, perNode, poolSum } from '../../promql/expressions.ts'
import { HEALTH, LIMITS, NODE_KEY, POOL_KEY } from '../../settings.ts'
import type { Alert, AlertGroup } from './rule.ts'

const nodePage = dashboardOf('node', NODE_KEY)
const maintenance = 'sds_node_health_status{status="Maintenance"}'

const unavailable = poolSum('sds_node_health_status{status=~"Bad|NotAccessible"}')

const states: readonly Alert[] = [
  {
    alert: 'SdsNodeBad',
    severity: 'critical',
    expr: `${health('Bad')} == 1`,
    for: '5m',
    keepFiringFor: '15m',
    summary: 'A storage node is Bad.',
    description: `${NODE} reports the health status Bad. Data protection is reduced until it recovers.`,
    dashboard: nodePage,
  },
  {
    alert: 'SdsNodeNotAccessible',
    severity: 'warning',
    expr: `${health('NotAccessible')} == 1`,
    for: '10m',
    keepFiringFor: '10m',
    summary: 'A storage node is not accessible.',
    description: `${NODE} cannot be reached by its own system. A restart takes minutes; this lasts longer.`,
    dashboard: nodePage,
  },
  {
    alert: 'SdsNodesUnavailable',
    severity: 'critical',
    expr: `${unavailable} >= ${LIMITS.unavailableNodes}
or
${unavailable} == count by (${POOL_KEY.join(',')}) (${perNode('sds_node_health_status')})`,
    for: '2m',
    keepFiringFor: '10m',
    summary: 'Several or all nodes of a storage pool are Bad or not accessible.',
    description: `${POOL}: the number of its nodes that are Bad or not accessible at once is {{ $value }}. Data may be unavailable.`,
    dashboard: dashboardOf('pool', POOL_KEY),
  },
  {
    alert: 'SdsNodeSuspect',
    severity: 'warning',
    expr: `${health('Suspect')} == 1`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'A storage node is Suspect.',
    description: `${NODE} reports the health status Suspect, which often precedes Bad.`,
    dashboard: nodePage,
  },
  {
    alert: 'SdsNodeHealthUnknown',
    severity: 'warning',
    expr: `${perNode(`sds_node_health_status{status!~"${Object.keys(HEALTH).join('|')}"}`)} == 1
or
(
  ${perNode('sds_node_info')}
  unless
  ${perNode('sds_node_health_status')} == 1
)`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'The health of a storage node is not known.',
    description: `${NODE} is in the feed, but with no health status or with one that is not documented: no other health alert can speak of it.`,
    dashboard: nodePage,
  },
]

/** `min_over_time` and `offset` instead of `for: 24h`, so that a restart of Prometheus does not start anew. */
const maintenanceLong: Alert = {
  alert: 'SdsNodeMaintenanceLong',
  severity: 'info',
  expr: `min by (${NODE_KEY.join(',')}) (min_over_time(${maintenance}[24h])) == 1
and
${perNode(maintenance)} == 1
and
${perNode(`${maintenance} offset 24h`)} == 1`,
  for: '5m',
  summary: 'A storage node has been in maintenance for a day.',
  description: `${NODE} has been in Maintenance for more than 24 hours. Perhaps it was forgotten.`,
  dashboard: nodePage,
}

const flapping: Alert = {
  alert: 'SdsNodeFlapping',
  severity: 'warning',
  expr: `${perNode('changes(sds_node_health_status{status="Good"}[1h])')} >= ${LIMITS.flappingChanges}`,
  keepFiringFor: '30m',
  summary: 'The health of a storage node keeps changing.',
  description: `${NODE} went into or out of Good {{ $value }} times within an hour.`,
  dashboard: nodePage,
}

/** Matched by the node's id, so that a renamed node is not a vanished one. */
const vanished: Alert = {
  alert: 'SdsNodeVanished',
  severity: 'warning',
  expr: `(
  max by (system,pool,pool_id,node,node_id) (max_over_time(sds_node_info[2h]))
  unless on (system,pool_id,node_id)
  max by (system,pool_id,node_id) (sds_node_info)
)
and on (system,pool_id) ${POOL_ANSWERS}`,
  for: '15m',
  summary: 'A storage node is no longer in the feed of its pool.',
  description: `${NODE} was listed within the last two hours; its pool answers, but without it.`,
  dashboard: dashboardOf('pool', POOL_KEY),
}

export const healthGroup: AlertGroup = {
  name: 'sds-health',
  component: 'health',
  alerts: [...states, maintenanceLong, flapping, vanished],
}
