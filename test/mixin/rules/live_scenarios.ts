import { milliseconds } from '../../../mixin/promql/duration.ts'
import type { Severity } from '../../../mixin/rules/groups/rule.ts'
import { ALERT_GROUPS } from '../../../mixin/rules/rules.ts'

/** Expected alerts of an emulated storage system, an exporter, Prometheus and Alertmanager. */

/** Scenarios of the emulator. A test checks that none is missing. */
type Scenario = 'healthy' | 'node-down' | 'disk-failures' | 'filling-up' | 'error-burst' | 'slow'

/** An alert and its subjects: values of `pool`, `node` and `category`, in this order; '' is the system. */
export interface ExpectedAlert {
  readonly alert: string
  readonly severity: Severity
  readonly on: readonly string[]
  /** Alertmanager inhibits it. */
  readonly inhibited?: true
}

export interface LiveScenario {
  readonly name: string
  /** Options of the emulator. All others have their defaults: two pools of five nodes. */
  readonly emulator: {
    readonly profile?: 'classic' | 'modern'
    readonly scenario?: Scenario
    readonly faults?: readonly string[]
  }
  /** Authentication of the exporter: the fixed token of the emulator's monitor, or user and password. */
  readonly auth: 'token' | 'login' | 'wrong password'
  /**
   * Seconds before now at which the faults begin, by the emulator's clock: ages of samples are compared with
   * seconds, which are not scaled.
   */
  readonly faultsBeganSecondsAgo?: number
  /** Set the faults after the first successful poll. */
  readonly faultsAfterFirstPoll?: true
  /** Set the faults after Prometheus has seen a successful poll of the query interface. */
  readonly faultsAfterFirstQuery?: true
  /** The emulator's clock is as fast as the scaled rules: the intervals of its points are then scaled, too. */
  readonly fastClock?: true
  readonly alerts: readonly ExpectedAlert[]
  /** Names of alerts that may fire, for a reason of the test. */
  readonly tolerated?: readonly string[]
}

const POOLS = ['hot', 'archive'] as const
const CATEGORIES = ['capacity', 'diskIO', 'health', 'traffic'] as const
const DISK_NODES = POOLS.flatMap((pool) => ['01', '03', '05'].map((node) => `${pool}/${pool}-node-${node}`))

const alert = (name: string, severity: Severity, ...on: readonly string[]): ExpectedAlert => ({
  alert: name,
  severity,
  on,
})
const inhibited = (name: string, severity: Severity, ...on: readonly string[]): ExpectedAlert => ({
  ...alert(name, severity, ...on),
  inhibited: true,
})

/** All alerts of each scenario, after every `for`. */
export const LIVE_SCENARIOS: readonly LiveScenario[] = [
  { name: 'healthy', emulator: { scenario: 'healthy' }, auth: 'token', alerts: [] },
  {
    name: 'node-down',
    emulator: { scenario: 'node-down' },
    auth: 'token',
    alerts: [
      alert('SdsNodeNotAccessible', 'warning', 'hot/hot-node-01'),
      alert('SdsDiskSpaceOffline', 'warning', ''),
    ],
  },
  {
    name: 'disk-failures',
    emulator: { scenario: 'disk-failures' },
    auth: 'token',
    alerts: [
      alert('SdsNodeBad', 'critical', 'hot/hot-node-01'),
      alert('SdsNodeSuspect', 'warning', 'archive/archive-node-01'),
      alert('SdsDisksBad', 'warning', ...DISK_NODES),
      alert('SdsDisksReadyToReplace', 'info', ...DISK_NODES),
      alert('SdsDiskSpaceOffline', 'warning', ''),
    ],
  },
  {
    name: 'filling-up',
    emulator: { scenario: 'filling-up' },
    auth: 'token',
    alerts: [
      alert('SdsCapacityHigh', 'critical', 'hot'),
      inhibited('SdsCapacityHigh', 'warning', 'hot'),
      alert('SdsCapacityHigh', 'warning', 'archive'),
      inhibited('SdsForecastShort', 'critical', 'hot'),
      inhibited('SdsForecastShort', 'warning', 'hot'),
      alert('SdsForecastShort', 'critical', 'archive'),
      inhibited('SdsForecastShort', 'warning', 'archive'),
    ],
  },
  {
    name: 'error-burst',
    emulator: { scenario: 'error-burst' },
    auth: 'token',
    alerts: [
      alert('SdsSystemErrors', 'critical', ...POOLS),
      inhibited('SdsSystemErrors', 'warning', ...POOLS),
      alert('SdsTransactionErrors', 'critical', ...POOLS),
      inhibited('SdsTransactionErrors', 'warning', ...POOLS),
    ],
  },
  {
    name: 'slow',
    emulator: { profile: 'classic', scenario: 'slow' },
    auth: 'token',
    alerts: [
      alert('SdsReadLatencyHigh', 'warning', ...POOLS),
      alert('SdsWriteLatencyHigh', 'warning', ...POOLS),
    ],
  },
  {
    name: 'slow-modern',
    emulator: { profile: 'modern', scenario: 'slow' },
    auth: 'token',
    fastClock: true,
    alerts: [
      alert('SdsReadLatencyHigh', 'warning', ...POOLS),
      alert('SdsWriteLatencyHigh', 'warning', ...POOLS),
    ],
    // By the fast clock: the skew increases, and seconds in expressions are not scaled.
    tolerated: ['SdsClockSkew', 'SdsCategoryFrozen', 'SdsCapacityFillsSoon'],
  },
  {
    name: 'queries-refused',
    emulator: { profile: 'modern', faults: ['query-error:compile'] },
    auth: 'token',
    faultsAfterFirstQuery: true,
    alerts: [alert('SdsQueryFailing', 'warning', '')],
  },
  {
    name: 'expired-token',
    emulator: { faults: ['expire-tokens'] },
    auth: 'token',
    faultsAfterFirstPoll: true,
    alerts: [alert('SdsTokenRefused', 'critical', ''), inhibited('SdsPoolPollsFailing', 'critical', '', '')],
    // Whether its window has two failures depends on the time between polls, which is not scaled.
    tolerated: ['SdsPollErrorsHigh'],
  },
  {
    name: 'expired-session',
    emulator: { faults: ['expire-tokens'] },
    auth: 'login',
    faultsAfterFirstPoll: true,
    alerts: [],
  },
  {
    name: 'wrong-password',
    emulator: {},
    auth: 'wrong password',
    alerts: [alert('SdsLoginRefused', 'critical', ''), inhibited('SdsPoolsUnknown', 'critical', '')],
  },
  {
    name: 'frozen',
    emulator: { faults: ['frozen'] },
    auth: 'token',
    faultsBeganSecondsAgo: 3600,
    alerts: [
      alert('SdsFeedFrozen', 'critical', ...POOLS),
      inhibited(
        'SdsCategoryFrozen',
        'warning',
        ...POOLS.flatMap((pool) => CATEGORIES.map((category) => `${pool}/${category}`)),
      ),
    ],
  },
]

/** `for` of the rule of an alert, in milliseconds, not scaled. */
export const waitOf = ({ alert: name, severity }: Pick<ExpectedAlert, 'alert' | 'severity'>): number => {
  const rules = ALERT_GROUPS.flatMap(({ alerts }) => alerts)
  const rule = rules.find((candidate) => candidate.alert === name && candidate.severity === severity)
  if (rule === undefined) throw new Error(`there is no rule ${name} with severity ${severity}`)
  return rule.for === undefined ? 0 : milliseconds(rule.for)
}
