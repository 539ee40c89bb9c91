import type { Selection } from '../../../../grafana/mixin/promql/selection.ts'
import { at, by, type ExpectedValues, NOTHING } from './evaluate.ts'

/** Half of the bucket from 0.3 to 0.9. */
const WRITE_QUANTILE = 0.3 + (0.9 - 0.3) * 0.5

const FRA = { system: 'fra' }
/** Bands of state timelines have a rank, the worst first. */
const ranked = (place: string, rank: string, code: number) => at({ [place]: code }, { _rank: rank })

/** Of the table that the fleet and the system dashboard have: own alerts, nodes, replication, and the name. */
const SYSTEMS: ExpectedValues = [
  at({ fra: 1, muc: 0 }),
  at({ fra: 2, muc: 0 }),
  at({ fra: 3, muc: 5 }),
  at({ fra: 1, muc: 0 }),
  at({ fra: 1, muc: 0 }),
  // Not the lag of a group without data that waits.
  at({ fra: 600 }),
  at({ fra: 65 }),
  at({ fra: 1 }, { vdc: 'vdc-fra' }),
]

/** Calculated by hand from input_series.ts, with everything selected: the queries of panels, the columns of tables. */
export const EXPECTED: Readonly<Record<string, ExpectedValues>> = {
  'sds-fleet / Unreachable': [1],
  'sds-fleet / Missing (last 24 h)': [0, 0, 0],
  'sds-fleet / Alerts': [1, 1],
  'sds-fleet / Node states': [2, NOTHING, 1, 1, NOTHING, by('status', { Rebooting: 1 })],
  'sds-fleet / Disks': [2, 1],
  'sds-fleet / Pools that were not Good': [
    [
      ...ranked('fra/p1', '6', 3),
      ...ranked('fra/p2', '7', 7),
      ...ranked('muc/p3', '4', 5),
      ...ranked('muc/id4', '3', 7),
    ],
  ],
  'sds-fleet / Systems': SYSTEMS,

  'sds-system / Systems': SYSTEMS,
  'sds-system / Unacknowledged alerts': [1, 2, 8, 5],
  'sds-system / Nodes as counted by the system': [4, 0, 1, 1],
  'sds-system / Disks as counted by the system': [25, 0, 1, 1],
  'sds-system / Failed links': [1],
  'sds-system / Garbage': [115],
  'sds-system / To recover': [1000],
  'sds-system / Coded': [0.97],
  'sds-system / Tables': [3],
  'sds-system / Versions': [2],
  'sds-system / Data': [1, 60, 1, 0, 0].map((value) => by('resource', { system: value }, FRA)),
  'sds-system / Replication groups': [
    by('replication_group', { rg1: 3 }, FRA),
    // By the Flux API; and by the recovery point, with the clock skew of the system.
    by('replication_group', { rg1: 600, rg2: 200 }, FRA),
    by('replication_group', { rg1: 50, rg2: 9, rg3: 0 }, FRA),
    by('replication_group', { rg1: 5 }, FRA),
    by('replication_group', { rg1: 1 }, FRA),
  ],

  'sds-namespaces / Data': [
    by('resource', { namespaces: 0, buckets: 2 }, FRA),
    ...[0, 500, 9, 1].map((value) => by('resource', { namespaces: value }, FRA)),
  ],
  'sds-namespaces / Systems': [
    at({ fra: 2, muc: 1 }),
    at({ fra: 1020, muc: 5000 }),
    at({ fra: 30, muc: 4 }),
    at({ fra: 1 }),
  ],
  'sds-namespaces / Top $topn namespaces by used quota': [
    by('namespace', { full: 0.9, grows: 0.5 }, FRA),
    // 120 of 240 bytes are left, at a byte a minute.
    by('namespace', { grows: 7200 }, FRA),
    by('namespace', { full: 900, grows: 120 }, FRA),
    by('namespace', { full: 1000, grows: 240 }, FRA),
    by('namespace', { full: 800 }, FRA),
    by('namespace', { full: 30 }, FRA),
    by('namespace', { full: 77 }, FRA),
  ],
  'sds-namespaces / Top $topn namespaces by size': [
    [...at({ muc: 5000 }, { namespace: 'free' }), ...by('namespace', { full: 900, grows: 120 }, FRA)],
    NOTHING,
    [...at({ fra: 30 }, { namespace: 'full' }), ...at({ muc: 4 }, { namespace: 'free' })],
    at({ muc: 7 }, { namespace: 'free' }),
    at({ muc: 900 }, { namespace: 'free' }),
  ],

  'sds-pool / Node states': [2, NOTHING, 1, 1, NOTHING, by('status', { Rebooting: 1 })],
  'sds-pool / Space used': [0.35],
  'sds-pool / Free': [5550],
  'sds-pool / Transactions': [210, 150],
  'sds-pool / Latency': [13 / 210, 11 / 150],
  'sds-pool / Nodes that were not Good': [
    [...ranked('fra/p1/n2', '6', 3), ...ranked('fra/p2/n3', '7', 2), ...ranked('muc/p3/n9', '4', 5)],
  ],
  'sds-pool / Top $topn nodes by space used': [
    at({ 'fra/p1/n1': 0.9, 'fra/p1/n2': 0.5, 'fra/p2/n3': 0.1, 'muc/p1/n1': 0.2 }),
  ],

  'sds-capacity / Space used': [0.35],
  'sds-capacity / Usable': [10_000],
  'sds-capacity / Allocated': [3500],
  'sds-capacity / Free': [5550],
  'sds-capacity / Reserved': [950],
  'sds-capacity / Offline': [700],
  'sds-capacity / Top $topn nodes closest to 90 %': [at({ 'fra/p1/n1': 432_000, 'muc/p1/n1': 1_728_000 })],

  'sds-performance / Latency': [13 / 210, 11 / 150],
  'sds-performance / Transactions': [210, 150],
  'sds-performance / Bandwidth': [3000, 500],

  'sds-errors / Failed transactions': [20 / 2100],
  'sds-errors / System errors': [5 / 2100],
  'sds-errors / User errors': [15 / 2100],
  'sds-errors / Data': [
    // Current, no sample is old enough, the last poll failed, and why.
    at({ 'fra/p1': 0, 'fra/p2': 2, 'muc/p1': 0, 'muc/id4': 2 }),
    NOTHING,
    at({ 'fra/p1': 602, 'fra/p2': 102, 'muc/p1': 10 }),
    at({ 'fra/p1': 1, 'fra/p2': 0, 'muc/p1': 0 }),
    at({ 'fra/p1': 1, 'fra/p2': 0, 'muc/p1': 0 }),
    at({ 'fra/p2': 60 }, { result: 'timeout' }),
  ],

  'sds-disks / Disks by state': [41, 1, 1, 2],
  'sds-disks / Not counted in any state': [1],
  'sds-disks / Pools that were recovering': [at({ 'fra/p1': 1 })],
  'sds-disks / Nodes with disks to repair': [
    by('status', { Bad: 2, ReadyToReplace: 1 }, { ...FRA, pool: 'p1', node: 'n2' }),
  ],
  // 25 points of five minutes in two hours of data.
  'sds-disks / Top $topn pools by hours of recovery': [at({ 'fra/p1': 25 / 12 })],

  // One poll in a minute fails, at both exporters.
  'sds-exporter / Faults in the time range': [2, 240, NOTHING, NOTHING, NOTHING, NOTHING],
  'sds-exporter / System reachable': [at({ fra: 1, muc: 0 })],
  'sds-exporter / Pools whose polls failed': [at({ 'fra/p2': 0, 'muc/id4': 0 })],
  'sds-exporter / Flux API': [at({ fra: 1 })],
  'sds-exporter / Exporters': [
    by('instance', { 'a:9438': 1, 'b:9438': 0 }),
    by('instance', { 'a:9438': 1, 'b:9438': 0 }),
    by('instance', { 'a:9438': 3600, 'b:9438': 7100 }),
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
  ],
  'sds-exporter / Systems': [
    at({ fra: 0, muc: 1 }),
    at({ fra: 1 }),
    at({ fra: 86_400 }),
    at({ fra: 2, muc: -40 }),
    at({ fra: 3 }),
  ],
}

/** Panels with several series whose calculation is tested. */
export const EXPECTED_OF_LINES: Readonly<Record<string, ExpectedValues>> = {
  // Of 0.01, 0.1, 0.2 and the quantile 0.2 of the fourth node.
  'sds-performance / Read latency of the selected pools': [13 / 210, 0.2, 0.2, 0.296],
  'sds-performance / Top $topn pools by read latency': [
    at({ 'fra/p1': 3 / 110, 'fra/p2': 0.2, 'muc/p1': 0.1 }),
  ],
  'sds-performance / Top $topn pools: background disk reads': [at({ 'fra/p1': 0.25 })],
  'sds-disks / Top $topn pools: disk reads for users': [at({ 'fra/p1': 0.75 })],
  'sds-errors / Top $topn pools by failed transactions': [at({ 'fra/p1': 20 / 1100, 'muc/p1': 0 })],
  'sds-errors / Failures per sample by category': [by('category', { User: 15, System: 5 })],
  'sds-capacity / Top $topn pools: fullest minus emptiest node': [
    at({ 'fra/p1': 0.4, 'fra/p2': 0, 'muc/p1': 0 }),
  ],
  'sds-capacity / Allocated space by purpose': [by('purpose', { user_data: 600, geo_copy: 250 }), 150],
  'sds-pool / Top $topn nodes by transactions': [at({ 'fra/p1/n1': 150, 'fra/p1/n2': 10, 'muc/p1/n1': 200 })],
  'sds-pool / Top $topn nodes by NIC use': [at({ 'fra/p1/n1': 0.4, 'fra/p1/n2': 0.6 })],
}

/** The node dashboard, with one node selected. */
export const ONE_NODE: Selection = { system: ['fra'], pool: ['p1'], node: ['n2'] }
export const EXPECTED_OF_ONE_NODE: Readonly<Record<string, ExpectedValues>> = {
  'sds-node / Health': [3],
  'sds-node / Last listed': [0],
  'sds-node / Health over time': [by('node', { n2: 3 })],
  'sds-node / Disks': [9, 0, 1, 2],
  'sds-node / Space used': [0.5],
  'sds-node / CPU': [0.9],
  'sds-node / Memory': [0.7],
  'sds-node / Network use': [0.6, 0.3],
  'sds-node / Sample age by category': [by('category', { capacity: 602, traffic: 902 })],
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
