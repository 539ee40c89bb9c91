import { type AlertCase, fired } from './case.ts'

const NODE = { system: 'frankfurt', pool: 'pool 1', node: 'n1' }
const NODE_PAGE = '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n1'
const POOL_PAGE = '/d/sds-pool?var-system=frankfurt&var-pool=pool+1'
const STATUS = 'sds_node_health_status'

const bad = fired('SdsNodeBad', 'critical', 'health', NODE, {
  summary: 'A storage node is Bad.',
  description:
    'Node n1 in pool pool 1 of system frankfurt reports the health status Bad. Data protection is reduced until it recovers.',
  dashboard: NODE_PAGE,
})
const nodeBad: readonly AlertCase[] = [
  {
    alert: 'SdsNodeBad',
    name: 'fires after 5 minutes and outlives the recovery by 15',
    series: { [`${STATUS}{status="Bad"}`]: '0x4 1x9 0x40' },
    at: { '9m': [], '10m': [bad], '29m': [bad], '30m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'ends also when the node leaves the feed',
    series: { [`${STATUS}{status="Bad"}`]: '1x20 stale' },
    at: { '5m': [bad], '35m': [bad], '36m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'ignores less than 5 minutes, other states and other pools',
    series: {
      [`${STATUS}{status="Bad"}`]: '0x4 1x4 0x30',
      [`${STATUS}{node="n2",status="Suspect"}`]: '1x40',
      [`${STATUS}{node="n2",status="Bad"}`]: '0x40',
    },
    at: { '9m': [], '10m': [], '40m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'speaks of the one pool that is affected',
    series: {
      [`${STATUS}{status="Bad"}`]: '1x20',
      [`${STATUS}{pool="pool 2",status="Bad"}`]: '0x20',
    },
    at: { '20m': [bad] },
  },
]

const notAccessible = fired('SdsNodeNotAccessible', 'warning', 'health', NODE, {
  summary: 'A storage node is not accessible.',
  description:
    'Node n1 in pool pool 1 of system frankfurt is not accessible for its system. A restart takes less time.',
  dashboard: NODE_PAGE,
})
const nodeNotAccessible: readonly AlertCase[] = [
  {
    alert: 'SdsNodeNotAccessible',
    name: 'fires after 10 minutes and outlives the recovery by 10',
    series: { [`${STATUS}{status="NotAccessible"}`]: '1x14 0x40' },
    at: { '9m': [], '10m': [notAccessible], '24m': [notAccessible], '25m': [] },
  },
  {
    alert: 'SdsNodeNotAccessible',
    name: 'ignores a restart of 9 minutes',
    series: { [`${STATUS}{status="NotAccessible"}`]: '1x9 0x40' },
    at: { '9m': [], '10m': [], '20m': [] },
  },
]

const unavailable = (count: number) =>
  fired(
    'SdsNodesUnavailable',
    'critical',
    'health',
    { system: 'frankfurt', pool: 'pool 1' },
    {
      summary: 'Several or all nodes of a storage pool are Bad or not accessible.',
      description: `Pool pool 1 of system frankfurt: the number of its nodes that are Bad or not accessible at the same time is ${count}. Data may be unavailable.`,
      dashboard: POOL_PAGE,
    },
  )
const nodesUnavailable: readonly AlertCase[] = [
  {
    alert: 'SdsNodesUnavailable',
    name: 'fires 2 minutes after the second node and outlives the recovery by 10',
    series: {
      [`${STATUS}{node="n1",status="Bad"}`]: '1x40',
      [`${STATUS}{node="n2",status="NotAccessible"}`]: '0x4 1x9 0x30',
      [`${STATUS}{node="n3",status="Good"}`]: '1x40',
    },
    at: { '6m': [], '7m': [unavailable(2)], '24m': [unavailable(2)], '25m': [] },
  },
  {
    alert: 'SdsNodesUnavailable',
    name: 'fires for the only node of a pool, whatever other pools have',
    series: {
      [`${STATUS}{status="Good"}`]: '1x4 0x9 1x30',
      [`${STATUS}{status="NotAccessible"}`]: '0x4 1x9 0x30',
      [`${STATUS}{pool="pool 2",node="n2",status="Good"}`]: '1x43',
    },
    at: { '6m': [], '7m': [unavailable(1)], '24m': [unavailable(1)], '25m': [] },
  },
  {
    alert: 'SdsNodesUnavailable',
    name: 'does not add up nodes of two pools, nor one node that two exporters see',
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
]

const suspect = fired('SdsNodeSuspect', 'warning', 'health', NODE, {
  summary: 'A storage node is Suspect.',
  description:
    'Node n1 in pool pool 1 of system frankfurt reports the health status Suspect, which often precedes Bad.',
  dashboard: NODE_PAGE,
})
const nodeSuspect: readonly AlertCase[] = [
  {
    alert: 'SdsNodeSuspect',
    name: 'fires after 15 minutes and outlives the recovery by 15',
    series: { [`${STATUS}{status="Suspect"}`]: '1x19 0x40' },
    at: { '14m': [], '15m': [suspect], '34m': [suspect], '35m': [] },
  },
  {
    alert: 'SdsNodeSuspect',
    name: 'ignores a passing suspicion and a node in maintenance',
    series: {
      [`${STATUS}{status="Suspect"}`]: '1x14 0x40',
      [`${STATUS}{node="n2",status="Maintenance"}`]: '1x40',
    },
    at: { '14m': [], '15m': [], '40m': [] },
  },
]

const unknown = fired('SdsNodeHealthUnknown', 'warning', 'health', NODE, {
  summary: 'The health of a storage node is not known.',
  description:
    'Node n1 in pool pool 1 of system frankfurt is in the feed, but with no health status or with one that is not documented: no other health alert covers it.',
  dashboard: NODE_PAGE,
})
const nodeHealthUnknown: readonly AlertCase[] = [
  {
    alert: 'SdsNodeHealthUnknown',
    name: 'fires for a status that is not documented',
    series: {
      sds_node_info: '1x60',
      [`${STATUS}{status="Degraded"}`]: '1x19 0x40',
      [`${STATUS}{status="Good"}`]: '0x19 1x40',
    },
    at: { '14m': [], '15m': [unknown], '34m': [unknown], '35m': [] },
  },
  {
    alert: 'SdsNodeHealthUnknown',
    name: 'fires for a node without a status',
    series: {
      sds_node_info: '1x60',
      [`${STATUS}{status="Good"}`]: '1x9 stale _x19 1x40',
      [`${STATUS}{node="n2",status="Good"}`]: '1x60',
    },
    at: { '24m': [], '25m': [unknown], '44m': [unknown], '45m': [] },
  },
  {
    alert: 'SdsNodeHealthUnknown',
    name: 'is silent for every documented status',
    series: {
      sds_node_info: '1x60',
      [`${STATUS}{status="Good"}`]: '1x20 0x40',
      [`${STATUS}{status="Bad"}`]: '0x20 1x40',
      'sds_node_info{node="n2",node_id="id2"}': '1x60',
      [`${STATUS}{node="n2",status="Maintenance"}`]: '1x60',
    },
    at: { '15m': [], '60m': [] },
  },
]

const maintenance = fired('SdsNodeMaintenanceLong', 'info', 'health', NODE, {
  summary: 'A storage node has been in maintenance for a day.',
  description: 'Node n1 in pool pool 1 of system frankfurt has been in Maintenance for more than 24 hours.',
  dashboard: NODE_PAGE,
})
const nodeMaintenanceLong: readonly AlertCase[] = [
  {
    alert: 'SdsNodeMaintenanceLong',
    name: 'fires after a day and ends with the maintenance',
    step: 5,
    series: { [`${STATUS}{status="Maintenance"}`]: '1x291 0x20' },
    at: { '1440m': [], '1445m': [maintenance], '1455m': [maintenance], '1460m': [] },
  },
  {
    alert: 'SdsNodeMaintenanceLong',
    name: 'ends when the node leaves the feed',
    step: 5,
    series: { [`${STATUS}{status="Maintenance"}`]: '1x291 stale' },
    at: { '1455m': [maintenance], '1465m': [] },
  },
  {
    alert: 'SdsNodeMaintenanceLong',
    name: 'ignores less than a day, and a day with a break',
    step: 5,
    series: {
      [`${STATUS}{status="Maintenance"}`]: '0x11 1x287 0x10',
      [`${STATUS}{node="n2",status="Maintenance"}`]: '1x139 0x1 1x160',
    },
    at: { '1445m': [], '1500m': [], '1505m': [] },
  },
]

const flapping = fired('SdsNodeFlapping', 'warning', 'health', NODE, {
  summary: 'The health of a storage node changes repeatedly.',
  description: 'Node n1 in pool pool 1 of system frankfurt changed to or from Good 4 times within an hour.',
  dashboard: NODE_PAGE,
})
const nodeFlapping: readonly AlertCase[] = [
  {
    alert: 'SdsNodeFlapping',
    name: 'fires at the fourth change within an hour and ends half an hour after they are too few',
    interval: '30s',
    series: { [`${STATUS}{status="Good"}`]: '1x19 0x1 1x1 0x1 1x240' },
    at: { '12m': [], '13m': [flapping], '99m': [flapping], '100m': [] },
  },
  {
    alert: 'SdsNodeFlapping',
    name: 'ignores one failure with its recovery',
    series: { [`${STATUS}{status="Good"}`]: '1x9 0x9 1x60' },
    at: { '20m': [], '60m': [] },
  },
]

const vanished = fired(
  'SdsNodeVanished',
  'warning',
  'health',
  { ...NODE, pool_id: 'p1', node_id: 'id1' },
  {
    summary: 'A storage node is no longer in the feed of its pool.',
    description:
      'Node n1 in pool pool 1 of system frankfurt was listed within the last two hours. Its pool is polled successfully, but without the node.',
    dashboard: POOL_PAGE,
  },
)
const nodeVanished: readonly AlertCase[] = [
  {
    alert: 'SdsNodeVanished',
    name: 'fires 15 minutes after the node left and ends two hours after it',
    interval: '30s',
    series: {
      sds_node_info: '1x19 stale',
      'sds_node_info{node="n2",node_id="id2"}': '1x400',
      sds_pool_up: '1x400',
    },
    at: { '24m': [], '25m': [vanished], '129m': [vanished], '130m': [] },
  },
  {
    alert: 'SdsNodeVanished',
    name: 'ends when the node comes back',
    series: { sds_node_info: '1x9 stale _x29 1x100', sds_pool_up: '1x200' },
    at: { '39m': [vanished], '40m': [] },
  },
  {
    alert: 'SdsNodeVanished',
    name: 'is silent while the pool cannot be polled, for a renamed node and for one that moved its label',
    series: {
      'sds_node_info{pool_id="p2",node_id="id9"}': '1x9 stale',
      'sds_pool_up{pool_id="p2"}': '1x9 0x100',
      'sds_node_info{node="old name"}': '1x9 stale',
      'sds_node_info{node="new name"}': '_x10 1x100',
      sds_pool_up: '1x110',
    },
    at: { '25m': [], '60m': [] },
  },
]

const badToo = fired(
  'SdsNodeBad',
  'critical',
  'health',
  { ...NODE, node: 'n2' },
  {
    summary: 'A storage node is Bad.',
    description:
      'Node n2 in pool pool 1 of system frankfurt reports the health status Bad. Data protection is reduced until it recovers.',
    dashboard: '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n2',
  },
)
const bothBad: AlertCase = {
  alert: 'SdsNodeBad',
  name: 'names each node',
  series: { [`${STATUS}{status="Bad"}`]: '1x20', [`${STATUS}{node="n2",status="Bad"}`]: '1x20' },
  at: { '20m': [bad, badToo] },
}

export const healthCases: readonly AlertCase[] = [
  ...nodeBad,
  bothBad,
  ...nodeNotAccessible,
  ...nodesUnavailable,
  ...nodeSuspect,
  ...nodeHealthUnknown,
  ...nodeMaintenanceLong,
  ...nodeFlapping,
  ...nodeVanished,
]
