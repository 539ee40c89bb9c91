import { type ExpectedValues, NOTHING } from './evaluate.ts'

const FRA = { system: 'fra' } as const
const MUC = { system: 'muc' } as const
const group = (name: string) => ({ ...FRA, replication_group: name })
const namespace = (system: object, name: string) => ({ ...system, namespace: name })

/** Of the table that the fleet and the system dashboard have: own alerts, nodes, replication, and the name. */
const SYSTEMS: ExpectedValues = [
  [
    [FRA, 1],
    [MUC, 0],
  ],
  [
    [FRA, 2],
    [MUC, 0],
  ],
  [
    [FRA, 3],
    [MUC, 5],
  ],
  [
    [FRA, 1],
    [MUC, 0],
  ],
  [
    [FRA, 1],
    [MUC, 0],
  ],
  // Not the lag of a group without data that waits.
  [[FRA, 600]],
  [[FRA, 65]],
  [[{ ...FRA, vdc: 'vdc-fra' }, 1]],
]

/** Tiles, calculated by hand from system_series.ts. */
export const EXPECTED_OF_SYSTEMS: Readonly<Record<string, ExpectedValues>> = {
  'sds-system / Unacknowledged alerts': [1, 2, 8, 5],
  'sds-system / Nodes as counted by the system': [4, 0, 1, 1],
  'sds-system / Disks as counted by the system': [25, 0, 1, 1],
  'sds-system / Failed links': [1],
  'sds-system / Garbage': [115],
  'sds-system / To recover': [1000],
  'sds-system / Coded': [0.97],
  'sds-system / Tables': [3],
  'sds-system / Versions': [2],
}

/** Tables, column by column. */
export const EXPECTED_OF_SYSTEM_TABLES: Readonly<Record<string, ExpectedValues>> = {
  'sds-fleet / Systems': SYSTEMS,
  'sds-system / Systems': SYSTEMS,
  'sds-system / Data': [
    [[{ ...FRA, resource: 'system' }, 1]],
    [[{ ...FRA, resource: 'system' }, 60]],
    [[{ ...FRA, resource: 'system' }, 1]],
    [[{ ...FRA, resource: 'system' }, 0]],
    [[{ ...FRA, resource: 'system' }, 0]],
  ],
  'sds-namespaces / Data': [
    [
      [{ ...FRA, resource: 'namespaces' }, 0],
      [{ ...FRA, resource: 'buckets' }, 2],
    ],
    [[{ ...FRA, resource: 'namespaces' }, 0]],
    [[{ ...FRA, resource: 'namespaces' }, 500]],
    [[{ ...FRA, resource: 'namespaces' }, 9]],
    [[{ ...FRA, resource: 'namespaces' }, 1]],
  ],
  'sds-system / Replication groups': [
    [[group('rg1'), 3]],
    // By the query interface; and by the recovery point, with the clock skew of the system.
    [
      [group('rg1'), 600],
      [group('rg2'), 200],
    ],
    [
      [group('rg1'), 50],
      [group('rg2'), 9],
      [group('rg3'), 0],
    ],
    [[group('rg1'), 5]],
    [[group('rg1'), 1]],
  ],
  'sds-namespaces / Systems': [
    [
      [FRA, 2],
      [MUC, 1],
    ],
    [
      [FRA, 1020],
      [MUC, 5000],
    ],
    [
      [FRA, 30],
      [MUC, 4],
    ],
    [[FRA, 1]],
  ],
  'sds-namespaces / Top $topn namespaces by used quota': [
    [
      [namespace(FRA, 'full'), 0.9],
      [namespace(FRA, 'grows'), 0.5],
    ],
    // 120 of 240 bytes are left, at a byte a minute.
    [[namespace(FRA, 'grows'), 7200]],
    [
      [namespace(FRA, 'full'), 900],
      [namespace(FRA, 'grows'), 120],
    ],
    [
      [namespace(FRA, 'full'), 1000],
      [namespace(FRA, 'grows'), 240],
    ],
    [[namespace(FRA, 'full'), 800]],
    [[namespace(FRA, 'full'), 30]],
    [[namespace(FRA, 'full'), 77]],
  ],
  'sds-namespaces / Top $topn namespaces by size': [
    [
      [namespace(MUC, 'free'), 5000],
      [namespace(FRA, 'full'), 900],
      [namespace(FRA, 'grows'), 120],
    ],
    NOTHING,
    [
      [namespace(FRA, 'full'), 30],
      [namespace(MUC, 'free'), 4],
    ],
    [[namespace(MUC, 'free'), 7]],
    [[namespace(MUC, 'free'), 900]],
  ],
}

/** Panels with several series. */
export const EXPECTED_OF_SYSTEM_LINES: Readonly<Record<string, ExpectedValues>> = {
  'sds-capacity / Allocated space by purpose': [
    [
      [{ purpose: 'user_data' }, 600],
      [{ purpose: 'geo_copy' }, 250],
    ],
    150,
  ],
}
