import type { InhibitionSource } from '../../../src/alerting/sources.ts'
import { PROMETHEUS } from '../settings.ts'
import type { Alert, AlertName } from './groups/rule.ts'
import { ALERT_GROUPS, type RenderedFile } from './rules.ts'

/** Alerts of a cause, which inhibit the alerts of its consequences with the same labels. */
export interface Inhibition {
  /** One sentence; a comment in the file. */
  readonly because: string
  readonly source: readonly AlertName[]
  /** Alerts by name, or all except some and the source itself. */
  readonly target: readonly AlertName[] | { readonly except: readonly AlertName[] }
  /** Labels that must be equal; a label that both lack is equal. */
  readonly equal: readonly string[]
}

const ALERTS: readonly Alert[] = ALERT_GROUPS.flatMap(({ alerts }) => alerts)

const SYSTEM = ['system'] as const
const POOL = ['system', 'pool'] as const
const NODE = ['system', 'pool', 'node'] as const
/** What any alert with two levels is about. A label that both lack is equal. */
const SUBJECT = [...POOL, 'replication_group', 'namespace'] as const

/** They say why the system is not reachable, and must be read although it is not. */
const CERTIFICATES: readonly AlertName[] = ['SdsCertificateExpiring', 'SdsCertificateCritical']

const levels: readonly Inhibition[] = ALERTS.flatMap(({ alert, escalates }) =>
  escalates === undefined
    ? []
    : [
        {
          because: `${alert} has the higher threshold.`,
          source: [alert],
          target: [escalates],
          equal: SUBJECT,
        },
      ],
)

/** The inhibition rules, in the order of the file. */
export const INHIBITIONS: readonly Inhibition[] = [
  ...levels,
  {
    because: 'Without any exporter, other alerts are based on old data.',
    source: ['SdsExporterAbsent'],
    target: { except: [] },
    equal: [],
  },
  {
    because: 'Without the servers of a shard, its systems have no samples.',
    source: ['SdsShardMissing'],
    target: ['SdsSystemVanished'],
    equal: [],
  },
  {
    because: 'A shard that is missing lacks all its servers.',
    source: ['SdsShardMissing'],
    target: ['SdsShardReplicaMissing'],
    equal: ['shard'],
  },
  {
    because: 'Without a response of the system, its other alerts are based on old data.',
    source: ['SdsSystemUnreachable'],
    target: { except: CERTIFICATES },
    equal: SYSTEM,
  },
  {
    because: 'Without an exporter of the system, its other alerts are based on old data.',
    source: ['SdsSystemVanished'],
    target: { except: CERTIFICATES },
    equal: SYSTEM,
  },
  {
    because:
      'Requests without a response and refused ones are the cause of failed polls, queries and resources.',
    source: ['SdsSystemUnreachable', 'SdsLoginRefused', 'SdsTokenRefused', 'SdsAccessForbidden'],
    target: [
      'SdsPoolPollsFailing',
      'SdsPoolsUnknown',
      'SdsPoolVanished',
      'SdsPollErrorsHigh',
      'SdsQueryFailing',
      'SdsResourceFailing',
    ],
    equal: SYSTEM,
  },
  {
    because: 'A list of pools that cannot be read is not the end of pools.',
    source: ['SdsPoolsUnknown'],
    target: ['SdsPoolVanished', 'SdsResourceFailing'],
    equal: SYSTEM,
  },
  {
    because: 'All polls of the pool fail, so its error ratio is high.',
    source: ['SdsPoolPollsFailing'],
    target: ['SdsPollErrorsHigh'],
    equal: ['system', 'pool_id'],
  },
  {
    because: 'Without answers to queries, the attributes that come from them disappear.',
    source: ['SdsQueryFailing', 'SdsQueryEmpty'],
    target: ['SdsAttributesDisappeared'],
    equal: SYSTEM,
  },
  {
    because: 'All samples of the pool are old, so those of each category and node are.',
    source: ['SdsFeedFrozen'],
    target: ['SdsCategoryFrozen', 'SdsNodeSamplesOld'],
    equal: POOL,
  },
  {
    because: 'One alert for several unavailable nodes, and for the traffic that they do not serve.',
    source: ['SdsNodesUnavailable'],
    target: ['SdsNodeBad', 'SdsNodeNotAccessible', 'SdsNodeFlapping', 'SdsTrafficCollapsed'],
    equal: POOL,
  },
  {
    because: 'A bad or unavailable node is the cause of its other alerts.',
    source: ['SdsNodeBad', 'SdsNodeNotAccessible'],
    target: ['SdsNodeSamplesOld', 'SdsNodeLatencyOutlier'],
    equal: NODE,
  },
  {
    because: 'One alert for many failed disks, as after the failure of an enclosure.',
    source: ['SdsDiskFailuresMany'],
    target: ['SdsDisksBad'],
    equal: POOL,
  },
  {
    because: 'The space of bad disks and of unavailable nodes is offline.',
    source: [
      'SdsNodeBad',
      'SdsNodeNotAccessible',
      'SdsNodesUnavailable',
      'SdsDisksBad',
      'SdsDiskFailuresMany',
    ],
    target: ['SdsDiskSpaceOffline'],
    equal: SYSTEM,
  },
  {
    because: 'The system has alerts of its own about its bad nodes and disks.',
    source: ['SdsNodeBad', 'SdsNodesUnavailable', 'SdsDiskFailuresMany'],
    target: ['SdsSystemAlertsCritical', 'SdsSystemAlertsError'],
    equal: SYSTEM,
  },
  {
    because: 'Nodes that are not available are those that the system does not count.',
    source: ['SdsNodeNotAccessible', 'SdsNodesUnavailable', 'SdsNodesSuspect', 'SdsNodesHealthUnknown'],
    target: ['SdsSystemNodesUnaccounted'],
    equal: SYSTEM,
  },
  {
    because: 'Without several nodes, the directory tables that they own are not ready.',
    source: ['SdsNodesUnavailable'],
    target: ['SdsDirectoryTablesUnready'],
    equal: SYSTEM,
  },
  {
    because: 'The recovery of a whole node takes longer than hours.',
    source: ['SdsNodeBad', 'SdsNodesUnavailable'],
    target: ['SdsRecoveryPending'],
    equal: POOL,
  },
  {
    because: 'Where garbage collection is off, nothing is reclaimed.',
    source: ['SdsGarbageCollectionOff'],
    target: ['SdsGarbageNotReclaimed'],
    equal: [...POOL, 'scope'],
  },
  {
    because: 'Data for a site that cannot be reached waits.',
    source: ['SdsReplicationLinksFailed'],
    target: [
      'SdsReplicationLagCritical',
      'SdsReplicationLagHigh',
      'SdsReplicationBacklogGrowing',
      'SdsReplicationBootstrapStalled',
    ],
    equal: SYSTEM,
  },
  {
    because: 'A group whose oldest data waits too long also has more of it.',
    source: ['SdsReplicationLagHigh'],
    target: ['SdsReplicationBacklogGrowing'],
    equal: ['system', 'replication_group'],
  },
  {
    because: 'A trend is irrelevant if the quota is nearly used.',
    source: ['SdsNamespaceQuotaCritical'],
    target: ['SdsNamespaceQuotaReachedSoon'],
    equal: ['system', 'namespace'],
  },
  {
    because: 'Forecasts are irrelevant if the pool is nearly full.',
    source: ['SdsCapacityCritical'],
    target: ['SdsForecastCritical', 'SdsForecastShort', 'SdsForecastUnavailable', 'SdsCapacityFillsSoon'],
    equal: POOL,
  },
  {
    because: 'Server errors are part of all failures.',
    source: ['SdsSystemErrorsCritical'],
    target: ['SdsTransactionErrorsCritical', 'SdsTransactionErrors'],
    equal: POOL,
  },
  {
    because: 'The same, where both are warnings: a warning inhibits no critical alert.',
    source: ['SdsSystemErrors'],
    target: ['SdsTransactionErrors'],
    equal: POOL,
  },
  {
    because: 'Reads above the threshold are also slower than usual.',
    source: ['SdsReadLatencyHigh'],
    target: ['SdsReadLatencyIncreased'],
    equal: POOL,
  },
  {
    because: 'So are writes.',
    source: ['SdsWriteLatencyHigh'],
    target: ['SdsWriteLatencyIncreased'],
    equal: POOL,
  },
]

/** For the status page, which has systems and pools: inhibitions of named alerts. */
export const STATUS_INHIBITIONS: readonly InhibitionSource[] = INHIBITIONS.flatMap(
  ({ source, target, equal }) =>
    'except' in target ||
    !equal.includes('system') ||
    equal.some((label) => !POOL.some((own) => own === label))
      ? []
      : [{ source, target, equal }],
)

/** External labels of Prometheus servers that may send to one Alertmanager. */
const SERVERS = ['cluster', 'prometheus'] as const

const NAME = 'alertname'
const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? `${NAME} = "${names[0]}"` : `${NAME} =~ "${names.join('|')}"`

export interface InhibitRule {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

export const inhibitRule = ({ source, target, equal }: Inhibition): InhibitRule => ({
  source_matchers: [oneOf(source)],
  target_matchers:
    'except' in target
      ? [
          `${NAME} =~ "${PROMETHEUS.alertPrefix}.+"`,
          `${NAME} !~ "${[...source, ...target.except].join('|')}"`,
        ]
      : [oneOf(target)],
  equal: [...equal, ...SERVERS],
})

const HEADER = `# Generated: do not edit.
#
# Inhibition rules for the alerts in rules/sds-alerts.yml. Copy the list into your Alertmanager configuration
# (Alertmanager has no include). Inhibited alerts are still shown in Prometheus.
#
# \`cluster\` and \`prometheus\` in \`equal\` are examples of external labels that distinguish Prometheus servers. Labels
# that are missing on both alerts are equal.
inhibit_rules:
`

const quoted = (matchers: readonly string[]): string => matchers.map((matcher) => `'${matcher}'`).join(', ')

const ruleText = (inhibition: Inhibition): string => {
  const { source_matchers, target_matchers, equal } = inhibitRule(inhibition)
  return `  # ${inhibition.because}
  - source_matchers: [${quoted(source_matchers)}]
    target_matchers: [${quoted(target_matchers)}]
    equal: [${equal.join(', ')}]
`
}

/** The list for the configuration of Alertmanager; the path is relative to the root of the repository. */
export const renderInhibition = (): RenderedFile => ({
  path: 'deploy/prometheus/alertmanager-inhibition.yml',
  text: HEADER + INHIBITIONS.map(ruleText).join('\n'),
})
