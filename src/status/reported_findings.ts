import type { ResourceObject } from '../api/resources/objects.ts'
import type { Labels } from '../catalogue.ts'
import { exportedNames } from '../metrics/resource_samples.ts'
import type { SystemState } from '../state/state.ts'
import type { ObjectName, ResourceFamilyName } from '../system_catalogue.ts'
import { counted, durationText, namesText, percentText } from '../text.ts'
import {
  type Finding,
  type FindingContext,
  type FindingPart,
  firstHolding,
  found,
  partFindings,
} from './finding.ts'
import { ratioOf, sumOfKnown } from './node_status.ts'

interface Sources extends FindingContext {
  readonly state: SystemState
}

/** What a system reports of itself beyond its nodes, under the conditions of the alerts. */
export function reportedFindings(sources: Sources): Finding[] {
  const findings = [
    tablesFinding(sources),
    linksFinding(sources),
    ...partFindings(sources.conditions, 'replication_lag', lags(sources), (seconds) => ({ seconds }), LAG),
    ...partFindings(sources.conditions, 'quota', quotas(sources), (used_ratio) => ({ used_ratio }), QUOTA),
    ownAlertsFinding(sources),
    nodesFinding(sources),
    licenseFinding(sources),
  ]
  return findings.filter((finding) => finding !== undefined)
}

function objectsOf({ state }: Sources, name: ObjectName): readonly ResourceObject[] {
  return state.resources.get(name)?.reading?.objects ?? []
}

/** The sum of the values of a family; undefined without one. @param labels that the values have */
function figureOf(
  objects: readonly ResourceObject[],
  family: ResourceFamilyName,
  labels: Labels = {},
): number | undefined {
  const isWanted = (own: Labels) => Object.entries(labels).every(([name, value]) => own[name] === value)
  const values = objects.flatMap(({ values }) => values)
  const wanted = values.filter(({ column }) => column.family === family && isWanted(column.labels))
  return sumOfKnown(wanted.map(({ value }) => value))
}

function tablesFinding(sources: Sources): Finding | undefined {
  const tables = objectsOf(sources, 'directoryTables')
  const unready = figureOf(tables, 'sds_system_directory_tables_by_state')
  const text = `${counted(unready ?? 0, 'directory table')} not ready`
  return found(firstHolding(sources.conditions, 'directory_tables', { unready }), text)
}

function linksFinding(sources: Sources): Finding | undefined {
  const { counts } = sources.state.resources.get('failedLink')?.reading ?? {}
  const links = counts?.get('sds_replication_links_failed')
  const sites = objectsOf(sources, 'failedLink').flatMap(({ labels }) => labels[2] ?? [])
  const to = sites.length === 0 ? '' : ` to ${namesText([...new Set(sites)], String)}`
  const text = `${counted(links ?? 0, 'replication link')} failed${to}`
  return found(firstHolding(sources.conditions, 'failed_links', { links }), text)
}

const LAG = {
  noun: 'replication group',
  above: (limit: string) => `more than ${limit} behind`,
  textOf: durationText,
}

/** Of the groups of which data is pending: the lag, otherwise since the time of the oldest data. */
function lags(sources: Sources): FindingPart[] {
  const { state, now } = sources
  const nameOf = exportedNames(state.resources.get('group')?.reading)
  const queried = Map.groupBy(
    objectsOf(sources, 'replicationLag'),
    ({ labels: [id = ''] }) => nameOf(id) ?? id,
  )
  return objectsOf(sources, 'group').map((group) => {
    const name = nameOf(group.id ?? '') ?? group.labels[0] ?? ''
    const since = figureOf([group], 'sds_replication_group_recovery_point_timestamp_seconds')
    const ofTime = since === undefined ? undefined : now + (state.clockSkewSeconds ?? 0) - since
    const lag = figureOf(queried.get(name) ?? [], 'sds_replication_group_lag_seconds') ?? ofTime
    const pending = figureOf([group], 'sds_replication_group_pending_bytes') ?? 0
    return { name, value: pending > 0 ? lag : undefined }
  })
}

const QUOTA = {
  noun: 'namespace',
  above: (limit: string) => `above ${limit} of the hard quota`,
  textOf: percentText,
}

function quotas(sources: Sources): FindingPart[] {
  const limits = new Map(objectsOf(sources, 'quota').map((quota) => [quota.labels[0], quota]))
  return objectsOf(sources, 'namespace').map((namespace) => {
    const name = namespace.labels[0] ?? ''
    const quota = limits.get(name)
    const limit = quota && figureOf([quota], 'sds_namespace_quota_bytes', { limit: 'hard' })
    return { name, value: ratioOf(figureOf([namespace], 'sds_namespace_used_bytes'), limit) }
  })
}

function ownAlertsFinding(sources: Sources): Finding | undefined {
  const vdc = objectsOf(sources, 'vdc')
  const count = (severity: string) => figureOf(vdc, 'sds_system_alerts_unacknowledged', { severity }) ?? 0
  const [critical, error] = [count('Critical'), count('Error')]
  const condition = firstHolding(sources.conditions, 'system_alerts', { critical, error })
  const counts = Object.entries({ critical, error }).flatMap(([severity, count]) =>
    count > 0 ? [`${count} unacknowledged ${severity}`] : [],
  )
  const noun = critical + error === 1 ? 'alert' : 'alerts'
  return found(condition, `${counts.join(' and ')} ${noun} on the system`)
}

const COUNTED_STATUSES = ['Good', 'Bad', 'Maintenance']

function nodesFinding(sources: Sources): Finding | undefined {
  const vdc = objectsOf(sources, 'vdc')
  const counts = COUNTED_STATUSES.map((status) => figureOf(vdc, 'sds_system_nodes_by_status', { status }))
  const all = figureOf(vdc, 'sds_system_nodes')
  if (all === undefined || counts.includes(undefined)) return undefined
  const others = all - (sumOfKnown(counts) ?? 0)
  const text = `${counted(others, 'node')} of the system neither Good nor Bad nor in maintenance`
  return found(firstHolding(sources.conditions, 'uncounted_nodes', { nodes: others }), text)
}

function licenseFinding(sources: Sources): Finding | undefined {
  const licenses = objectsOf(sources, 'license')
  const isExpired = (figureOf(licenses, 'sds_system_license_expired') ?? 0) > 0
  const end = figureOf(licenses, 'sds_system_license_expiry_timestamp_seconds')
  const left = isExpired ? 0 : end === undefined ? undefined : end - sources.now
  const condition = firstHolding(sources.conditions, 'license', { seconds_left: left })
  const when = (left ?? 0) <= 0 ? 'has expired' : `expires in ${durationText(left ?? 0)}`
  return found(condition, `a licensed feature of the system ${when}`)
}
