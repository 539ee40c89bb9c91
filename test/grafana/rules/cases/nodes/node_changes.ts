import { type AlertCase, cases, fires } from '../case.ts'
import { NODE } from '../subjects.ts'
import { STATUS } from './node_status.ts'

const maintenance = fires(NODE)

export const nodeMaintenanceLong: readonly AlertCase[] = [
  ...cases('SdsNodeMaintenanceLong', {
    'fires after a day and ends with the maintenance': {
      step: 5,
      series: { [`${STATUS}{status="Maintenance"}`]: '1x291 0x20' },
      at: { '1440m': [], '1445m': [maintenance], '1455m': [maintenance], '1460m': [] },
    },
    'ends when the node leaves the feed': {
      step: 5,
      series: { [`${STATUS}{status="Maintenance"}`]: '1x291 stale' },
      at: { '1455m': [maintenance], '1465m': [] },
    },
    'is silent for less than a day, and for a day with an interruption': {
      step: 5,
      series: {
        [`${STATUS}{status="Maintenance"}`]: '0x11 1x287 0x10',
        [`${STATUS}{node="n2",status="Maintenance"}`]: '1x139 0x1 1x160',
      },
      at: { '1445m': [], '1500m': [], '1505m': [] },
    },
  }),
]

const flapping = fires(NODE, '4')

export const nodeFlapping: readonly AlertCase[] = [
  ...cases('SdsNodeFlapping', {
    'fires at the fourth change within an hour and ends half an hour after there are fewer': {
      interval: '30s',
      series: { [`${STATUS}{status="Good"}`]: '1x19 0x1 1x1 0x1 1x240' },
      at: { '12m': [], '13m': [flapping], '99m': [flapping], '100m': [] },
    },
    'is silent for one failure and its recovery': {
      series: { [`${STATUS}{status="Good"}`]: '1x9 0x9 1x60' },
      at: { '20m': [], '60m': [] },
    },
  }),
]

const vanished = fires({ ...NODE, pool_id: 'p1', node_id: 'id1' })

export const nodeVanished: readonly AlertCase[] = [
  ...cases('SdsNodeVanished', {
    'fires 15 minutes after the node left and ends two hours after it': {
      interval: '30s',
      series: {
        sds_node_info: '1x19 stale',
        'sds_node_info{node="n2",node_id="id2"}': '1x400',
        sds_pool_up: '1x400',
      },
      at: { '24m': [], '25m': [vanished], '129m': [vanished], '130m': [] },
    },
    'ends when the node is listed again': {
      series: { sds_node_info: '1x9 stale _x29 1x100', sds_pool_up: '1x200' },
      at: { '39m': [vanished], '40m': [] },
    },
    'is silent while the pool cannot be polled, and for a renamed node': {
      series: {
        'sds_node_info{pool_id="p2",node_id="id9"}': '1x9 stale',
        'sds_pool_up{pool_id="p2"}': '1x9 0x100',
        'sds_node_info{node="old name"}': '1x9 stale',
        'sds_node_info{node="new name"}': '_x10 1x100',
        sds_pool_up: '1x110',
      },
      at: { '25m': [], '60m': [] },
    },
  }),
]
