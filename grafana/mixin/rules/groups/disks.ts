import { type Expression, promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import {
  by,
  dedup,
  lastValue,
  perNode,
  perNodeAnd,
  perSystem,
  sumBy,
  sumByPool,
} from '../../promql/operators.ts'
import { LIMITS, NODE_KEY, POOL_KEY, SYSTEM_KEY } from '../../settings.ts'
import { type AlertGroup, alertsAbout, shown } from './rule.ts'
import { counted, dashboardOf, nodesWhere, POOL, SYSTEM } from './templates.ts'

const { critical, warning, info } = alertsAbout({})

const DISKS = 'sds_node_disks_by_status'
/** Disks of pools. The sum drops the label `status`. */
const withStatus = (status: string): Expression => select(RECORDED.disks, `status="${status}"`)
const poolPage = dashboardOf('disks', POOL_KEY)
const bad = sumByPool(withStatus('Bad'))

const disksBad = warning('SdsDisksBad', {
  expr: promql`${bad} > 0`,
  for: '15m',
  keepFiringFor: '15m',
  summary: 'A storage pool has bad disks.',
  description: `${POOL} has ${counted('bad disk')}${nodesWhere(', in ', DISKS, 'status="Bad"', '> 0')}. Their data is being rebuilt elsewhere.`,
  advice: 'open a ticket for a replacement; remove a disk only when it is ready to be replaced',
  status: shown('disks', ['bad', '>', 0]),
  dashboard: poolPage,
})

const failuresMany = critical('SdsDiskFailuresMany', {
  expr: promql`${bad} >= ${LIMITS.manyBadDisks}
and
${bad}
/
(${sumByPool(perNode(select('sds_node_disks')))} > 0) > ${LIMITS.manyBadDisksRatio}`,
  for: '5m',
  keepFiringFor: '15m',
  summary: 'Many disks of a storage pool are bad at once.',
  description: `${POOL} has ${counted('bad disk')}${nodesWhere(', in ', DISKS, 'status="Bad"', '> 0')}. The cause may be an enclosure, a controller or a power supply.`,
  advice:
    'if they are in one node, check its enclosure, not the disks; if they are in several, call the support of the vendor',
  status: shown('disks', ['bad', '>=', LIMITS.manyBadDisks], ['bad_ratio', '>', LIMITS.manyBadDisksRatio]),
  dashboard: poolPage,
})

/** The counts of the pool, where the dashboard API has none. */
const readyOfPools = dedup(POOL_KEY, lastValue(select('sds_pool_disks_by_status', 'status="ReadyToReplace"')))

const readyToReplace = info('SdsDisksReadyToReplace', {
  expr: promql`(
${sumByPool(lastValue(withStatus('ReadyToReplace')))}
or
${readyOfPools}
) > 0`,
  for: '1h',
  keepFiringFor: '1h',
  summary: 'Disks of a storage pool are ready to be replaced.',
  description: `${POOL} has ${counted('disk that is', 'disks that are')} ready to be replaced${nodesWhere(', in ', DISKS, 'status="ReadyToReplace"', '> 0')}.`,
  advice: 'replace the disks at the next visit',
  status: shown('disks_to_replace', ['disks', '>', 0]),
  dashboard: poolPage,
})

const unaccounted = info('SdsDisksUnaccounted', {
  expr: promql`sum by (${POOL_KEY}) (
  ${perNode(select('sds_node_disks'))}
  -
  ${sumBy(NODE_KEY, perNodeAnd('status', select(DISKS)))}
  > 0
) > 0`,
  for: '30m',
  keepFiringFor: '30m',
  summary: 'Disks of a storage pool are in no known state.',
  description: `${POOL}: the nodes count ${counted('disk that is', 'disks that are')} neither Good nor Bad nor in Maintenance nor ready to be replaced. No other alert about disks covers them.`,
  advice: 'look up the disks in the management interface',
  dashboard: poolPage,
})

/** Every node reports the value of the whole system, hence the maximum over nodes and not a sum. */
const spaceOffline = warning('SdsDiskSpaceOffline', {
  scope: 'system',
  expr: promql`${perSystem(select('sds_node_disk_space_offline_bytes'))} > 0
unless on (system)
${by('max', SYSTEM_KEY, select(RECORDED.maintenance))} == 1`,
  for: '30m',
  keepFiringFor: '15m',
  summary: 'Disk space of a storage system is offline.',
  description: `${SYSTEM} has {{ $value | humanize1024 }}B of disk space offline, over all its pools: it is missing until disks and nodes return.`,
  advice: 'find the nodes and disks that are not Good on the dashboard of disks',
  dashboard: dashboardOf('capacity', SYSTEM_KEY),
})

export const disksGroup: AlertGroup = {
  name: 'sds-disks',
  component: 'disks',
  alerts: [disksBad, failuresMany, readyToReplace, unaccounted, spaceOffline],
}
