import { type Expression, promql, select } from '../../promql/expression.ts'
import { by, lastValue, perSystem } from '../../promql/operators.ts'
import { LIMITS, SYSTEM_KEY } from '../../settings.ts'
import { type Alert, type AlertGroup, alertsAbout, shown } from './rule.ts'
import { counted, DURATION, dashboardOf, SYSTEM, valuesOf } from './templates.ts'

/** What a system reports about itself, beside its nodes. */

const systemPage = dashboardOf('system', SYSTEM_KEY)
const { critical, warning, info } = alertsAbout({ scope: 'system', dashboard: systemPage })

const unacknowledged = (severity: 'Critical' | 'Error' | 'Warning'): Expression =>
  select('sds_system_alerts_unacknowledged', `severity="${severity}"`)

const ACKNOWLEDGE =
  'look them up in the management interface of the system, and acknowledge those that are handled'

const ownAlerts: readonly Alert[] = [
  critical('SdsSystemAlertsCritical', {
    expr: promql`${perSystem(unacknowledged('Critical'))} > 0`,
    // After the alert about a bad node, which inhibits it.
    for: '10m',
    keepFiringFor: '15m',
    summary: 'A storage system has unacknowledged critical alerts.',
    description: `${SYSTEM} has ${counted('unacknowledged critical alert')} of its own.`,
    advice: ACKNOWLEDGE,
    status: shown('system_alerts', ['critical', '>', 0]),
  }),
  warning('SdsSystemAlertsError', {
    expr: promql`${perSystem(unacknowledged('Error'))} > 0`,
    for: '15m',
    keepFiringFor: '15m',
    summary: 'A storage system has unacknowledged error alerts.',
    description: `${SYSTEM} has ${counted('unacknowledged error alert')} of its own.`,
    advice: ACKNOWLEDGE,
    status: shown('system_alerts', ['error', '>', 0]),
  }),
  info('SdsSystemWarningsGrowing', {
    // Many systems have warnings that are never acknowledged; only new ones are of interest.
    expr: promql`${perSystem(lastValue(unacknowledged('Warning')))}
-
${by('min', SYSTEM_KEY, promql`min_over_time(${unacknowledged('Warning')}[1d])`)} >= ${LIMITS.newWarnings}`,
    for: '30m',
    keepFiringFor: '1h',
    summary: 'A storage system raises many warnings.',
    description: `${SYSTEM} has ${counted('more unacknowledged alert')} of its own with the severity Warning than at their lowest number within a day.`,
    advice: ACKNOWLEDGE,
  }),
]

/** Nodes with a status, if the system counts them. */
const nodes = (status: 'Good' | 'Bad' | 'Maintenance'): Expression =>
  perSystem(select('sds_system_nodes_by_status', `status="${status}"`))

const nodesUnaccounted = warning('SdsSystemNodesUnaccounted', {
  expr: promql`${perSystem(select('sds_system_nodes'))}
- ${nodes('Good')}
- ${nodes('Bad')}
- ${nodes('Maintenance')} > 0`,
  // After the alerts that name the nodes, which inhibit it.
  for: '20m',
  keepFiringFor: '10m',
  summary: 'Nodes of a storage system are neither Good nor Bad nor in maintenance.',
  description: `${SYSTEM} has ${counted('node')} that it counts neither as Good nor as Bad nor as in maintenance. A node that is not available is counted as Bad only after an hour.`,
  advice: 'find the nodes that are not Good in the management interface, before they are Bad',
  status: shown('uncounted_nodes', ['nodes', '>', 0]),
})

const directoryTables = critical('SdsDirectoryTablesUnready', {
  expr: promql`sum by (${SYSTEM_KEY}) (${by('max', [...SYSTEM_KEY, 'state'], select('sds_system_directory_tables_by_state'))}) > 0`,
  for: '15m',
  keepFiringFor: '10m',
  summary: 'Directory tables of a storage system are not ready.',
  description: `${SYSTEM} has ${counted('directory table that is', 'directory tables that are')} not ready or in no known state. Requests for the data that they index fail or wait.`,
  advice: 'call the support of the vendor now, if no node is restarting',
  status: shown('directory_tables', ['unready', '>', 0]),
})

const versions = select('sds_node_software_info')
const versionsMixed = info('SdsVersionsMixed', {
  expr: promql`count by (${SYSTEM_KEY}) (${by('count', [...SYSTEM_KEY, 'version'], lastValue(versions))}) > 1`,
  for: '7d',
  keepFiringFor: '1h',
  summary: 'The nodes of a storage system have had different software versions for a week.',
  description: `${SYSTEM}: its nodes have {{ $value }} software versions${valuesOf(': ', 'sds_node_software_info', 'version')}. An upgrade may have stopped.`,
  advice: 'ask whether an upgrade is under way, and open a case with the vendor if none is',
})

const RENEW = 'order the renewal from the vendor'
const licenseLeft = promql`${by('min', SYSTEM_KEY, select('sds_system_license_expiry_timestamp_seconds'))} - time()`
const license: readonly Alert[] = [
  warning('SdsLicenseExpired', {
    expr: promql`${perSystem(select('sds_system_license_expired'))} == 1
or
${licenseLeft} <= 0`,
    for: '1h',
    keepFiringFor: '1h',
    summary: 'The license of a storage system has expired.',
    description: `A licensed feature of system {{ $labels.system }} has expired.`,
    advice: RENEW,
    status: shown('license', ['seconds_left', '<=', 0]),
  }),
  info('SdsLicenseExpiring', {
    expr: promql`(${licenseLeft} < ${LIMITS.licenseSeconds}) > 0`,
    for: '1h',
    keepFiringFor: '1h',
    summary: 'The license of a storage system expires soon.',
    description: `A licensed feature of system {{ $labels.system }} expires in ${DURATION}.`,
    advice: RENEW,
    status: shown('license', ['seconds_left', '<', LIMITS.licenseSeconds]),
  }),
]

export const systemGroup: AlertGroup = {
  name: 'sds-system',
  component: 'system',
  alerts: [...ownAlerts, nodesUnaccounted, directoryTables, versionsMixed, ...license],
}
