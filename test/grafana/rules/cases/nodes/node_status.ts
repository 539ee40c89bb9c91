import { type AlertCase, fired } from '../case.ts'
import { NODE, POOL } from '../subjects.ts'

export const NODE_PAGE = '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n1'

export const POOL_PAGE = '/d/sds-pool?var-system=frankfurt&var-pool=pool+1'

export const STATUS = 'sds_node_health_status'

const bad = fired('SdsNodeBad', 'critical', 'health', NODE, {
  summary: 'A storage node is Bad.',
  description:
    'Node n1 in pool pool 1 of system frankfurt reports the health status Bad. Data protection is reduced until it recovers.',
  dashboard: NODE_PAGE,
})

export const nodeBad: readonly AlertCase[] = [
  {
    alert: 'SdsNodeBad',
    name: 'fires after 5 minutes and ends 15 minutes after the recovery',
    series: { [`${STATUS}{status="Bad"}`]: '0x4 1x9 0x40' },
    at: { '9m': [], '10m': [bad], '29m': [bad], '30m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'ends when the node leaves the feed',
    series: { [`${STATUS}{status="Bad"}`]: '1x20 stale' },
    at: { '5m': [bad], '35m': [bad], '36m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'is silent for less than 5 minutes and for other statuses',
    series: {
      [`${STATUS}{status="Bad"}`]: '0x4 1x4 0x30',
      [`${STATUS}{node="n2",status="Suspect"}`]: '1x40',
      [`${STATUS}{node="n2",status="Bad"}`]: '0x40',
    },
    at: { '9m': [], '10m': [], '40m': [] },
  },
  {
    alert: 'SdsNodeBad',
    name: 'names the affected pool only',
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
    'Node n1 in pool pool 1 of system frankfurt cannot be reached by the other nodes of its system, for longer than a restart takes. Data protection is reduced until it returns.',
  dashboard: NODE_PAGE,
})

export const nodeNotAccessible: readonly AlertCase[] = [
  {
    alert: 'SdsNodeNotAccessible',
    name: 'fires after 10 minutes and ends 10 minutes after the recovery',
    series: { [`${STATUS}{status="NotAccessible"}`]: '1x14 0x40' },
    at: { '9m': [], '10m': [notAccessible], '24m': [notAccessible], '25m': [] },
  },
  {
    alert: 'SdsNodeNotAccessible',
    name: 'is silent for a restart of 9 minutes',
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

export const nodesUnavailable: readonly AlertCase[] = [
  {
    alert: 'SdsNodesUnavailable',
    name: 'fires 2 minutes after the second node and ends 10 minutes after the recovery',
    series: {
      [`${STATUS}{node="n1",status="Bad"}`]: '1x40',
      [`${STATUS}{node="n2",status="NotAccessible"}`]: '0x4 1x9 0x30',
      [`${STATUS}{node="n3",status="Good"}`]: '1x40',
    },
    at: { '6m': [], '7m': [unavailable(2)], '24m': [unavailable(2)], '25m': [] },
  },
  {
    alert: 'SdsNodesUnavailable',
    name: 'fires for the only node of a pool',
    series: {
      [`${STATUS}{status="Good"}`]: '1x4 0x9 1x30',
      [`${STATUS}{status="NotAccessible"}`]: '0x4 1x9 0x30',
      [`${STATUS}{pool="pool 2",node="n2",status="Good"}`]: '1x43',
    },
    at: { '6m': [], '7m': [unavailable(1)], '24m': [unavailable(1)], '25m': [] },
  },
  {
    alert: 'SdsNodesUnavailable',
    name: 'does not add nodes of two pools, or one node of two exporters',
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

const suspect = (count: number, names: string) =>
  fired('SdsNodesSuspect', 'warning', 'health', POOL, {
    summary: 'Nodes of a storage pool are Suspect.',
    description: `Pool pool 1 of system frankfurt: ${count} of its nodes report the health status Suspect, which often precedes Bad: ${names}.`,
    dashboard: POOL_PAGE,
  })

export const nodesSuspect: readonly AlertCase[] = [
  {
    alert: 'SdsNodesSuspect',
    name: 'fires after 15 minutes, for one node or more, and ends 15 minutes after the recovery of all',
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
  {
    alert: 'SdsNodesSuspect',
    name: 'is one alert for many nodes, and names five of them',
    series: Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7].map((number) => [`${STATUS}{node="n${number}",status="Suspect"}`, '1x20']),
    ),
    at: { '15m': [suspect(7, 'n1, n2, n3, n4, n5 and others')] },
  },
  {
    alert: 'SdsNodesSuspect',
    name: 'is silent for less than 15 minutes and for a node in maintenance',
    series: {
      [`${STATUS}{status="Suspect"}`]: '1x14 0x40',
      [`${STATUS}{node="n2",status="Maintenance"}`]: '1x40',
    },
    at: { '14m': [], '15m': [], '40m': [] },
  },
]

const unknown = (count: number) =>
  fired('SdsNodesHealthUnknown', 'warning', 'health', POOL, {
    summary: 'The health of nodes of a storage pool is not known.',
    description: `Pool pool 1 of system frankfurt: ${count} of its nodes are in the feed with no health status or with one that is not documented. No other health alert covers them.`,
    dashboard: POOL_PAGE,
  })

export const nodesHealthUnknown: readonly AlertCase[] = [
  {
    alert: 'SdsNodesHealthUnknown',
    name: 'fires for a status that is not documented',
    series: {
      sds_node_info: '1x60',
      [`${STATUS}{status="Degraded"}`]: '1x19 0x40',
      [`${STATUS}{status="Good"}`]: '0x19 1x40',
    },
    at: { '14m': [], '15m': [unknown(1)], '34m': [unknown(1)], '35m': [] },
  },
  {
    alert: 'SdsNodesHealthUnknown',
    name: 'fires for nodes without a status',
    series: {
      sds_node_info: '1x60',
      [`${STATUS}{status="Good"}`]: '1x9 stale _x19 1x40',
      'sds_node_info{node="n2",node_id="id2"}': '1x60',
      [`${STATUS}{node="n2",status="Good"}`]: '1x60',
      'sds_node_info{node="n3",node_id="id3"}': '1x29 stale',
    },
    at: { '24m': [unknown(2)], '29m': [unknown(2)], '45m': [] },
  },
  {
    alert: 'SdsNodesHealthUnknown',
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

export const bothBad: AlertCase = {
  alert: 'SdsNodeBad',
  name: 'names each node',
  series: { [`${STATUS}{status="Bad"}`]: '1x20', [`${STATUS}{node="n2",status="Bad"}`]: '1x20' },
  at: { '20m': [bad, badToo] },
}
