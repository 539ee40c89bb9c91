import { type AlertCase, cases, fires } from '../case.ts'
import { POOL } from '../subjects.ts'

const DISKS = 'sds_node_disks'
const BY_STATUS = 'sds_node_disks_by_status'
const bad = fires(POOL, '3 bad disks, in n1, n2')
const many = fires(POOL, '3 bad disks, in n1, n2')
const replace = fires(POOL, '1 disk that is', ', in n1')
const unaccounted = fires(POOL, '2 disks that are')
const OFFLINE = 'sds_node_disk_space_offline_bytes'
const offline = fires({ system: 'frankfurt' }, '8Ti')
const EIGHT_TIB = 8_796_093_022_208

export const disksCases: readonly AlertCase[] = [
  ...cases('SdsDisksBad', 'warning', {
    'is one alert for the pool after 15 minutes, and ends 15 minutes after the replacement': {
      series: {
        [`${BY_STATUS}{status="Bad"}`]: '2x19 0x40',
        [`${BY_STATUS}{node="n2",status="Bad"}`]: '1x19 0x40',
        [`${BY_STATUS}{node="n3",status="Bad"}`]: '0x60',
      },
      at: { '14m': [], '15m': [bad], '34m': [bad], '35m': [] },
    },
    'is silent for less than 15 minutes and for disks in other states': {
      series: {
        [`${BY_STATUS}{status="Bad"}`]: '2x14 0x40',
        [`${BY_STATUS}{status="Maintenance"}`]: '2x40',
        [`${BY_STATUS}{status="ReadyToReplace"}`]: '2x40',
      },
      at: { '14m': [], '15m': [], '40m': [] },
    },
  }),
  ...cases('SdsDiskFailuresMany', 'critical', {
    'fires after 5 minutes, over nodes, and ends 15 minutes after the recovery': {
      series: {
        [DISKS]: '20x40',
        [`${DISKS}{node="n2"}`]: '20x40',
        [`${BY_STATUS}{status="Bad"}`]: '2x9 0x40',
        [`${BY_STATUS}{node="n2",status="Bad"}`]: '1x50',
      },
      at: { '4m': [], '5m': [many], '9m': [many], '24m': [many], '25m': [] },
    },
    'is silent for few disks, for few among many, and where the number of disks is 0 or missing': {
      series: {
        [`${DISKS}{pool="few"}`]: '10x20',
        [`${BY_STATUS}{pool="few",status="Bad"}`]: '2x20',
        [`${DISKS}{pool="large"}`]: '60x20',
        [`${BY_STATUS}{pool="large",status="Bad"}`]: '3x20',
        [`${DISKS}{pool="zero"}`]: '0x20',
        [`${BY_STATUS}{pool="zero",status="Bad"}`]: '5x20',
        [`${BY_STATUS}{pool="missing",status="Bad"}`]: '5x20',
      },
      at: { '20m': [] },
    },
  }),
  ...cases('SdsDisksReadyToReplace', 'info', {
    'fires after an hour and ends an hour after the replacement': {
      series: { [`${BY_STATUS}{status="ReadyToReplace"}`]: '1x69 0x80' },
      at: { '59m': [], '60m': [replace], '129m': [replace], '130m': [] },
    },
    'is silent for disks that are bad and still being rebuilt': {
      series: { [`${BY_STATUS}{status="Bad"}`]: '1x80', [`${BY_STATUS}{status="ReadyToReplace"}`]: '0x80' },
      at: { '80m': [] },
    },
  }),
  ...cases('SdsDisksUnaccounted', 'info', {
    'fires after 30 minutes and ends 30 minutes after all are accounted for': {
      series: {
        [DISKS]: '24x80',
        [`${BY_STATUS}{status="Good"}`]: '20x39 22x40',
        [`${BY_STATUS}{status="Bad"}`]: '2x80',
      },
      at: { '29m': [], '30m': [unaccounted], '69m': [unaccounted], '70m': [] },
    },
    'is silent when the states sum to the total, and where no state is served': {
      series: {
        [DISKS]: '24x40',
        [`${BY_STATUS}{status="Good"}`]: '20x40',
        [`${BY_STATUS}{status="Maintenance"}`]: '4x40',
        [`${DISKS}{node="n2"}`]: '24x40',
      },
      at: { '40m': [] },
    },
  }),
  ...cases('SdsDiskSpaceOffline', 'warning', {
    'fires once for a system although every node and pool reports the value': {
      series: {
        [OFFLINE]: `${EIGHT_TIB}x39 0x40`,
        [`${OFFLINE}{node="n2"}`]: `${EIGHT_TIB}x39 0x40`,
        [`${OFFLINE}{pool="pool 2",node="n3"}`]: `${EIGHT_TIB}x39 0x40`,
      },
      at: { '29m': [], '30m': [offline], '54m': [offline], '55m': [] },
    },
    'is silent for less than 30 minutes': {
      series: { [OFFLINE]: `${EIGHT_TIB}x29 0x40` },
      at: { '29m': [], '30m': [], '60m': [] },
    },
    'is silent while a node of the system is in maintenance, not for one of another system': {
      series: {
        [OFFLINE]: `${EIGHT_TIB}x100`,
        'sds_node_health_status{pool="pool 2",status="Maintenance"}': '1x49 0x50',
        'sds_node_health_status{pool="pool 2",status="Good"}': '0x49 1x50',
        'sds_node_health_status{system="paris",status="Maintenance"}': '1x100',
      },
      at: { '49m': [], '79m': [], '81m': [offline] },
    },
  }),
]
