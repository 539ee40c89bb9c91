import type { Selection } from '../../../mixin/promql/selection.ts'
import { type Answers, NOTHING } from './evaluate.ts'

export const node = (system: string, pool: string, name: string) => ({ system, pool, node: name })
export const pool = (system: string, name: string) => ({ system, pool: name })

/** Half of the bucket from 0.3 to 0.9. */
const WRITE_QUANTILE = 0.3 + (0.9 - 0.3) * 0.5

/** Calculated by hand from input_series.ts, with everything selected. */
export const EXPECTED: Readonly<Record<string, Answers>> = {
  'sds-fleet / Systems not answering': [1],
  'sds-fleet / Nodes by state': [2, 0, 1, 1, 0, [[{ status: 'Rebooting' }, 1]]],
  'sds-fleet / Disks needing attention': [3],
  'sds-fleet / Fleet space used': [0.35],
  'sds-fleet / Time to 90 % full': [432_000],
  'sds-fleet / Firing alerts': [1, 1],
  'sds-fleet / Worst node state per pool': [
    [
      [pool('fra', 'p1'), 3],
      [pool('fra', 'p2'), 2],
      [pool('muc', 'p1'), 0],
      [pool('muc', 'p3'), 5],
    ],
  ],

  'sds-pool / Nodes healthy': [0.4],
  'sds-pool / Space used': [0.35],
  'sds-pool / Free on good disks': [5550],
  'sds-pool / Transactions per second': [210, 150],
  'sds-pool / Latency': [13 / 210, 11 / 150, 0.2, WRITE_QUANTILE],
  'sds-pool / Data age': [602],
  'sds-pool / Served attributes': [1, 0.75, 0.5, 0.5],
  'sds-pool / Node health': [
    [
      [node('fra', 'p1', 'n1'), 0],
      [node('fra', 'p1', 'n2'), 3],
      [node('fra', 'p2', 'n3'), 2],
      [node('muc', 'p1', 'n1'), 0],
      [node('muc', 'p3', 'n9'), 5],
    ],
  ],
  'sds-pool / Space used by node': [
    [
      [node('fra', 'p1', 'n1'), 0.9],
      [node('fra', 'p1', 'n2'), 0.5],
      [node('fra', 'p2', 'n3'), 0.1],
      [node('muc', 'p1', 'n1'), 0.2],
    ],
  ],

  'sds-capacity / Space used': [0.35],
  'sds-capacity / Usable': [10_000],
  'sds-capacity / Allocated': [3500],
  'sds-capacity / Free': [5550],
  'sds-capacity / Reserved': [950],
  'sds-capacity / Offline, all pools': [700],
  'sds-capacity / Space used by pool': [
    [
      [pool('fra', 'p1'), 0.6],
      [pool('fra', 'p2'), 0.1],
      [pool('muc', 'p1'), 0.2],
    ],
  ],
  'sds-capacity / Forecasts not available': [2],
  'sds-capacity / Served attributes': [1, 0.75],
  'sds-capacity / Top $topn nodes closest to 90 %': [
    [
      [node('fra', 'p1', 'n1'), 432_000],
      [node('muc', 'p1', 'n1'), 1_728_000],
    ],
  ],

  'sds-performance / Latency now': [13 / 210, 11 / 150, 0.2, WRITE_QUANTILE],
  'sds-performance / Served attributes': [0.75, 0.5, 0.5],

  'sds-errors / Failed transactions': [20 / 2100],
  'sds-errors / System errors': [5 / 2100],
  'sds-errors / User errors': [15 / 2100],
  'sds-errors / Served attributes': [0.5, 0.5],

  'sds-disks / Disks by state': [41, 1, 1, 2],
  'sds-disks / Not counted in any state': [1],
  'sds-disks / Served attributes': [0.5],
  'sds-disks / Recovery running': [
    [
      [pool('fra', 'p1'), 1],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-disks / Hours of recovery in the last day': [
    [
      // 25 points of five minutes in two hours of data.
      [pool('fra', 'p1'), 25 / 12],
      [pool('muc', 'p1'), 0],
    ],
  ],

  'sds-exporter / Exporters up': [1, 2],
  'sds-exporter / Configuration': [0],
  'sds-exporter / Configuration age': [7100],
  'sds-exporter / Upstream certificate expires in': [[[{ system: 'fra' }, 86_400]]],
  'sds-exporter / Clock difference now': [
    [
      [{ system: 'fra' }, 2],
      [{ system: 'muc' }, -40],
    ],
  ],
  'sds-exporter / System reachable': [
    [
      [{ system: 'fra' }, 1],
      [{ system: 'muc' }, 0],
    ],
  ],
  'sds-exporter / Query interface': [[[{ system: 'fra' }, 1]]],
  'sds-exporter / Pool poll ok': [
    [
      [{ system: 'fra', pool_id: 'id1', pool: 'p1' }, 1],
      [{ system: 'fra', pool_id: 'id2', pool: 'p2' }, 0],
      [{ system: 'muc', pool_id: 'id3', pool: 'p1' }, 1],
      [{ system: 'muc', pool_id: 'id4', pool: 'id4' }, 0],
    ],
  ],
  'sds-exporter / Providers': [[[{ system: 'fra' }, 3]]],
}

/** Panels with several series whose calculation is tested. */
export const EXPECTED_OF_LINES: Readonly<Record<string, Answers>> = {
  'sds-performance / Read latency: mean, 95th percentile of nodes, worst node': [
    [
      [pool('fra', 'p1'), 3 / 110],
      [pool('muc', 'p1'), 0.1],
    ],
    [
      [pool('fra', 'p1'), 0.01 * (1 - 0.95) + 0.2 * 0.95],
      [pool('fra', 'p2'), 0.2],
      [pool('muc', 'p1'), 0.1],
    ],
    [
      [pool('fra', 'p1'), 0.2],
      [pool('fra', 'p2'), 0.2],
      [pool('muc', 'p1'), 0.1],
    ],
    [[pool('fra', 'p2'), 0.2]],
    [[pool('fra', 'p2'), 0.296]],
  ],
  'sds-performance / Background share of disk reads': [[[pool('fra', 'p1'), 0.25]]],
  'sds-disks / Share of disk reads that serves users': [[[pool('fra', 'p1'), 0.75]]],
  'sds-errors / Failure ratio by pool': [
    [
      [pool('fra', 'p1'), 20 / 1100],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-errors / Failures per sample by category': [
    [
      [{ category: 'User' }, 15],
      [{ category: 'System' }, 5],
    ],
  ],
  'sds-capacity / Fullest minus emptiest node': [
    [
      [pool('fra', 'p1'), 0.4],
      [pool('fra', 'p2'), 0],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-pool / NIC use by node, busier direction': [
    [
      [node('fra', 'p1', 'n1'), 0.4],
      [node('fra', 'p1', 'n2'), 0.6],
    ],
  ],
}

/** The node dashboard, with one node selected. */
export const ONE_NODE: Selection = { system: ['fra'], pool: ['p1'], node: ['n2'] }
export const EXPECTED_OF_ONE_NODE: Readonly<Record<string, Answers>> = {
  'sds-node / Health': [3],
  'sds-node / Health over time': [[[{ node: 'n2' }, 3]]],
  'sds-node / Disks by state': [9, 0, 1, 2],
  'sds-node / Space used': [0.5],
  'sds-node / CPU': [0.9],
  'sds-node / Memory': [0.7],
  'sds-node / Network use': [0.6, 0.3],
  'sds-node / Sample age by category': [
    [
      [{ category: 'capacity' }, 602],
      [{ category: 'traffic' }, 902],
    ],
  ],
  'sds-node / Served attributes': [1, 1, 1, 1],
}

/** A pool of a newer system, which does not serve all attributes. */
export const NEWER: Selection = { system: ['fra'], pool: ['p2'] }
export const EXPECTED_OF_NEWER: Readonly<Record<string, Answers>> = {
  'sds-pool / Served attributes': [1, 0, 0, 0],
  'sds-pool / Transactions per second': [NOTHING, NOTHING],
  'sds-pool / Latency': [NOTHING, NOTHING, 0.2, WRITE_QUANTILE],
  'sds-errors / Failed transactions': [NOTHING],
  'sds-errors / System errors': [NOTHING],
}

/** A system that serves transactions and had no failures: 0, not empty. */
export const FAULTLESS: Selection = { system: ['muc'] }
export const EXPECTED_OF_FAULTLESS: Readonly<Record<string, Answers>> = {
  'sds-errors / Failed transactions': [0],
  'sds-errors / System errors': [0],
  'sds-errors / User errors': [0],
  'sds-fleet / Time to 90 % full': [1_728_000],
  'sds-fleet / Firing alerts': [0, 1],
}
