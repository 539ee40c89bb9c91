import type { ConditionRow } from '../../src/alerting/package_files.ts'
import { type Reference, reference } from './references.ts'

const CERTIFICATE = 'renew the certificate on the system'
const SUPPORT = 'compare with the dashboard of its management interface, and call support'
const FORECAST = 'find out which client writes, and for how long'
const SYSTEM_ERRORS =
  'find out whether one node or all nodes fail, and remove a single one from the load balancer'
const CLIENT_ERRORS = 'find out which types of errors occur: most are caused by clients'
const SYSTEM_EVENTS =
  'look them up in the management interface of the system, and acknowledge those that are handled'
const LICENSE = 'order the renewal from the vendor'
const LINK = 'check the network between the sites, and whether the other site works'
const QUOTA = 'ask its owner to delete data, or raise the quota'

/** What the alerts compare whose conditions the status page checks too. Rules, runbooks and the package have it from here. */
export const CONDITIONS = {
  SdsNodeBad: {
    limit: 0,
    advice:
      'check the events of the node in the management interface of the system, and open a case with the vendor',
  },
  SdsNodeNotAccessible: {
    limit: 0,
    advice: 'use the console or the remote management board of the node',
  },
  SdsNodesUnavailable: {
    limit: 'unavailableNodes',
    advice: 'call the support of the vendor now, and do not replace disks',
  },
  SdsNodesSuspect: {
    limit: 0,
    advice: 'check the events of the nodes in the management interface',
  },
  SdsNodesHealthUnknown: {
    limit: 0,
    advice: 'look up the status in the management interface and act on it',
  },
  SdsCapacityCritical: {
    limit: 'usedRatio.critical',
    advice: 'delete or move data; deleted space is free only after garbage collection, which may take days',
  },
  SdsCapacityHigh: {
    limit: 'usedRatio.warning',
    advice: 'order capacity now, because delivery takes weeks',
  },
  SdsForecastCritical: { limit: 'forecastSeconds.critical', advice: FORECAST },
  SdsForecastShort: { limit: 'forecastSeconds.warning', advice: FORECAST },
  SdsDiskFailuresMany: {
    limit: 'manyBadDisks',
    advice:
      'if they are in one node, check its enclosure, not the disks; if they are in several, call the support of the vendor',
  },
  SdsDisksBad: {
    limit: 0,
    advice: 'open a ticket for a replacement; remove a disk only when it is ready to be replaced',
  },
  SdsDisksReadyToReplace: {
    limit: 0,
    advice: 'replace the disks at the next visit',
  },
  SdsReadLatencyHigh: {
    limit: 'readLatencySeconds.warning',
    advice: 'find out whether one node, more load or a rebuild is the cause',
  },
  SdsWriteLatencyHigh: {
    limit: 'writeLatencySeconds.warning',
    advice: 'find out whether one node, more load, a rebuild or a full pool is the cause',
  },
  SdsSystemErrorsCritical: { limit: 'systemErrorRatio.critical', advice: SYSTEM_ERRORS },
  SdsSystemErrors: { limit: 'systemErrorRatio.warning', advice: SYSTEM_ERRORS },
  SdsTransactionErrorsCritical: { limit: 'errorRatio.critical', advice: CLIENT_ERRORS },
  SdsTransactionErrors: { limit: 'errorRatio.warning', advice: CLIENT_ERRORS },
  SdsNodesNetworkBusy: {
    limit: 'nicRatio.critical',
    advice: 'distribute clients over all nodes, and check that no link of a bond is down',
  },
  SdsNodesCpuBusy: {
    limit: 'cpuRatio.critical',
    advice: 'distribute clients over all nodes; if the CPU is used without load, call support',
  },
  SdsNodesMemoryFull: {
    limit: 'memoryRatio.critical',
    advice: 'call support before services are killed',
  },
  SdsSystemAlertsCritical: { limit: 0, advice: SYSTEM_EVENTS },
  SdsSystemAlertsError: { limit: 0, advice: SYSTEM_EVENTS },
  SdsSystemNodesUnaccounted: {
    limit: 0,
    advice: 'find the nodes that are not Good in the management interface, before they are Bad',
  },
  SdsDirectoryTablesUnready: {
    limit: 0,
    advice: 'call the support of the vendor now, if no node is restarting',
  },
  SdsLicenseExpired: { limit: 0, advice: LICENSE },
  SdsLicenseExpiring: { limit: 'licenseSeconds', advice: LICENSE },
  SdsReplicationLinksFailed: { limit: 0, advice: LINK },
  SdsReplicationLagCritical: { limit: 'replicationLagSeconds.critical', advice: LINK },
  SdsReplicationLagHigh: { limit: 'replicationLagSeconds.warning', advice: LINK },
  SdsNamespaceQuotaCritical: { limit: 'quotaRatio.critical', advice: QUOTA },
  SdsNamespaceQuotaHigh: { limit: 'quotaRatio.warning', advice: QUOTA },
  SdsFeedFrozen: {
    limit: 'sampleAgeSeconds.critical',
    advice: 'compare with its management interface, and call the support of the vendor',
  },
  SdsCategoryFrozen: {
    limit: 'sampleAgeSeconds.critical',
    advice: `the statistics service of the system does not work: ${SUPPORT}`,
  },
  SdsCertificateCritical: { limit: 'certificateSeconds.critical', advice: CERTIFICATE },
  SdsCertificateExpiring: { limit: 'certificateSeconds.warning', advice: CERTIFICATE },
  SdsClockSkew: {
    limit: 'clockSkewSeconds.warning',
    advice: 'repair NTP on the host whose clock is wrong',
  },
} as const satisfies Readonly<Record<string, ConditionRow>>

type ConditionName = keyof typeof CONDITIONS

/** Alerts that cause another one. Alertmanager inhibits it, and the status page omits it. */
export const CAUSES = {
  SdsSystemNodesUnaccounted: [
    'SdsNodeNotAccessible',
    'SdsNodesUnavailable',
    'SdsNodesSuspect',
    'SdsNodesHealthUnknown',
  ],
  SdsDirectoryTablesUnready: ['SdsNodesUnavailable'],
  SdsReplicationLagCritical: ['SdsReplicationLinksFailed'],
  SdsReplicationLagHigh: ['SdsReplicationLinksFailed'],
  SdsResourceFailing: [
    'SdsSystemUnreachable',
    'SdsLoginRefused',
    'SdsTokenRefused',
    'SdsAccessForbidden',
    'SdsPoolsUnknown',
  ],
  SdsQueryFailing: ['SdsSystemUnreachable'],
} as const satisfies Readonly<Record<string, readonly string[]>>

type SettingName = {
  [Name in ConditionName]: (typeof CONDITIONS)[Name]['limit'] extends string ? Name : never
}[ConditionName]

export const limitOf = (alert: SettingName): Reference => reference(CONDITIONS[alert].limit)
