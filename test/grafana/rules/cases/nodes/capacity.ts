import { type AlertCase, cases, fires, of } from '../case.ts'
import { POOL } from '../subjects.ts'

export const ALLOCATED = 'sds_node_disk_space_allocated_bytes'
export const TOTAL = 'sds_node_disk_space_total_bytes'
const high = fires(POOL, '85%')
const critical = fires(POOL, '95%')
const fills = fires(POOL, '152.5%', '1 day')

/** While an alert is kept firing, its description has the last value of the expression. */
const fillsLast = fires(POOL, '92.1%', '1 day')
const uneven = fires(POOL, '45%')

export const capacityCases: readonly AlertCase[] = [
  ...cases('SdsCapacityHigh', 'warning', {
    'fires after 30 minutes and ends an hour after the recovery': {
      series: { [ALLOCATED]: '85x40 70x90', [TOTAL]: '100x130' },
      at: { '29m': [], '30m': [high], '100m': [high], '101m': [] },
    },
    'also fires where the pool is above the critical threshold': {
      series: { [ALLOCATED]: '95x40 70x90', [TOTAL]: '100x130' },
      at: { '30m': [critical] },
    },
    'weights nodes by their size and is silent at the threshold': {
      series: {
        ...of('node="small"', { [ALLOCATED]: '100x60', [TOTAL]: '100x60' }),
        ...of('node="large"', { [ALLOCATED]: '700x60', [TOTAL]: '900x60' }),
      },
      at: { '60m': [] },
    },
    'has no ratio where the total is 0 or missing': {
      series: {
        [ALLOCATED]: '95x60',
        [TOTAL]: '0x60',
        [`${ALLOCATED}{pool="pool 2"}`]: '95x60',
        [`${ALLOCATED}{pool="pool 3",node="n1"}`]: '95x60',
        [`${TOTAL}{pool="pool 3",node="n2"}`]: '100x60',
      },
      at: { '60m': [] },
    },
    'ignores a node without allocated space': {
      series: { [ALLOCATED]: '85x60', [TOTAL]: '100x60', [`${TOTAL}{node="n2"}`]: '1000x60' },
      at: { '30m': [high] },
    },
  }),
  ...cases('SdsCapacityCritical', 'critical', {
    'fires after 10 minutes and ends half an hour after the recovery': {
      series: { [ALLOCATED]: '95x40 70x90', [TOTAL]: '100x130' },
      at: { '9m': [], '10m': [critical], '70m': [critical], '71m': [] },
    },
    'is silent for a pool that is nearly full': {
      series: { [ALLOCATED]: '89x60', [TOTAL]: '100x60' },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsCapacityFillsSoon', 'warning', {
    'fires after half an hour with three hours of history, and ends an hour after the usage decreases': {
      step: 5, // All within the range of six hours, so that no sample is at its start.
      series: { [ALLOCATED]: '700+2.5x42 800-5x20 700x60', [TOTAL]: '1000x124' },
      at: { '205m': [], '210m': [fills], '315m': [fillsLast], '375m': [fillsLast], '380m': [] },
    },
    'is silent for slow growth, low usage, a short history and a pool that is full already': {
      step: 5,
      series: {
        ...of('pool="full"', { [ALLOCATED]: '91+0.05x80', [TOTAL]: '100x80' }),
        ...of('pool="slow"', { [ALLOCATED]: '700+0.25x80', [TOTAL]: '1000x80' }),
        ...of('pool="empty"', { [ALLOCATED]: '100+5x80', [TOTAL]: '1000x80' }),
        ...of('pool="young"', { [ALLOCATED]: '_x44 700+2.5x36', [TOTAL]: '_x44 1000x36' }),
      },
      at: { '210m': [], '395m': [] },
    },
    'is silent when a node leaves, and when an exporter is replaced by one with another address': {
      step: 5,
      series: {
        // A node with a tenth of the space leaves after four hours; the other one is as full as before.
        ...of('node="stays"', { [ALLOCATED]: '630x100', [TOTAL]: '900x100' }),
        ...of('node="leaves"', { [ALLOCATED]: '70x48 stale', [TOTAL]: '100x48 stale' }),
        // An empty node leaves: the ratio rises from 60 % to 75 %.
        ...of('pool="smaller",node="stays"', { [ALLOCATED]: '750x100', [TOTAL]: '1000x100' }),
        ...of('pool="smaller",node="leaves"', { [ALLOCATED]: '0x48 stale', [TOTAL]: '250x48 stale' }),
        [`${ALLOCATED}{pool="replaced",instance="old"}`]: '700+0.25x40 stale',
        [`${TOTAL}{pool="replaced",instance="old"}`]: '1000x40 stale',
        [`${ALLOCATED}{pool="replaced",instance="new"}`]: '_x42 710.5+0.25x58',
        [`${TOTAL}{pool="replaced",instance="new"}`]: '_x42 1000x58',
      },
      at: { '210m': [], '300m': [], '500m': [] },
    },
    'fires for the growth of a pool whose exporter is replaced, without a new wait': {
      step: 5,
      series: {
        ...of('instance="old"', { [ALLOCATED]: '700+2.5x37 stale', [TOTAL]: '1000x37 stale' }),
        ...of('instance="new"', { [ALLOCATED]: '_x38 795+2.5x4 800-5x20 700x60', [TOTAL]: '_x38 1000x86' }),
      },
      at: { '205m': [], '210m': [fills] },
    },
    'is silent for six hours after maintenance, which takes the space of a node away': {
      step: 5,
      series: {
        ...of('node="n1"', { [ALLOCATED]: '800x144', [TOTAL]: '1000x144' }),
        ...of('node="n2"', { [ALLOCATED]: '500x36 0x35 500x72', [TOTAL]: '1000x36 0x35 1000x72' }),
        'sds_node_health_status{node="n1",status="Maintenance"}': '0x144',
        'sds_node_health_status{node="n2",status="Maintenance"}': '0x36 1x35 0x72',
      },
      at: { '240m': [], '300m': [], '420m': [], '700m': [] },
    },
  }),
  ...cases('SdsCapacityImbalance', 'info', {
    'fires after 6 hours and ends an hour after the nodes are even': {
      step: 5,
      series: {
        [ALLOCATED]: '65x73 25x20',
        [TOTAL]: '100x94',
        ...of('node="n2"', { [ALLOCATED]: '40x94', [TOTAL]: '200x94' }),
      },
      at: { '355m': [], '360m': [uneven], '425m': [uneven], '430m': [] },
    },
    'is silent for a small difference, one node, and a node without a total': {
      step: 5,
      series: {
        [ALLOCATED]: '60x80',
        [TOTAL]: '100x80',
        ...of('node="n2"', { [ALLOCATED]: '25x80', [TOTAL]: '100x80' }),
        ...of('node="n3"', { [ALLOCATED]: '0x80', [TOTAL]: '0x80' }),
        ...of('pool="pool 2"', { [ALLOCATED]: '90x80', [TOTAL]: '100x80' }),
      },
      at: { '400m': [] },
    },
    'is silent while a node is in maintenance': {
      step: 5,
      series: {
        [ALLOCATED]: '65x80',
        [TOTAL]: '100x80',
        ...of('node="n2"', { [ALLOCATED]: '2x80', [TOTAL]: '20x80' }),
        'sds_node_health_status{node="n2",status="Maintenance"}': '1x80',
      },
      at: { '400m': [] },
    },
  }),
]
