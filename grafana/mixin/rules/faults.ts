import { milliseconds } from '../promql/duration.ts'
import type { AlertName } from './groups/rule.ts'
import { ALERT_GROUPS } from './rules.ts'

/**
 * Which fault raises which alerts. docs/alerts.md has this table, and a test plays each row with an emulated storage
 * system, an exporter and promtool.
 */

/** Scenarios of the emulator. A test checks that none is missing. */
type Scenario =
  | 'healthy'
  | 'node-down'
  | 'maintenance'
  | 'disk-failures'
  | 'filling-up'
  | 'error-burst'
  | 'slow'
  | 'site-down'
  | 'site-rejoin'
  | 'upgrade'
  | 'array-alerts'

/** An alert and its subjects: values of `pool`, `node` and `category`, in this order; '' is the system. */
export interface ExpectedAlert {
  readonly alert: AlertName
  readonly on: readonly string[]
  /** Alertmanager inhibits it. */
  readonly inhibited?: true
}

export interface Fault {
  readonly name: string
  /** One sentence for the documentation. */
  readonly what: string
  /** Options of the emulator. All others have their defaults: two pools of five nodes. */
  readonly emulator: {
    readonly profile?: 'classic' | 'modern'
    readonly scenario?: Scenario
    readonly faults?: readonly string[]
  }
  /** Authentication of the exporter: the fixed token of the emulator's monitor, or user and password. */
  readonly auth: 'token' | 'login' | 'wrong password'
  /** Removed from the configuration after the first polls: the system, or its second pool. */
  readonly removed?: 'system' | 'pool'
  readonly alerts: readonly ExpectedAlert[]
  /** Names of alerts that may fire, for a reason of the test. */
  readonly tolerated?: readonly AlertName[]
}

const POOLS = ['hot', 'archive'] as const
const CATEGORIES = ['capacity', 'diskIO', 'health', 'traffic'] as const

const alert = (name: AlertName, ...on: readonly string[]): ExpectedAlert => ({ alert: name, on })
const inhibited = (name: AlertName, ...on: readonly string[]): ExpectedAlert => ({
  ...alert(name, ...on),
  inhibited: true,
})

type Row = Omit<Fault, 'auth' | 'emulator'> & Partial<Fault>
const ROWS: readonly Row[] = [
  { name: 'healthy', what: 'No fault.', alerts: [] },
  {
    name: 'node-down',
    what: 'A node is not accessible.',
    alerts: [
      alert('SdsNodeNotAccessible', 'hot/hot-node-01'),
      alert('SdsSystemAlertsCritical', ''),
      inhibited('SdsSystemNodesUnaccounted', ''),
      inhibited('SdsDiskSpaceOffline', ''),
    ],
    // Whether it fires depends on how long the recovery of the node's data takes.
    tolerated: ['SdsRecoveryPending'],
  },
  {
    name: 'maintenance',
    what: 'A node is in maintenance, with all its disks, for less than a day.',
    alerts: [],
  },
  {
    name: 'disk-failures',
    what: 'Nodes of two pools have bad disks; one node is Bad, one Suspect.',
    alerts: [
      alert('SdsNodeBad', 'hot/hot-node-01'),
      alert('SdsNodesSuspect', 'archive'),
      alert('SdsDisksBad', ...POOLS),
      alert('SdsDisksReadyToReplace', ...POOLS),
      inhibited('SdsSystemAlertsCritical', ''),
      inhibited('SdsSystemAlertsError', ''),
      alert('SdsRecoveryPending', 'archive'),
      inhibited('SdsRecoveryPending', 'hot'),
      inhibited('SdsSystemNodesUnaccounted', ''),
      inhibited('SdsDiskSpaceOffline', ''),
    ],
  },
  {
    name: 'filling-up',
    what: 'A pool is above 90 %, another one reaches 90 % within days.',
    alerts: [
      alert('SdsCapacityCritical', 'hot'),
      inhibited('SdsCapacityHigh', 'hot'),
      alert('SdsCapacityHigh', 'archive'),
      inhibited('SdsForecastCritical', 'hot'),
      inhibited('SdsForecastShort', 'hot'),
      alert('SdsForecastCritical', 'archive'),
      inhibited('SdsForecastShort', 'archive'),
      alert('SdsSystemAlertsCritical', ''),
    ],
  },
  {
    name: 'error-burst',
    what: 'Many transactions fail with server errors and client errors.',
    alerts: [
      alert('SdsSystemErrorsCritical', ...POOLS),
      inhibited('SdsSystemErrors', ...POOLS),
      inhibited('SdsTransactionErrorsCritical', ...POOLS),
      inhibited('SdsTransactionErrors', ...POOLS),
    ],
  },
  {
    name: 'slow',
    what: 'Each transaction takes 0.6 s longer.',
    emulator: { profile: 'classic', scenario: 'slow' },
    alerts: [alert('SdsReadLatencyHigh', ...POOLS), alert('SdsWriteLatencyHigh', ...POOLS)],
  },
  {
    name: 'slow-modern',
    what: 'The same, on a system with the Flux API.',
    emulator: { profile: 'modern', scenario: 'slow' },
    alerts: [alert('SdsReadLatencyHigh', ...POOLS), alert('SdsWriteLatencyHigh', ...POOLS)],
  },
  {
    name: 'site-down',
    what: 'The other site of a federation cannot be reached.',
    alerts: [alert('SdsReplicationLinksFailed', ''), alert('SdsSystemAlertsError', '')],
    // The site has been down since midnight.
    tolerated: ['SdsReplicationLagCritical', 'SdsReplicationLagHigh', 'SdsReplicationBacklogGrowing'],
  },
  { name: 'site-rejoin', what: 'A site joins a federation again, and its data is copied.', alerts: [] },
  {
    name: 'upgrade',
    what: 'Half of the nodes have a newer software version, for less than a week.',
    alerts: [],
  },
  {
    name: 'array-alerts',
    what: 'The system has alerts of its own, beside its nodes.',
    alerts: [alert('SdsSystemAlertsCritical', ''), alert('SdsSystemAlertsError', '')],
  },
  {
    name: 'queries-refused',
    what: 'The Flux API of a system refuses all queries.',
    emulator: { profile: 'modern', faults: ['query-error:compile'] },
    alerts: [alert('SdsQueryFailing', ''), alert('SdsResourceFailing', '')],
  },
  {
    name: 'unreachable',
    what: 'The API of a system does not respond.',
    emulator: { faults: ['reset'] },
    alerts: [
      alert('SdsSystemUnreachable', ''),
      inhibited('SdsPoolPollsFailing', ...POOLS),
      inhibited('SdsPollErrorsHigh', ...POOLS),
      inhibited('SdsResourceFailing', ''),
    ],
  },
  {
    name: 'removed-system',
    what: 'A system is removed from the configuration, or its only exporter is gone.',
    emulator: {},
    removed: 'system',
    alerts: [alert('SdsSystemVanished', '')],
  },
  {
    name: 'removed-pool',
    what: 'A pool is no longer listed by its system, or is removed from the configuration.',
    emulator: {},
    removed: 'pool',
    alerts: [alert('SdsPoolVanished', 'archive')],
  },
  {
    name: 'expired-token',
    what: 'The token of the exporter expires.',
    emulator: { faults: ['expire-tokens'] },
    alerts: [
      alert('SdsTokenRefused', ''),
      inhibited('SdsPoolPollsFailing', ...POOLS),
      inhibited('SdsPollErrorsHigh', ...POOLS),
      inhibited('SdsResourceFailing', ''),
    ],
  },
  {
    name: 'expired-session',
    what: 'Tokens expire, and the exporter can log in again.',
    emulator: { faults: ['expire-tokens'] },
    auth: 'login',
    alerts: [],
  },
  {
    name: 'wrong-password',
    what: 'The password of the exporter is wrong since its start.',
    emulator: {},
    auth: 'wrong password',
    alerts: [
      alert('SdsLoginRefused', ''),
      inhibited('SdsPoolsUnknown', ''),
      inhibited('SdsResourceFailing', ''),
    ],
  },
  {
    name: 'frozen',
    what: 'The statistics of a system have stopped: it serves stale statistics.',
    emulator: { faults: ['frozen'] },
    alerts: [
      alert('SdsFeedFrozen', ...POOLS),
      inhibited(
        'SdsCategoryFrozen',
        ...POOLS.flatMap((pool) => CATEGORIES.map((category) => `${pool}/${category}`)),
      ),
    ],
  },
]

/** All alerts of each fault, after every `for`. A row without options of the emulator is the scenario of its name. */
export const FAULTS: readonly Fault[] = ROWS.map((row) => ({
  auth: 'token',
  emulator: { scenario: row.name as Scenario },
  ...row,
}))

/** `for` of the rule of an alert, in milliseconds, not scaled. */
export const waitOf = (name: string): number => {
  const rule = ALERT_GROUPS.flatMap(({ alerts }) => alerts).find((candidate) => candidate.alert === name)
  if (rule === undefined) throw new Error(`there is no rule ${name}`)
  return rule.for === undefined ? 0 : milliseconds(rule.for)
}
