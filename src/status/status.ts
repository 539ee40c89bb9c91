import { conditionsOf } from '../alerting/conditions.ts'
import type { AlertingConfig } from '../alerting/config.ts'
import { readRules } from '../alerting/package_files.ts'
import { REASONS, type Reason } from '../api/errors/reasons.ts'
import { EMPTY_REMEDY } from '../api/query/answers/refusals.ts'
import type { ResourceObject } from '../api/resources/objects.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import type { Labels } from '../catalogue.ts'
import { ratioOf, sumOfKnown } from '../metrics/samples.ts'
import type { PushStatus } from '../otlp/push.ts'
import type { PollerStatus } from '../readings/poller.ts'
import { exportedNames } from '../state/resources.ts'
import type { SystemState } from '../state/state.ts'
import { OBJECT_KINDS, type ObjectName, type ResourceFamilyName } from '../system_catalogue.ts'
import { counted, durationText, namesText, percentText } from '../text.ts'
import {
  type ErrorStatus,
  type Finding,
  type FindingContext,
  type FindingPart,
  failed,
  found,
  partFindings,
  warning,
  withoutConsequences,
} from './finding.ts'
import { createPoolDetails, type PoolStatus } from './pool_status.ts'
import type { Recent } from './recent.ts'
import { type Problem, problemState, SEVERITIES, type StateInWords, worstState } from './states.ts'
import { type SystemStatus, systemStatus } from './system_status.ts'

/**
 * The status of the exporter at one moment: the document of `/api/v1/status`, and what the status page shows. A value
 * that is not known is null. Times are in seconds since the epoch. docs/status.md has the meaning of the members.
 */
export interface Status extends StateInWords {
  readonly version: string
  readonly timestamp_seconds: number
  readonly ready: boolean
  /** The push with OTLP; absent if it is off. */
  readonly push?: ReturnType<typeof pushDocument>
  readonly problems: readonly Problem[]
  readonly systems: readonly SystemStatus[]
}

export interface StatusSources {
  readonly version: string
  /** Whether every system was polled once. */
  readonly ready: () => boolean
  readonly systems: () => readonly SystemState[]
  /** Undefined for a system that is not polled (any more). */
  readonly polling: (system: string) => PollerStatus | undefined
  readonly recent: Recent
  /** The section of the configuration; undefined: there is none. */
  readonly alerting: () => AlertingConfig | undefined
  /** The push with OTLP; undefined: it is off. */
  readonly push?: () => PushStatus | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Computes the status of this moment. Details of pools are computed once for each state of a pool. */
export function createStatusReader(sources: StatusSources): () => Status {
  const { version, ready, systems, polling, recent } = sources
  const detailOf = createPoolDetails()
  const conditions = createConditionsReader(sources.alerting)
  return () => {
    const now = sources.now() / 1000
    const conditionsFor = conditions()
    const push = sources.push?.()
    const list: SystemStatus[] = []
    const problems: Problem[] = []
    for (const state of systems()) {
      const status = polling(state.name)
      if (status === undefined) continue
      const ofPool = (pool?: string) => conditionsFor({ system: state.name, pool })
      const sources = { state, polling: status, recent, detailOf, conditionsOf: ofPool, now }
      const { system, findings } = systemStatus(sources)
      const own = systemProblems({ system, state, findings, conditions: ofPool(), now })
      // A system that is polled well may have an old certificate, for example.
      const worst = worstState([system.state, problemState(own)])
      list.push({ ...system, state: worst })
      problems.push(...own)
    }
    return {
      version,
      timestamp_seconds: now,
      ready: ready(),
      ...(push && { push: pushDocument(push) }),
      state: worstState(list.map(({ state }) => state)),
      summary: summaryOf(list, problems),
      problems: badFirst(problems),
      systems: list,
    }
  }
}

/** The rules are read for the first status, and the settings again when they change. */
function createConditionsReader(alerting: StatusSources['alerting']) {
  let last: { config: AlertingConfig | undefined; conditions: ReturnType<typeof conditionsOf> } | undefined
  return () => {
    const config = alerting()
    if (last === undefined || last.config !== config)
      last = { config, conditions: conditionsOf(readRules(), config) }
    return last.conditions
  }
}

function pushDocument({ endpoint, last, lastSuccess }: PushStatus) {
  const { result = null, problem: error = null, remedy = null } = last ?? {}
  return { endpoint, result, error, remedy, last_success_timestamp_seconds: lastSuccess ?? null }
}

function summaryOf(systems: readonly SystemStatus[], problems: readonly Problem[]): string {
  if (systems.length === 0) return 'no system is configured'
  if (problems.length > 0) return counted(problems.length, 'problem')
  const starting = systems.filter(({ state }) => state === 'starting')
  if (starting.length > 0) return `waiting for the first poll of ${counted(starting.length, 'system')}`
  return 'no problems'
}

interface ProblemSources extends FindingContext {
  readonly system: SystemStatus
  readonly state: SystemState
  /** What needs attention of each pool. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>
}

/** The problems of a system and its pools, the worst first. */
function systemProblems(sources: ProblemSources): Problem[] {
  const { system, findings, conditions } = sources
  const { discovery_error: discovery, pools } = system
  const common = commonFailure(pools)
  const placed = (pool: PoolStatus | null, list: readonly (Finding | undefined)[]): Problem[] => {
    const place = { system: system.name, pool: pool?.name ?? null, pool_id: pool?.id ?? null }
    return list.flatMap((finding) => (finding === undefined ? [] : { ...place, ...finding }))
  }
  const problems = [
    ...placed(null, [
      discovery === null ? undefined : failed(discovery, failureAlert(discovery.reason, system)),
      common && failed(common, failureAlert(common.reason, system), `all ${pools.length} pools: `),
      queryFinding(system),
      ...resourceFindings(system),
      certificateFinding(sources),
      clockFinding(sources),
      endpointFinding(system),
    ]),
    ...pools.flatMap((pool) => {
      const failure = common === undefined ? poolFailure(pool, system) : undefined
      return placed(pool, [failure, ...(findings.get(pool.id) ?? [])])
    }),
    ...placed(null, reportedFindings(sources)),
  ]
  return badFirst(withoutConsequences(problems, conditions))
}

function badFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
}

/** The failure of all pools, if they have the same reason: it is that of the system. */
function commonFailure(pools: readonly PoolStatus[]): ErrorStatus | undefined {
  const error = pools[0]?.last_error ?? undefined
  return pools.length > 1 && hasReason(pools, error?.reason) ? error : undefined
}

function hasReason(pools: readonly PoolStatus[], reason: Reason | undefined): boolean {
  return pools.every(({ last_poll: poll }) => poll?.result === reason)
}

/** The alert about a system whose requests all fail for this reason. */
function failureAlert(reason: Reason, { up, login, pools }: SystemStatus): string {
  const isLogin = login.method === 'password' && login.state === 'refused'
  if (reason === 'auth') return isLogin ? 'SdsLoginRefused' : 'SdsTokenRefused'
  if (reason === 'forbidden') return 'SdsAccessForbidden'
  if (up === false) return 'SdsSystemUnreachable'
  return pools.length === 0 ? 'SdsPoolsUnknown' : 'SdsPoolPollsFailing'
}

function poolFailure(
  { last_error: error, last_poll: poll }: PoolStatus,
  system: SystemStatus,
): Finding | undefined {
  if (poll === null || poll.result === 'ok' || error === null) return undefined
  const isCommon = hasReason(system.pools, error.reason)
  return failed(error, isCommon ? failureAlert(error.reason, system) : 'SdsPoolPollsFailing')
}

/** A system without a Flux API, such as a Community Edition, has no problem. */
function queryFinding({ flux_api: { error, state } }: SystemStatus): Finding | undefined {
  if (state === 'empty')
    return { ...warning('the Flux API has no current data', EMPTY_REMEDY), alert: 'SdsQueryEmpty' }
  if (error === null || error.reason === 'not_found') return undefined
  return { ...failed(error, 'SdsQueryFailing'), severity: 'warning' }
}

/** Resources that are not available are no problem: not every release has them. */
function resourceFindings({ resources }: SystemStatus): Finding[] {
  return resources.flatMap(({ state, description, error }) => {
    const isFailing = state === 'failing' || state === 'partial'
    if (!isFailing || error === null || REASONS[error.reason].notAvailable === true) return []
    const what = state === 'partial' ? `a part of ${description}` : description
    const finding = failed(error, 'SdsResourceFailing', `${what} could not be read: `)
    return [{ ...finding, severity: 'warning' as const }]
  })
}

function certificateFinding({ system, conditions, now }: ProblemSources): Finding | undefined {
  const { tls_not_after_timestamp_seconds: end } = system
  const left = end === null ? null : end - now
  const text = durationText(Math.abs(left ?? 0))
  const when = (left ?? 0) < 0 ? `expired ${text} ago` : `expires in ${text}`
  return found(conditions, 'certificate', { seconds_left: left }, `the TLS certificate of the system ${when}`)
}

function clockFinding({ system, conditions }: ProblemSources): Finding | undefined {
  const skew = system.clock_skew_seconds ?? 0
  const distance = Math.abs(skew)
  const words = skew > 0 ? 'ahead' : 'behind'
  const text = `the clock of the system is ${durationText(distance)} ${words}`
  return found(conditions, 'clock', { skew_seconds: distance }, text)
}

/** A single endpoint that fails is a failed poll. */
function endpointFinding({ endpoints }: SystemStatus): Finding | undefined {
  const paused = endpoints.filter(({ pause_seconds }) => pause_seconds > 0)
  if (endpoints.length < 2 || paused.length === 0) return undefined
  const urls = paused.map(({ url }) => url).join(', ')
  const text = `${paused.length} of ${endpoints.length} endpoints failed, and others are preferred: ${urls}`
  return warning(text, 'check these endpoints and their management service')
}

/** What a system reports of itself beyond its nodes, under the conditions of the alerts. */
function reportedFindings(sources: ProblemSources): (Finding | undefined)[] {
  return [
    tablesFinding(sources),
    linksFinding(sources),
    ...partFindings(sources.conditions, 'replication_lag', lags(sources), LAG),
    ...partFindings(sources.conditions, 'quota', quotas(sources), QUOTA),
    ownAlertsFinding(sources),
    nodesFinding(sources),
    licenseFinding(sources),
  ]
}

/** The objects that have each family. */
const KIND_OF: ReadonlyMap<string | undefined, ObjectName> = new Map(
  Object.values(OBJECT_KINDS).flatMap(({ name, families, count }) =>
    [...Object.keys(families), count?.family].map((family) => [family, name]),
  ),
)

/** What was read of the objects that have a family. */
function readingOf({ state }: ProblemSources, family: ResourceFamilyName): Partial<ResourceReading> {
  const kind = KIND_OF.get(family)
  return (kind && state.resources.get(kind)?.reading) ?? {}
}

/** The sum of the values of a family; undefined without one. @param labels that the values have */
function sumOf(sources: ProblemSources, family: ResourceFamilyName, labels?: Labels): number | undefined {
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

function tablesFinding(sources: ProblemSources): Finding | undefined {
  const unready = sumOf(sources, 'sds_system_directory_tables_by_state')
  const text = `${counted(unready ?? 0, 'directory table')} not ready`
  return found(sources.conditions, 'directory_tables', { unready }, text)
}

function linksFinding(sources: ProblemSources): Finding | undefined {
  const { counts, objects = [] } = readingOf(sources, 'sds_replication_links_failed')
  const links = counts?.get('sds_replication_links_failed')
  const sites = objects.flatMap(({ kind, labels }) => {
    return labels[Object.keys(kind.labels).indexOf('remote_vdc')] ?? []
  })
  const to = sites.length === 0 ? '' : ` to ${namesText([...new Set(sites)], String)}`
  const text = `${counted(links ?? 0, 'replication link')} failed${to}`
  return found(sources.conditions, 'failed_links', { links }, text)
}

const LAG = {
  noun: 'replication group',
  above: (limit: string) => `more than ${limit} behind`,
  textOf: durationText,
}

/** The lag of groups of which data is pending; otherwise the time since their oldest data. */
function lags(sources: ProblemSources): FindingPart[] {
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

function quotas(sources: ProblemSources): FindingPart[] {
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

function ownAlertsFinding(sources: ProblemSources): Finding | undefined {
  const count = (severity: string) => sumOf(sources, 'sds_system_alerts_unacknowledged', { severity }) ?? 0
  const [critical, error] = [count('Critical'), count('Error')]
  const counts = Object.entries({ critical, error }).flatMap(([severity, count]) =>
    count > 0 ? [`${count} unacknowledged ${severity}`] : [],
  )
  const noun = critical + error === 1 ? 'alert' : 'alerts'
  const text = `${counts.join(' and ')} ${noun} on the system`
  return found(sources.conditions, 'system_alerts', { critical, error }, text)
}

const COUNTED_STATUSES = ['Good', 'Bad', 'Maintenance']

function nodesFinding(sources: ProblemSources): Finding | undefined {
  const counts = COUNTED_STATUSES.map((status) => sumOf(sources, 'sds_system_nodes_by_status', { status }))
  const all = sumOf(sources, 'sds_system_nodes')
  if (all === undefined || counts.includes(undefined)) return undefined
  const others = all - (sumOfKnown(counts) ?? 0)
  const text = `${counted(others, 'node')} of the system neither Good nor Bad nor in maintenance`
  return found(sources.conditions, 'uncounted_nodes', { nodes: others }, text)
}

function licenseFinding(sources: ProblemSources): Finding | undefined {
  const isExpired = (sumOf(sources, 'sds_system_license_expired') ?? 0) > 0
  const end = sumOf(sources, 'sds_system_license_expiry_timestamp_seconds')
  const left = isExpired ? 0 : end === undefined ? undefined : end - sources.now
  const when = (left ?? 0) <= 0 ? 'has expired' : `expires in ${durationText(left ?? 0)}`
  const text = `a licensed feature of the system ${when}`
  return found(sources.conditions, 'license', { seconds_left: left }, text)
}
