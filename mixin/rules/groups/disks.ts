import { type Expression, promql, select } from '../../promql/expression.ts'
import { lastValue, perNode, perNodeAnd, perSystem, sumBy, sumByPool } from '../../promql/operators.ts'
import { LIMITS, NODE_KEY, POOL_KEY, SYSTEM_KEY } from '../../settings.ts'
import type { Alert, AlertGroup } from './rule.ts'
import { dashboardOf, NODE, POOL, SYSTEM } from './templates.ts'

const withStatus = (status: string): Expression => select('sds_node_disks_by_status', `status="${status}"`)
const nodePage = dashboardOf('disks', NODE_KEY)

const disksBad: Alert = {
  alert: 'SdsDisksBad',
  severity: 'warning',
  expr: promql`${perNode(withStatus('Bad'))} > 0`,
  for: '15m',
  keepFiringFor: '15m',
  summary: 'A storage node has bad disks.',
  description: `${NODE} has {{ $value }} bad disks. Their data is being rebuilt elsewhere.`,
  dashboard: nodePage,
}

const failuresMany: Alert = {
  alert: 'SdsDiskFailuresMany',
  severity: 'critical',
  expr: promql`${sumByPool(perNode(withStatus('Bad')))} >= ${LIMITS.manyBadDisks}
and
${sumByPool(perNode(withStatus('Bad')))}
/
(${sumByPool(perNode(select('sds_node_disks')))} > 0) > ${LIMITS.manyBadDisksRatio}`,
  for: '5m',
  keepFiringFor: '15m',
  summary: 'Many disks of a storage pool are bad at once.',
  description: `${POOL} has {{ $value }} bad disks. The cause may be an enclosure, a controller or a power supply.`,
  dashboard: dashboardOf('disks', POOL_KEY),
}

const readyToReplace: Alert = {
  alert: 'SdsDisksReadyToReplace',
  severity: 'info',
  expr: promql`${perNode(lastValue(withStatus('ReadyToReplace')))} > 0`,
  for: '1h',
  keepFiringFor: '1h',
  summary: 'Disks are ready to be replaced.',
  description: `${NODE} has {{ $value }} disks that are ready to be replaced.`,
  dashboard: nodePage,
}

const unaccounted: Alert = {
  alert: 'SdsDisksUnaccounted',
  severity: 'info',
  expr: promql`${perNode(select('sds_node_disks'))}
-
${sumBy(NODE_KEY, perNodeAnd('status', select('sds_node_disks_by_status')))}
> 0`,
  for: '30m',
  keepFiringFor: '30m',
  summary: 'Disks of a storage node are in no known state.',
  description: `${NODE} counts {{ $value }} disks that are neither Good nor Bad nor in Maintenance nor ready to be replaced.`,
  dashboard: nodePage,
}

/** Every node reports the value of the whole system, hence the maximum over nodes and not a sum. */
const spaceOffline: Alert = {
  alert: 'SdsDiskSpaceOffline',
  severity: 'warning',
  scope: 'system',
  expr: promql`${perSystem(select('sds_node_disk_space_offline_bytes'))} > 0`,
  for: '30m',
  keepFiringFor: '15m',
  summary: 'Disk space of a storage system is offline.',
  description: `${SYSTEM} has {{ $value | humanize1024 }}B of disk space offline, over all its pools.`,
  dashboard: dashboardOf('capacity', SYSTEM_KEY),
}

export const disksGroup: AlertGroup = {
  name: 'sds-disks',
  component: 'disks',
  alerts: [disksBad, failuresMany, readyToReplace, unaccounted, spaceOffline],
}
