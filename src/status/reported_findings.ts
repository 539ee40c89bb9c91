import type { ResourceObject } from '../api/resources/objects.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import type { Labels } from '../catalogue.ts'
import { exportedNames } from '../metrics/resource_samples.ts'
import { ratioOf, sumOfKnown } from '../metrics/samples.ts'
import type { SystemState } from '../state/state.ts'
import { OBJECT_KINDS, type ObjectName, type ResourceFamilyName } from '../system_catalogue.ts'
import { counted, durationText, namesText, percentText } from '../text.ts'
import {
  type Finding,
  type FindingContext,
  type FindingPart,
  firstHolding,
  found,
  partFindings,
} from './finding.ts'

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

/** The objects that have each family. */
const KIND_OF: ReadonlyMap<string | undefined, ObjectName> = new Map(
  Object.values(OBJECT_KINDS).flatMap(({ name, families, count }) =>
    [...Object.keys(families), count?.family].map((family) => [family, name]),
  ),
)

/** What was read of the objects that have a family. */
function readingOf({ state }: Sources, family: ResourceFamilyName): Partial<ResourceReading> {
  const kind = KIND_OF.get(family)
  return (kind && state.resources.get(kind)?.reading) ?? {}
}

/** The sum of the values of a family; undefined without one. @param labels that the values have */
function sumOf(sources: Sources, family: ResourceFamilyName, labels?: Labels): number | undefined {
  const { objects = [] } = readingOf(sources, family)
  return sumIn(objects, family, labels)
}

function sumIn(
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
  const unready = sumOf(sources, 'sds_system_directory_tables_by_state')
  const text = `${counted(unready ?? 0, 'directory table')} not ready`
  return found(firstHolding(sources.conditions, 'directory_tables', { unready }), text)
}

function linksFinding(sources: Sources): Finding | undefined {
  const { counts, objects = [] } = readingOf(sources, 'sds_replication_links_failed')
  const links = counts?.get('sds_replication_links_failed')
  const sites = objects.flatMap(({ kind, labels }) => {
    return labels[Object.keys(kind.labels).indexOf('remote_vdc')] ?? []
  })
  const to = sites.length === 0 ? '' : ` to ${namesText([...new Set(sites)], String)}`
  const text = `${counted(links ?? 0, 'replication link')} failed${to}`
  return found(firstHolding(sources.conditions, 'failed_links', { links }), text)
}

const LAG = {
  noun: 'replication group',
  above: (limit: string) => `more than ${limit} behind`,
  textOf: durationText,
}

/** The lag of groups of which data is pending; otherwise the time since their oldest data. */
function lags(sources: Sources): FindingPart[] {
  const { state, now } = sources
  const groups = readingOf(sources, 'sds_replication_group_pending_bytes')
  const { objects: queried = [] } = readingOf(sources, 'sds_replication_group_lag_seconds')
  const nameOf = exportedNames(groups)
  const byName = Map.groupBy(queried, ({ labels: [id = ''] }) => nameOf(id) ?? id)
  return (groups.objects ?? []).map((group) => {
    const name = nameOf(group.id ?? '') ?? group.labels[0] ?? ''
    const since = sumIn([group], 'sds_replication_group_recovery_point_timestamp_seconds')
    const ofTime = since === undefined ? undefined : now + (state.clockSkewSeconds ?? 0) - since
    const lag = sumIn(byName.get(name) ?? [], 'sds_replication_group_lag_seconds') ?? ofTime
    const pending = sumIn([group], 'sds_replication_group_pending_bytes') ?? 0
    return { name, value: pending > 0 ? lag : undefined }
  })
}

const QUOTA = {
  noun: 'namespace',
  above: (limit: string) => `above ${limit} of the hard quota`,
  textOf: percentText,
}

function quotas(sources: Sources): FindingPart[] {
  const { objects: quotas = [] } = readingOf(sources, 'sds_namespace_quota_bytes')
  const { objects: namespaces = [] } = readingOf(sources, 'sds_namespace_used_bytes')
  const limits = new Map(quotas.map((quota) => [quota.labels[0], quota]))
  return namespaces.map((namespace) => {
    const name = namespace.labels[0] ?? ''
    const quota = limits.get(name)
    const limit = quota && sumIn([quota], 'sds_namespace_quota_bytes', { limit: 'hard' })
    return { name, value: ratioOf(sumIn([namespace], 'sds_namespace_used_bytes'), limit) }
  })
}

function ownAlertsFinding(sources: Sources): Finding | undefined {
  const count = (severity: string) => sumOf(sources, 'sds_system_alerts_unacknowledged', { severity }) ?? 0
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
  const counts = COUNTED_STATUSES.map((status) => sumOf(sources, 'sds_system_nodes_by_status', { status }))
  const all = sumOf(sources, 'sds_system_nodes')
  if (all === undefined || counts.includes(undefined)) return undefined
  const others = all - (sumOfKnown(counts) ?? 0)
  const text = `${counted(others, 'node')} of the system neither Good nor Bad nor in maintenance`
  return found(firstHolding(sources.conditions, 'uncounted_nodes', { nodes: others }), text)
}

function licenseFinding(sources: Sources): Finding | undefined {
  const isExpired = (sumOf(sources, 'sds_system_license_expired') ?? 0) > 0
  const end = sumOf(sources, 'sds_system_license_expiry_timestamp_seconds')
  const left = isExpired ? 0 : end === undefined ? undefined : end - sources.now
  const condition = firstHolding(sources.conditions, 'license', { seconds_left: left })
  const when = (left ?? 0) <= 0 ? 'has expired' : `expires in ${durationText(left ?? 0)}`
  return found(condition, `a licensed feature of the system ${when}`)
}
