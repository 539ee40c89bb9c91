import { type AlertCase, cases, fires } from '../case.ts'
import { REPLICATION_GROUP, SYSTEM } from '../subjects.ts'

const FAILED = 'sds_replication_links_failed'
const linksFailed = fires(SYSTEM, '2 failed replication links to dublin, oslo')
const failedLink = (remote: string): string => `sds_replication_link_failed{remote_vdc="${remote}"}`

const lagFor = (time: string) => fires(REPLICATION_GROUP, time)
const LAG = 'sds_replication_group_lag_seconds'
const POINT = 'sds_replication_group_recovery_point_timestamp_seconds'
const pending = (kind: string, group = 'rg 1'): string =>
  `sds_replication_group_pending_bytes{kind="${kind}",replication_group="${group}"}`

const growing = (size: string) => fires(REPLICATION_GROUP, size, '6h')
/** GB for each five minutes. */
const grows = (from: number, by: number, count: number): string => `${from}e9+${by}e9x${count}`
/** GB for each ten minutes: a value that is lost at the start of a range is followed by the same. */
const climbs = (from: number, by: number, count: number): string =>
  Array.from({ length: count }, (_, step) => `${from + by * step}e9x1`).join(' ')

const PROGRESS = 'sds_replication_link_bootstrap_ratio'
const LINK = { ...REPLICATION_GROUP, local_vdc: 'here', remote_vdc: 'there' }
const stalled = fires(LINK, '40%', '6h')

/** Cases of the alerts about replication. */
export const replicationCases: readonly AlertCase[] = [
  ...cases('SdsReplicationLagHigh', 'warning', {
    'fires 15 minutes after an hour since the recovery point and ends 15 minutes after it is current': {
      series: { [POINT]: '0x119 7200+60x60', [pending('repository')]: '5x180' },
      at: { '75m': [], '76m': [lagFor('1h 16m')], '134m': [lagFor('1h 59m')], '135m': [] },
    },
    'takes the lag of the Flux API, and the clock of the system for the other': {
      series: {
        [LAG]: '4000x60',
        [POINT]: '0x60',
        [pending('repository')]: '5x60',
        [`${POINT}{replication_group="rg 2"}`]: '-7200+60x60',
        [pending('repository', 'rg 2')]: '5x60',
        sds_system_clock_skew_seconds: '-7200x60',
      },
      at: { '14m': [], '15m': [lagFor('1h 6m')], '60m': [lagFor('1h 6m')] },
    },
    'is silent while nothing is pending, for a short lag, and for a system of one site': {
      series: {
        [LAG]: '40000x60',
        [pending('repository')]: '0x60',
        [pending('journal')]: '0x60',
        [`${LAG}{replication_group="rg 2"}`]: '600x60',
        [pending('repository', 'rg 2')]: '9x60',
        'sds_replication_group_sites{replication_group="rg 3"}': '1x60',
        [pending('repository', 'rg 3')]: '0x60',
      },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsReplicationLagCritical', 'critical', {
    'fires 10 minutes after four hours and ends 15 minutes later': {
      series: { [LAG]: '14401x29 900x60', [pending('xor')]: '5x90' },
      at: { '9m': [], '10m': [lagFor('4h')], '44m': [lagFor('4h')], '45m': [] },
    },
    'is silent at three hours': {
      series: { [LAG]: '10800x60', [pending('xor')]: '5x60' },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsReplicationBacklogGrowing', 'warning', {
    'fires for the sum of all kinds and ends an hour after it falls': {
      step: 5,
      series: { [pending('repository')]: `${climbs(100, 2, 60)} 219e9-2e9x60`, [pending('xor')]: '10e9x180' },
      at: { '360m': [], '450m': [growing('175.1Gi')], '590m': [growing('201.2Gi')], '720m': [] },
    },
    'is silent for a small backlog, for one that follows the load, and for one that is constant': {
      step: 5,
      series: {
        [pending('repository')]: grows(1, 0.1, 240),
        [pending('repository', 'rg 2')]: `${grows(100, 2, 48)} 196e9-2e9x48 100e9+2e9x48`,
        [pending('repository', 'rg 3')]: '900e9x240',
      },
      at: { '300m': [], '480m': [], '600m': [], '700m': [] },
    },
  }),
  ...cases('SdsReplicationLinksFailed', 'critical', {
    'fires after 10 minutes with the names of the sites and ends 10 minutes after the links work': {
      series: {
        [FAILED]: '0x4 2x25 0x30',
        [failedLink('oslo')]: '_x5 1x25 stale',
        [failedLink('dublin')]: '_x5 1x25 stale',
      },
      at: { '14m': [], '15m': [linksFailed], '30m': [linksFailed], '42m': [] },
    },
    'is silent for a short interruption, and for a system of one site': {
      series: { [FAILED]: '0x4 1x8 0x30', [`${FAILED}{system="paris"}`]: '0x40' },
      at: { '14m': [], '40m': [] },
    },
  }),
  ...cases('SdsReplicationBootstrapStalled', 'warning', {
    'fires after 6 hours without progress and ends 15 minutes after it moves': {
      step: 5,
      series: { [PROGRESS]: '0.3x9 0.4x99 0.41+0.01x30' },
      at: { '415m': [], '440m': [stalled], '550m': [stalled], '575m': [] },
    },
    'is silent with slow progress, for a link that has all data, and for a new one': {
      step: 5,
      series: {
        [PROGRESS]: '0.4x60 0.41x60 0.42x60',
        [`${PROGRESS}{replication_group="rg 2"}`]: '1x180',
        [`${PROGRESS}{replication_group="rg 3"}`]: '_x110 0x70',
      },
      at: { '500m': [], '890m': [] },
    },
  }),
]
