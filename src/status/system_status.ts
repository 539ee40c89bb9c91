import type { Conditions } from '../alerting/conditions.ts'
import { failureState } from '../api/query/answers/refusals.ts'
import { isQueried } from '../api/query/merge.ts'
import type { SessionState } from '../api/session/login_session.ts'
import type { AuthConfig } from '../config/config.ts'
import type { PollerStatus } from '../readings/poller.ts'
import {
  hardwareFinder,
  nodesIn,
  type ResourceSummary,
  resourceSummaries,
  softwareVersions,
} from '../state/resources.ts'
import type { SystemState } from '../state/state.ts'
import { RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../system_catalogue.ts'
import { counted, durationText } from '../text.ts'
import { largest } from '../values/largest.ts'
import { errorStatus, type Finding } from './finding.ts'
import { findingsOf } from './pool_findings.ts'
import {
  nodesText,
  type PoolContext,
  type PoolDetails,
  type PoolStatus,
  poolMembers,
  poolStatus,
  sumTotals,
} from './pool_status.ts'
import type { Recent } from './recent.ts'
import { type StateInWords, worstState } from './states.ts'

interface SystemSources {
  readonly state: SystemState
  readonly polling: PollerStatus
  readonly recent: Recent
  readonly detailOf: PoolDetails
  /** The conditions of the system, or of one of its pools by name, with their settings. */
  readonly conditionsOf: (pool?: string) => Conditions
  /** Seconds since the epoch. */
  readonly now: number
}

export type SystemStatus = SystemMembers & StateInWords

/** The status of a system, and what needs attention of each pool. */
export function systemStatus(sources: SystemSources): {
  readonly system: SystemStatus
  readonly findings: ReadonlyMap<string, readonly Finding[]>
} {
  const parts = poolStatuses(sources)
  const members = systemMembers(
    sources,
    parts.map(({ pool }) => pool),
  )
  const { name, ...others } = members
  return {
    system: { name, ...stateOf(members, sources.state.tried), ...others },
    findings: new Map(parts.map(({ pool, findings }) => [pool.id, findings])),
  }
}

type SystemMembers = ReturnType<typeof systemMembers>

function systemMembers(sources: SystemSources, pools: readonly PoolStatus[]) {
  const { state, polling, recent, now } = sources
  const { client, nextPollMs, system: config } = polling
  const { poll, limits } = config
  return {
    name: state.name,
    up: state.up ?? (state.tried ? false : null),
    endpoints: client.endpoints.map(({ baseUrl, cooldownMs }) => ({
      url: baseUrl,
      pause_seconds: seconds(cooldownMs),
    })),
    login: loginStatus(config.auth, client.session, now),
    polls: {
      schedule: poll.schedule,
      interval_seconds: state.pollIntervalSeconds ?? null,
      stale_after_seconds: poll.staleAfterMs / 1000,
      last_timestamp_seconds: largest(pools.map((pool) => pool.last_poll?.timestamp_seconds)) ?? null,
      next_timestamp_seconds: nextPollMs === undefined ? null : nextPollMs / 1000,
    },
    requests: {
      ...client.operations,
      concurrency: limits.concurrency,
      last_minute: recent.requestsLastMinute(state.name),
      per_second_limit: limits.requestsPerSecond,
      pause_seconds: seconds(client.pauseMs),
    },
    flux_api: queryStatus(state, polling),
    resources: resourceStatus(state, polling),
    clock_skew_seconds: state.clockSkewSeconds ?? null,
    tls_not_after_timestamp_seconds: state.tlsNotAfterSeconds ?? null,
    software_versions: Object.fromEntries(softwareVersions(nodesIn(state.resources))),
    discovery_error: errorStatus(state.discoveryFailure),
    totals: sumTotals(pools.map(({ totals }) => totals)),
    pools,
  }
}

function poolStatuses({ state, polling, recent, detailOf, conditionsOf, now }: SystemSources) {
  const context = {
    now,
    clockSkewSeconds: state.clockSkewSeconds ?? 0,
    staleAfterSeconds: polling.system.poll.staleAfterMs / 1000,
  }
  const hardwareOf = hardwareFinder(nodesIn(state.resources))
  const pools: { readonly pool: PoolStatus; readonly findings: readonly Finding[] }[] = []
  for (const pool of state.pools.values()) {
    const { id } = pool.ref
    const ofPool: PoolContext = {
      ...context,
      conditions: conditionsOf(pool.label),
      historyFailure: polling.historyFailures.get(id),
      latency: (operation, quantile) => recent.latency(state.name, id, operation, quantile),
    }
    const members = poolMembers(pool, detailOf(pool, hardwareOf), ofPool)
    const findings = findingsOf(members, ofPool)
    pools.push({ pool: poolStatus(members, findings, now), findings })
  }
  return pools
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

function stateOf(system: SystemMembers, isTried: boolean): StateInWords {
  const { pools, discovery_error } = system
  if (!isTried) return { state: 'starting', summary: 'waiting for the first poll' }
  if (discovery_error !== null) return { state: 'critical', summary: 'the list of pools could not be read' }
  const failing = pools.filter(({ last_poll: poll }) => poll !== null && poll.result !== 'ok')
  if (failing.length > 0)
    return {
      state: 'critical',
      summary: `${failing.length} of ${counted(pools.length, 'pool')} could not be polled`,
    }
  const state = worstState(pools.map((pool) => pool.state))
  return { state, summary: `${counted(pools.length, 'pool')}, ${nodesText(system.totals)}` }
}

/** @param now seconds since the epoch */
function loginStatus(auth: AuthConfig, session: SessionState, now: number) {
  return {
    method: auth.kind === 'login' || auth.kind === 'login_file' ? ('password' as const) : auth.kind,
    state: session.state === 'open' ? ('accepted' as const) : session.state,
    summary: summaryOf(auth, session, now),
  }
}

function summaryOf(auth: AuthConfig, { state, loggedInAtMs, pauseMs }: SessionState, now: number): string {
  if (!('username' in auth)) {
    const token = auth.kind === 'token' ? 'token of the configuration' : 'token of the file'
    return { unused: `${token}, not used yet`, open: `${token} accepted`, refused: `${token} refused` }[state]
  }
  const user = auth.username
  if (state === 'refused') {
    const next = pauseMs > 0 ? `in ${durationText(Math.ceil(pauseMs / 1000))}` : 'with the next poll'
    return `${user}: login refused, next login ${next}`
  }
  return loggedInAtMs === undefined
    ? `${user}: not logged in yet`
    : `${user}: logged in ${durationText(now - loggedInAtMs / 1000)} ago`
}

/**
 * `off`: not configured. `not_needed`: the dashboard API has the values. `pending`: not polled yet. `empty`: no current data.
 */
type QueryState = 'off' | 'not_needed' | 'pending' | 'ok' | 'empty' | 'failing'

function queryStatus(system: SystemState, polling: PollerStatus) {
  const { performance } = system
  const error = errorStatus(performance?.failure ?? performance?.partFailure)
  return {
    ...queryState(system, polling.system),
    nodes: performance?.reading?.nodes.length ?? null,
    error,
  }
}

function queryState(
  { performance, pools }: SystemState,
  config: PollerStatus['system'],
): { readonly state: QueryState; readonly summary: string } {
  if (config.performance.source === 'feed')
    return { state: 'off', summary: 'not polled (performance.source is feed)' }
  if (performance === undefined) {
    return isQueried(config, pools) !== false
      ? { state: 'pending', summary: 'not polled yet' }
      : { state: 'not_needed', summary: 'not needed: the dashboard API has performance metrics' }
  }
  const { failure, partFailure, reading } = performance
  if (failure !== undefined) return { state: 'failing', summary: failureState(failure.reason) }
  const nodes = reading?.nodes.length ?? 0
  const part = partFailure === undefined ? '' : '; some queries failed'
  return nodes === 0
    ? { state: 'empty', summary: 'polled, without current data' }
    : { state: 'ok', summary: `polled, ${counted(nodes, 'node')}${part}` }
}

/**
 * `off`: not configured. `pending`: not read yet. `partial`: a request of it failed, or is not served or not allowed.
 * `unavailable`: none is.
 */
type ResourceReadState = 'off' | 'pending' | 'ok' | 'partial' | 'unavailable' | 'failing'

function resourceStatus(state: SystemState, { system }: Pick<PollerStatus, 'system'>) {
  const summaries = resourceSummaries(state)
  return RESOURCE_NAMES.map((name) => {
    const summary = summaries.get(name)
    const { schedule } = system.resources[name]
    const row: ResourceRow = RESOURCES[name]
    const isNeeded = row.isQueried !== true || isQueried(system, state.pools) !== false
    return {
      name,
      description: row.text,
      ...(isNeeded ? resourceState(summary, schedule) : NOT_NEEDED),
      schedule,
      objects: summary?.objects?.exported ?? null,
      left_out: summary?.objects?.left_out ?? null,
      last_success_timestamp_seconds: summary?.lastSuccess ?? null,
      error: errorStatus(summary?.failure ?? summary?.refusal),
    }
  })
}

const NOT_NEEDED = {
  state: 'off',
  summary: 'not read, as the Flux API is not: the dashboard API has performance metrics',
} as const

function resourceState(
  resource: ResourceSummary | undefined,
  schedule: string,
): { readonly state: ResourceReadState; readonly summary: string } {
  if (schedule === '') return { state: 'off', summary: 'not read (the schedule is empty)' }
  if (resource === undefined) return { state: 'pending', summary: 'not read yet' }
  const { isAvailable, isAnswered, failure, refusal, objects } = resource
  if (!isAvailable) return { state: 'unavailable', summary: 'not available' }
  if (!isAnswered) return { state: 'failing', summary: 'could not be read' }
  if (objects === undefined) return { state: 'failing', summary: 'not read for too long' }
  const text = `${counted(objects.exported, 'object')}${objects.left_out === 0 ? '' : `, ${objects.left_out} left out`}`
  if (failure !== undefined) return { state: 'partial', summary: `${text}, a part could not be read` }
  if (refusal !== undefined) return { state: 'partial', summary: `${text}, a part is not available` }
  return { state: 'ok', summary: text }
}
