import { type AlertCase, cases, fires } from '../case.ts'
import { SYSTEM } from '../subjects.ts'

const UNACKNOWLEDGED = 'sds_system_alerts_unacknowledged'
const of = (severity: string): string => `${UNACKNOWLEDGED}{severity="${severity}"}`

const critical = fires(SYSTEM, '2 unacknowledged critical alerts')
const error = fires(SYSTEM, '1 unacknowledged error alert')
const growing = fires(SYSTEM, '10 more unacknowledged alerts')
const byStatus = (status: string): string => `sds_system_nodes_by_status{status="${status}"}`
const unaccounted = fires(SYSTEM, '1 node')
const tables = fires(SYSTEM, '5 directory tables that are')
const inState = (state: string): string => `sds_system_directory_tables_by_state{state="${state}"}`

const mixed = fires(SYSTEM, '2', ': 3.8.0, 3.8.1')
const version = (node: string, text: string): string =>
  `sds_node_software_info{node="${node}",version="${text}"}`
/** Points of a day and of 7 days, one for each five minutes. */
const DAY = 288
const WEEK = 7 * DAY
const EXPIRY = 'sds_system_license_expiry_timestamp_seconds'
const EXPIRED = 'sds_system_license_expired'
const expired = fires(SYSTEM)
const expiring = fires(SYSTEM, '29 days')

/** Cases of the alerts about what a system reports about itself. */
export const systemCases: readonly AlertCase[] = [
  ...cases('SdsSystemAlertsCritical', 'critical', {
    'fires after 10 minutes and ends 15 minutes after the acknowledgement': {
      series: { [of('Critical')]: '0x4 2x14 0x30' },
      at: { '14m': [], '15m': [critical], '33m': [critical], '35m': [] },
    },
    'is silent for other severities, and for a system that does not serve the number': {
      series: { [of('Critical')]: '0x30', [of('Error')]: '3x30', 'sds_system_up{system="paris"}': '1x30' },
      at: { '30m': [] },
    },
  }),
  ...cases('SdsSystemAlertsError', 'warning', {
    'fires after 15 minutes and ends 15 minutes after the acknowledgement': {
      series: { [of('Error')]: '1x19 0x30' },
      at: { '14m': [], '15m': [error], '34m': [error], '35m': [] },
    },
    'is silent for other severities': {
      series: { [of('Error')]: '0x30', [of('Warning')]: '7x30', [of('Critical')]: '7x30' },
      at: { '30m': [] },
    },
  }),
  ...cases('SdsSystemWarningsGrowing', 'info', {
    'fires 30 minutes after ten more warnings within a day, in spite of a failed reading, and ends with the day':
      {
        step: 5,
        series: { [of('Warning')]: '4x11 14x3 _x1 14x300' },
        at: { '85m': [], '90m': [growing], '1490m': [growing], '1570m': [] },
      },
    'is silent for many old warnings, and for slow growth': {
      step: 5,
      series: {
        [of('Warning')]: '4000x400',
        [`${UNACKNOWLEDGED}{system="paris",severity="Warning"}`]: '0+0.03x400',
      },
      at: { '60m': [], '1990m': [] },
    },
  }),
  ...cases('SdsSystemNodesUnaccounted', 'warning', {
    'fires after 20 minutes and ends 10 minutes after the node is Good or Bad': {
      series: {
        sds_system_nodes: '5x60',
        [byStatus('Good')]: '5x4 4x55',
        [byStatus('Bad')]: '0x34 1x30',
        [byStatus('Maintenance')]: '0x60',
      },
      at: { '24m': [], '25m': [unaccounted], '44m': [unaccounted], '45m': [] },
    },
    'is silent in maintenance, for a short restart, and where a count is not served': {
      series: {
        sds_system_nodes: '5x60',
        [byStatus('Good')]: '5x4 4x55',
        [byStatus('Bad')]: '0x60',
        [byStatus('Maintenance')]: '0x4 1x55',
        'sds_system_nodes{system="paris"}': '5x60',
        'sds_system_nodes_by_status{system="paris",status="Good"}': '5x4 4x18 5x40',
        'sds_system_nodes_by_status{system="paris",status="Bad"}': '0x60',
        'sds_system_nodes_by_status{system="paris",status="Maintenance"}': '0x60',
        'sds_system_nodes{system="rome"}': '5x60',
        'sds_system_nodes_by_status{system="rome",status="Good"}': '4x60',
      },
      at: { '13m': [], '30m': [], '60m': [] },
    },
  }),
  ...cases('SdsDirectoryTablesUnready', 'critical', {
    'fires after 15 minutes for both states together and ends 10 minutes after all are ready': {
      series: { [inState('unready')]: '0x4 3x25 0x30', [inState('unknown')]: '0x4 2x25 0x30' },
      at: { '19m': [], '20m': [tables], '39m': [tables], '41m': [] },
    },
    'is silent while tables move for some minutes': {
      series: { [inState('unready')]: '0x4 900x9 0x30', [inState('unknown')]: '0x60' },
      at: { '15m': [], '30m': [] },
    },
  }),
  ...cases('SdsVersionsMixed', 'info', {
    'fires after a week in spite of a failed reading and ends an hour after the upgrade': {
      step: 5,
      series: {
        [version('n1', '3.8.1')]: `1x${2 * WEEK}`,
        [version('n2', '3.8.0')]: `1x${DAY} _x1 1x${WEEK} stale`,
        [version('n2', '3.8.1')]: `_x${DAY + WEEK + 3} 1x${WEEK}`,
      },
      at: { '10075m': [], '10080m': [mixed], '11530m': [mixed], '11630m': [] },
    },
    'is silent during an upgrade of six days, and for one version': {
      step: 5,
      series: {
        [version('n1', '3.8.1')]: `1x${2 * WEEK}`,
        [version('n2', '3.8.0')]: `1x${6 * DAY} stale`,
        [version('n2', '3.8.1')]: `_x${6 * DAY + 1} 1x${WEEK}`,
        'sds_node_software_info{system="paris",version="3.8.0"}': `1x${2 * WEEK}`,
        'sds_node_software_info{system="paris",node="n2",version="3.8.0"}': `1x${2 * WEEK}`,
      },
      at: { '8640m': [], '10085m': [], '14400m': [] },
    },
  }),
  ...cases('SdsLicenseExpired', 'warning', {
    'fires after an hour and ends an hour after the new license': {
      series: { [EXPIRED]: '1x99 0x100' },
      at: { '59m': [], '60m': [expired], '159m': [expired], '160m': [] },
    },
    'fires for a date in the past': {
      series: { [EXPIRED]: '0x99', [EXPIRY]: '600x99' },
      at: { '69m': [], '70m': [expired] },
    },
    'is silent for a valid license, and for a system that serves none': {
      series: { [EXPIRED]: '0x99', [EXPIRY]: '86400x99', 'sds_system_up{system="paris"}': '1x99' },
      at: { '99m': [] },
    },
  }),
  ...cases('SdsLicenseExpiring', 'info', {
    'fires an hour after the limit of 30 days and ends an hour after the new license': {
      series: { [EXPIRY]: `2592000x99 25920000x100` },
      at: { '60m': [], '61m': [expiring], '159m': [expiring], '160m': [] },
    },
    'is silent for a license of a year, and after its end': {
      series: { [EXPIRY]: '31536000x99', [`${EXPIRY}{system="paris"}`]: '0x99' },
      at: { '99m': [] },
    },
  }),
]
