import type { Selection } from '../../../../grafana/mixin/promql/selection.ts'
import { type ExpectedValues, NOTHING } from './evaluate.ts'

export const node = (system: string, pool: string, name: string) => ({ system, pool, node: name })
export const pool = (system: string, name: string) => ({ system, pool: name })

/** Half of the bucket from 0.3 to 0.9. */
const WRITE_QUANTILE = 0.3 + (0.9 - 0.3) * 0.5

/** Bands of state timelines have a rank, the worst first. */
const ranked = (key: object, rank: string) => ({ ...key, _rank: rank })

/** Calculated by hand from input_series.ts, with everything selected. */
export const EXPECTED: Readonly<Record<string, ExpectedValues>> = {
  'sds-fleet / No answer': [1],
  'sds-fleet / Seen in 24 h, not now': [0, 0, 0],
  'sds-fleet / Alerts': [1, 1],
  'sds-fleet / Node states': [2, NOTHING, 1, 1, NOTHING, [[{ status: 'Rebooting' }, 1]]],
  'sds-fleet / Disks': [2, 1],
  'sds-fleet / Pools that were not Good': [
    [
      [ranked(pool('fra', 'p1'), '6'), 3],
      [ranked(pool('fra', 'p2'), '7'), 7],
      [ranked(pool('muc', 'p3'), '4'), 5],
      [ranked(pool('muc', 'id4'), '3'), 7],
    ],
  ],

  'sds-pool / Node states': [2, NOTHING, 1, 1, NOTHING, [[{ status: 'Rebooting' }, 1]]],
  'sds-pool / Space used': [0.35],
  'sds-pool / Free': [5550],
  'sds-pool / Transactions': [210, 150],
  'sds-pool / Latency': [13 / 210, 11 / 150],
  'sds-pool / Nodes that were not Good': [
    [
      [ranked(node('fra', 'p1', 'n2'), '6'), 3],
      [ranked(node('fra', 'p2', 'n3'), '7'), 2],
      [ranked(node('muc', 'p3', 'n9'), '4'), 5],
    ],
  ],

  'sds-capacity / Space used': [0.35],
  'sds-capacity / Usable': [10_000],
  'sds-capacity / Allocated': [3500],
  'sds-capacity / Free': [5550],
  'sds-capacity / Reserved': [950],
  'sds-capacity / Offline': [700],

  'sds-performance / Latency': [13 / 210, 11 / 150],
  'sds-performance / Transactions': [210, 150],
  'sds-performance / Bandwidth': [3000, 500],

  'sds-errors / Failed transactions': [20 / 2100],
  'sds-errors / System errors': [5 / 2100],
  'sds-errors / User errors': [15 / 2100],

  'sds-disks / Disks by state': [41, 1, 1, 2],
  'sds-disks / Not counted in any state': [1],
  'sds-disks / Pools that were recovering': [[[pool('fra', 'p1'), 1]]],

  // One poll in a minute fails, at both exporters.
  'sds-exporter / Faults in the time range': [2, 240, NOTHING, NOTHING, NOTHING, NOTHING],
  'sds-exporter / System reachable': [
    [
      [{ system: 'fra' }, 1],
      [{ system: 'muc' }, 0],
    ],
  ],
  'sds-exporter / Pools whose polls failed': [
    [
      [pool('fra', 'p2'), 0],
      [pool('muc', 'id4'), 0],
    ],
  ],
  'sds-exporter / Query interface': [[[{ system: 'fra' }, 1]]],
}

/** Current, no sample is old enough, the last poll failed, and why. */
const DATA: ExpectedValues = [
  [
    [pool('fra', 'p1'), 0],
    [pool('fra', 'p2'), 2],
    [pool('muc', 'p1'), 0],
    [pool('muc', 'id4'), 2],
  ],
]

/** Tables, column by column. */
export const EXPECTED_OF_TABLES: Readonly<Record<string, ExpectedValues>> = {
  'sds-pool / Top $topn nodes by space used': [
    [
      [node('fra', 'p1', 'n1'), 0.9],
      [node('fra', 'p1', 'n2'), 0.5],
      [node('fra', 'p2', 'n3'), 0.1],
      [node('muc', 'p1', 'n1'), 0.2],
    ],
  ],
  'sds-errors / Data': [
    ...DATA,
    NOTHING,
    [
      [pool('fra', 'p1'), 602],
      [pool('fra', 'p2'), 102],
      [pool('muc', 'p1'), 10],
    ],
    [
      [pool('fra', 'p1'), 1],
      [pool('fra', 'p2'), 0],
      [pool('muc', 'p1'), 0],
    ],
    [
      [pool('fra', 'p1'), 1],
      [pool('fra', 'p2'), 0],
      [pool('muc', 'p1'), 0],
    ],
    [[{ ...pool('fra', 'p2'), result: 'timeout' }, 60]],
  ],
  'sds-capacity / Top $topn nodes closest to 90 %': [
    [
      [node('fra', 'p1', 'n1'), 432_000],
      [node('muc', 'p1', 'n1'), 1_728_000],
    ],
  ],
  'sds-disks / Nodes with disks to repair': [
    [
      [{ ...node('fra', 'p1', 'n2'), status: 'Bad' }, 2],
      [{ ...node('fra', 'p1', 'n2'), status: 'ReadyToReplace' }, 1],
    ],
  ],
  'sds-disks / Top $topn pools by hours of recovery': [
    // 25 points of five minutes in two hours of data.
    [[pool('fra', 'p1'), 25 / 12]],
  ],
  'sds-exporter / Exporters': [
    [
      [{ instance: 'a:9438' }, 1],
      [{ instance: 'b:9438' }, 0],
    ],
    [
      [{ instance: 'a:9438' }, 1],
      [{ instance: 'b:9438' }, 0],
    ],
    [
      [{ instance: 'a:9438' }, 3600],
      [{ instance: 'b:9438' }, 7100],
    ],
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
  ],
  'sds-exporter / Systems': [
    [
      [{ system: 'fra' }, 0],
      [{ system: 'muc' }, 1],
    ],
    [[{ system: 'fra' }, 1]],
    [[{ system: 'fra' }, 86_400]],
    [
      [{ system: 'fra' }, 2],
      [{ system: 'muc' }, -40],
    ],
    [[{ system: 'fra' }, 3]],
  ],
}

/** Panels with several series whose calculation is tested. */
export const EXPECTED_OF_LINES: Readonly<Record<string, ExpectedValues>> = {
  'sds-performance / Read latency of the selected pools': [
    13 / 210,
    // Of 0.01, 0.1, 0.2 and the quantile 0.2 of the fourth node.
    0.2,
    0.2,
    0.296,
  ],
  'sds-performance / Top $topn pools by read latency': [
    [
      [pool('fra', 'p1'), 3 / 110],
      [pool('fra', 'p2'), 0.2],
      [pool('muc', 'p1'), 0.1],
    ],
  ],
  'sds-performance / Top $topn pools: background disk reads': [[[pool('fra', 'p1'), 0.25]]],
  'sds-disks / Top $topn pools: disk reads for users': [[[pool('fra', 'p1'), 0.75]]],
  'sds-errors / Top $topn pools by failed transactions': [
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
  'sds-capacity / Top $topn pools: fullest minus emptiest node': [
    [
      [pool('fra', 'p1'), 0.4],
      [pool('fra', 'p2'), 0],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-pool / Top $topn nodes by transactions': [
    [
      [node('fra', 'p1', 'n1'), 150],
      [node('fra', 'p1', 'n2'), 10],
      [node('muc', 'p1', 'n1'), 200],
    ],
  ],
  'sds-pool / Top $topn nodes by NIC use': [
    [
      [node('fra', 'p1', 'n1'), 0.4],
      [node('fra', 'p1', 'n2'), 0.6],
    ],
  ],
}

/** The node dashboard, with one node selected. */
export const ONE_NODE: Selection = { system: ['fra'], pool: ['p1'], node: ['n2'] }
export const EXPECTED_OF_ONE_NODE: Readonly<Record<string, ExpectedValues>> = {
  'sds-node / Health': [3],
  'sds-node / Last in the feed': [0],
  'sds-node / Health over time': [[[{ node: 'n2' }, 3]]],
  'sds-node / Disks': [9, 0, 1, 2],
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
}

/** A pool of a newer system, which does not serve all attributes. */
export const NEWER: Selection = { system: ['fra'], pool: ['p2'] }
export const EXPECTED_OF_NEWER: Readonly<Record<string, ExpectedValues>> = {
  'sds-pool / Transactions': [NOTHING, NOTHING],
  'sds-pool / Latency': [0.2, WRITE_QUANTILE],
  'sds-errors / Failed transactions': [NOTHING],
  'sds-errors / System errors': [NOTHING],
}

/** A system that serves transactions and had no failures: 0, not empty. */
export const FAULTLESS: Selection = { system: ['muc'] }
export const EXPECTED_OF_FAULTLESS: Readonly<Record<string, ExpectedValues>> = {
  'sds-errors / Failed transactions': [0],
  'sds-errors / System errors': [0],
  'sds-errors / User errors': [0],
  'sds-fleet / Alerts': [0, 1],
}
