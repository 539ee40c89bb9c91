import { type AlertCase, cases, fires } from '../case.ts'
import { NODE, POOL } from '../subjects.ts'

const STATUS = 'sds_node_health_status'
const bad = fires(NODE)
const notAccessible = fires(NODE)
const unavailable = (count: number) => fires({ system: 'frankfurt', pool: 'pool 1' }, count)
const suspect = (count: number, names: string) =>
  fires(POOL, `${count} Suspect node${count === 1 ? '' : 's'}: ${names}`)
const unknown = (count: number) => fires(POOL, count)
const badToo = fires({ ...NODE, node: 'n2' })
const maintenance = fires(NODE)
const flapping = fires(NODE, '4')
const vanished = fires({ ...NODE, pool_id: 'p1', node_id: 'id1' })

export const healthCases: readonly AlertCase[] = [
  ...cases('SdsNodeBad', 'critical', {
    'names each node': {
      series: { [`${STATUS}{status="Bad"}`]: '1x20', [`${STATUS}{node="n2",status="Bad"}`]: '1x20' },
      at: { '20m': [bad, badToo] },
    },
    'fires after 5 minutes and ends 15 minutes after the recovery': {
      series: { [`${STATUS}{status="Bad"}`]: '0x4 1x9 0x40' },
      at: { '9m': [], '10m': [bad], '29m': [bad], '30m': [] },
    },
    'ends when the node leaves the feed': {
      series: { [`${STATUS}{status="Bad"}`]: '1x20 stale' },
      at: { '5m': [bad], '35m': [bad], '36m': [] },
    },
    'is silent for less than 5 minutes and for other statuses': {
      series: {
        [`${STATUS}{status="Bad"}`]: '0x4 1x4 0x30',
        [`${STATUS}{node="n2",status="Suspect"}`]: '1x40',
        [`${STATUS}{node="n2",status="Bad"}`]: '0x40',
      },
      at: { '9m': [], '10m': [], '40m': [] },
    },
  }),
  ...cases('SdsNodeNotAccessible', 'warning', {
    'fires after 10 minutes and ends 10 minutes after the recovery': {
      series: { [`${STATUS}{status="NotAccessible"}`]: '1x14 0x40' },
      at: { '9m': [], '10m': [notAccessible], '24m': [notAccessible], '25m': [] },
    },
    'is silent for a restart of 9 minutes': {
      series: { [`${STATUS}{status="NotAccessible"}`]: '1x9 0x40' },
      at: { '9m': [], '10m': [], '20m': [] },
    },
  }),
  ...cases('SdsNodesUnavailable', 'critical', {
    'fires 2 minutes after the second node and ends 10 minutes after the recovery': {
      series: {
        [`${STATUS}{node="n1",status="Bad"}`]: '1x40',
        [`${STATUS}{node="n2",status="NotAccessible"}`]: '0x4 1x9 0x30',
        [`${STATUS}{node="n3",status="Good"}`]: '1x40',
      },
      at: { '6m': [], '7m': [unavailable(2)], '24m': [unavailable(2)], '25m': [] },
    },
    'fires for the only node of a pool': {
      series: {
        [`${STATUS}{status="Good"}`]: '1x4 0x9 1x30',
        [`${STATUS}{status="NotAccessible"}`]: '0x4 1x9 0x30',
        [`${STATUS}{pool="pool 2",node="n2",status="Good"}`]: '1x43',
      },
      at: { '6m': [], '7m': [unavailable(1)], '24m': [unavailable(1)], '25m': [] },
    },
    'does not add nodes of two pools, or one node of two exporters': {
      series: {
        [`${STATUS}{node="n1",status="Bad"}`]: '1x40',
        [`${STATUS}{node="n1",status="NotAccessible"}`]: '0x40',
        [`${STATUS}{pool="pool 2",node="n2",status="NotAccessible"}`]: '1x40',
        [`${STATUS}{pool="pool 2",node="n4",status="Maintenance"}`]: '1x40',
        [`${STATUS}{pool="pool 3",node="n5",status="Good"}`]: '1x40',
        [`${STATUS}{pool="pool 3",node="n5",status="Bad"}`]: '0x40',
        [`${STATUS}{node="n3",status="Suspect"}`]: '1x40',
      },
      at: { '40m': [] },
    },
  }),
  ...cases('SdsNodesSuspect', 'warning', {
    'fires after 15 minutes, for one node or more, and ends 15 minutes after the recovery of all': {
      series: {
        [`${STATUS}{status="Suspect"}`]: '1x29 0x40',
        [`${STATUS}{node="n2",status="Suspect"}`]: '0x9 1x9 0x50',
        [`${STATUS}{pool="pool 2",node="n3",status="Suspect"}`]: '0x69',
      },
      at: {
        '14m': [],
        '15m': [suspect(2, 'n1, n2')],
        '29m': [suspect(1, 'n1')],
        '44m': [suspect(1, 'n1')],
        '45m': [],
      },
    },
    'is one alert for many nodes, and names five of them': {
      series: Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7].map((number) => [`${STATUS}{node="n${number}",status="Suspect"}`, '1x20']),
      ),
      at: { '15m': [suspect(7, 'n1, n2, n3, n4, n5 and others')] },
    },
    'is silent for less than 15 minutes and for a node in maintenance': {
      series: {
        [`${STATUS}{status="Suspect"}`]: '1x14 0x40',
        [`${STATUS}{node="n2",status="Maintenance"}`]: '1x40',
      },
      at: { '14m': [], '15m': [], '40m': [] },
    },
  }),
  ...cases('SdsNodesHealthUnknown', 'warning', {
    'fires for a status that is not documented': {
      series: {
        sds_node_info: '1x60',
        [`${STATUS}{status="Degraded"}`]: '1x19 0x40',
        [`${STATUS}{status="Good"}`]: '0x19 1x40',
      },
      at: { '14m': [], '15m': [unknown(1)], '34m': [unknown(1)], '35m': [] },
    },
    'fires for nodes without a status': {
      series: {
        sds_node_info: '1x60',
        [`${STATUS}{status="Good"}`]: '1x9 stale _x19 1x40',
        'sds_node_info{node="n2",node_id="id2"}': '1x60',
        [`${STATUS}{node="n2",status="Good"}`]: '1x60',
        'sds_node_info{node="n3",node_id="id3"}': '1x29 stale',
      },
      at: { '24m': [unknown(2)], '29m': [unknown(2)], '45m': [] },
    },
    'is silent for every documented status': {
      series: {
        sds_node_info: '1x60',
        [`${STATUS}{status="Good"}`]: '1x20 0x40',
        [`${STATUS}{status="Bad"}`]: '0x20 1x40',
        'sds_node_info{node="n2",node_id="id2"}': '1x60',
        [`${STATUS}{node="n2",status="Maintenance"}`]: '1x60',
      },
      at: { '15m': [], '60m': [] },
    },
  }),
  ...cases('SdsNodeMaintenanceLong', 'info', {
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
  ...cases('SdsNodeFlapping', 'warning', {
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
  ...cases('SdsNodeVanished', 'warning', {
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
