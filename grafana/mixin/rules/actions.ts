import { CONDITIONS } from '../conditions.ts'
import type { Alert } from './groups/rule.ts'

const LOG = 'the log of the exporter has the reason'
const LATENCY = 'find out whether one node, more load or a rebuild is the cause'
const GARBAGE = 'open a case with the vendor, before the pool has no free space'

/** What to do first about the alerts that the table of conditions does not have: as its column `advice`. */
const ACTIONS: Readonly<Record<string, string>> = {
  SdsNodeMaintenanceLong: 'ask who works on it, and end the maintenance if nobody does',
  SdsNodeFlapping: 'check its network, and its events in the management interface',
  SdsNodeVanished:
    'find out whether it was removed or replaced; otherwise compare with the management interface',
  SdsForecastUnavailable: 'watch its growth on the capacity dashboard',
  SdsForecastMissing: 'run sds-exporter check and sds-exporter doctor with the configuration of the exporter',
  SdsCapacityFillsSoon: CONDITIONS.SdsForecastShort.advice,
  SdsCapacityImbalance: 'check that rebalancing runs; after an expansion it takes weeks',
  SdsDisksUnaccounted: 'look up the disks in the management interface',
  SdsDiskSpaceOffline: 'find the nodes and disks that are not Good on the dashboard of disks',
  SdsReadLatencyIncreased: LATENCY,
  SdsWriteLatencyIncreased: LATENCY,
  SdsTrafficCollapsed: 'ask the users whether they reach it, and check load balancer and DNS',
  SdsNodeLatencyOutlier: 'check its disks and events, and remove it from the load balancer meanwhile',
  SdsSystemWarningsGrowing: CONDITIONS.SdsSystemAlertsError.advice,
  SdsVersionsMixed: 'ask whether an upgrade is under way, and open a case with the vendor if none is',
  SdsGarbageCollectionOff: 'ask who turned it off and why, and turn it on',
  SdsGarbageNotReclaimed: GARBAGE,
  SdsGarbageUnreclaimable: 'ask the vendor about partial garbage collection',
  SdsRecoveryPending: 'find the nodes and disks that failed, and do not set further nodes to maintenance',
  SdsErasureCodingBehind: 'find out whether the load leaves no time for it, or nodes are missing',
  SdsReplicationBacklogGrowing: 'compare the traffic of clients with the bandwidth between the sites',
  SdsReplicationBootstrapStalled: CONDITIONS.SdsReplicationLagHigh.advice,
  SdsNamespaceQuotaReachedSoon: CONDITIONS.SdsNamespaceQuotaHigh.advice,
  SdsLoginRefused: 'run doctor: it has the words of the system, and the remedy',
  SdsTokenRefused: 'write a new token to its file, or configure user name and password',
  SdsAccessForbidden: 'run doctor: it has the words of the system, and the remedy',
  SdsAuthnProviderRemoved: 'ask who removed it: the audit log has deletions by this exporter',
  SdsExporterAbsent: 'start the exporter, or correct the scrape configuration',
  SdsExporterDown: 'start it, and read the end of its log',
  SdsExporterRestarting: 'read the end of its log: it may lack memory',
  SdsConfigReloadFailed: 'run sds-exporter check, and correct the file',
  SdsShardMissing: 'find out why its servers do not run, or cannot write to the store',
  SdsShardReplicaMissing: 'read the log of the server: it may have been replaced by one with another name',
  SdsSystemUnreachable: `check network, firewall and port 4443 of the system; ${LOG}`,
  SdsPoolPollsFailing: `run sds-exporter doctor; ${LOG}`,
  SdsPoolsUnknown: `run sds-exporter doctor; ${LOG}`,
  SdsPollErrorsHigh: `run sds-exporter doctor; ${LOG}`,
  SdsPollsOverdue: 'check the CPU time and the memory of the exporter',
  SdsSystemVanished:
    'if this is planned, silence it for a day; otherwise restore the configuration or the exporter',
  SdsPoolVanished:
    'if this is planned, silence it for a day; otherwise compare with the list of pools of the system',
  SdsQueryFailing: `run sds-exporter doctor; ${LOG}`,
  SdsQueryEmpty: 'check in its management interface whether it has current performance figures',
  SdsResourceFailing: `run sds-exporter doctor; ${LOG}`,
  SdsNodeSamplesOld: 'check the node in the management interface: its services may have stopped',
  SdsValuesRejected: 'look the values up on the status page, and report them with the version of the system',
  SdsAttributesDisappeared:
    'find out whether the system was upgraded: the metrics reference has what each version serves',
}

/** What to do first about an alert: as in the table of conditions. @throws for an alert that has none */
export function actionOf(alert: string): string {
  const [, condition] = Object.entries(CONDITIONS).find(([name]) => name === alert) ?? []
  const action = condition?.advice ?? ACTIONS[alert]
  if (action === undefined) throw new Error(`${alert} has no action`)
  return action
}

/** The alert whose description ends with what to do first. */
export const withAction = (alert: Alert): Alert => ({
  ...alert,
  description: `${alert.description} ${sentenceOf(actionOf(alert.alert))}`,
})

/** `do this` as `Do this.` */
export const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
