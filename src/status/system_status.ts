import type { Conditions } from '../alerting/conditions.ts'
import { hardwareFinder, softwareVersions } from '../api/resources/hardware.ts'
import type { PollerStatus } from '../readings/poller.ts'
import { nodesIn } from '../state/resources.ts'
import type { SystemState } from '../state/state.ts'
import { counted } from '../text.ts'
import { largest } from '../values/largest.ts'
import { errorStatus, type Finding } from './finding.ts'
import { loginStatus } from './login_status.ts'
import { type PoolDetails, sumTotals } from './pool_detail.ts'
import { findingsOf } from './pool_findings.ts'
import { nodesText, type PoolContext, type PoolStatus, poolMembers, poolStatus } from './pool_status.ts'
import { queryStatus } from './query_status.ts'
import type { Recent } from './recent/recent.ts'
import { resourceStatus } from './resource_status.ts'
import { type StateInWords, worstState } from './states.ts'

export interface SystemSources {
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
  const { state, polling, now } = sources
  const { client, system: config } = polling
  return {
    name: state.name,
    up: state.up ?? (state.tried ? false : null),
    endpoints: client.endpoints.map(({ baseUrl, cooldownMs }) => ({
      url: baseUrl,
      pause_seconds: seconds(cooldownMs),
    })),
    login: loginStatus(config.auth, client.session, now),
    polls: scheduleStatus(sources, pools),
    requests: requestStatus(sources),
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
    nextPoll: nextPollOf(polling),
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

function nextPollOf({ nextPollMs }: PollerStatus): number | null {
  return nextPollMs === undefined ? null : nextPollMs / 1000
}

function scheduleStatus({ state, polling }: SystemSources, pools: readonly PoolStatus[]) {
  const { schedule, staleAfterMs } = polling.system.poll
  const times = pools.map(({ last_poll: poll }) => poll?.timestamp_seconds)
  return {
    schedule,
    interval_seconds: state.pollIntervalSeconds ?? null,
    stale_after_seconds: staleAfterMs / 1000,
    last_timestamp_seconds: largest(times) ?? null,
    next_timestamp_seconds: nextPollOf(polling),
  }
}

function requestStatus({ state, polling, recent }: SystemSources) {
  const { client, system: config } = polling
  return {
    ...client.operations,
    concurrency: config.limits.concurrency,
    last_minute: recent.requestsLastMinute(state.name),
    per_second_limit: config.limits.requestsPerSecond,
    pause_seconds: seconds(client.pauseMs),
  }
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
