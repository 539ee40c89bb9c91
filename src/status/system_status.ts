import { hardwareFinder, softwareVersions } from '../api/resources/hardware.ts'
import type { PollerStatus } from '../poller/poller.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import type { Steps } from '../slices.ts'
import type { SystemState } from '../state/state.ts'
import { counted } from '../text.ts'
import { loginStatus } from './login_status.ts'
import type { PoolStatus, RequestStatus, ScheduleStatus, State, SystemStatus } from './model.ts'
import { worstState } from './model.ts'
import { type PoolDetails, sumTotals } from './pool_detail.ts'
import { errorStatus, nodesText, type PoolContext, poolStatus } from './pool_status.ts'
import type { ConditionsOf } from './problems.ts'
import { queryStatus } from './query_status.ts'
import { resourceStatus } from './resource_status.ts'

export interface SystemSources {
  readonly state: SystemState
  readonly polling: PollerStatus
  readonly requestsLastMinute: number
  readonly detailOf: PoolDetails
  readonly conditionsOf: ConditionsOf
  /** Quantile of the latency of the last requests to a pool, by its id. */
  readonly latencyOf: (pool: string, operation: LatencyOperation, quantile: number) => number | undefined
  /** Seconds since the epoch. */
  readonly now: number
}

export function* systemStatusSteps(sources: SystemSources): Steps<SystemStatus> {
  const { state, polling, now } = sources
  const { client, system: config } = polling
  const pools = yield* poolSteps(sources)
  const members = {
    name: state.name,
    up: state.up ?? (state.tried ? false : null),
    endpoints: client.endpoints.map(({ baseUrl, cooldownMs }) => ({
      url: baseUrl,
      pause_seconds: seconds(cooldownMs),
    })),
    login: loginStatus(config.auth, client.session, now),
    polls: scheduleStatus(polling, pools),
    requests: requestStatus(sources),
    query_interface: queryStatus(state, polling),
    resources: resourceStatus(state, polling),
    clock_skew_seconds: state.clockSkewSeconds ?? null,
    tls_not_after_timestamp_seconds: state.tlsNotAfterSeconds ?? null,
    authentication_providers: state.inventory?.providers?.length ?? null,
    software_versions: Object.fromEntries(softwareVersions(inventoryOf(state))),
    discovery_error: errorStatus(state.discoveryFailure),
    totals: sumTotals(pools.map(({ totals }) => totals)),
    pools,
  }
  const { name, ...others } = members
  return { name, ...stateOf(members, state.tried), ...others }
}

function* poolSteps(sources: SystemSources): Steps<PoolStatus[]> {
  const { state, polling, detailOf, conditionsOf, latencyOf, now } = sources
  const context = {
    system: state.name,
    now,
    clockSkewSeconds: state.clockSkewSeconds ?? 0,
    staleAfterSeconds: polling.shared.poll.staleAfterMs / 1000,
    nextPoll: nextPollOf(polling),
  }
  const hardwareOf = hardwareFinder(inventoryOf(state))
  const pools: PoolStatus[] = []
  for (const pool of state.pools.values()) {
    const { id } = pool.ref
    const ofPool: PoolContext = {
      ...context,
      conditions: conditionsOf(pool.label),
      historyFailure: polling.historyFailures.get(id),
      latency: (operation, quantile) => latencyOf(id, operation, quantile),
    }
    pools.push(poolStatus(pool, yield* detailOf(pool, hardwareOf), ofPool))
    yield
  }
  return pools
}

function inventoryOf({ resources }: SystemState) {
  return resources.get('inventory')?.reading?.objects
}

function nextPollOf({ nextPollMs }: PollerStatus): number | null {
  return nextPollMs === undefined ? null : nextPollMs / 1000
}

function scheduleStatus(polling: PollerStatus, pools: readonly PoolStatus[]): ScheduleStatus {
  const { schedule, staleAfterMs } = polling.shared.poll
  const times = pools.flatMap(({ last_poll: poll }) => poll?.timestamp_seconds ?? [])
  return {
    schedule,
    stale_after_seconds: staleAfterMs / 1000,
    last_timestamp_seconds: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
    next_timestamp_seconds: nextPollOf(polling),
  }
}

function requestStatus({ polling, requestsLastMinute }: SystemSources): RequestStatus {
  const { client, shared } = polling
  return {
    ...client.operations,
    concurrency: shared.limits.concurrency,
    last_minute: requestsLastMinute,
    per_second_limit: shared.limits.requestsPerSecond,
    pause_seconds: seconds(client.pauseMs),
  }
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}

type WithoutState = Omit<SystemStatus, 'state' | 'summary'>

function stateOf(system: WithoutState, isTried: boolean): { state: State; summary: string } {
  const { pools, discovery_error } = system
  if (!isTried) return { state: 'starting', summary: 'waiting for the first poll' }
  if (discovery_error !== null) return { state: 'failing', summary: 'the list of pools could not be read' }
  const failing = pools.filter(({ state }) => state === 'failing')
  if (failing.length > 0)
    return {
      state: 'failing',
      summary: `${failing.length} of ${counted(pools.length, 'pool')} could not be polled`,
    }
  const state = worstState(pools.map((pool) => pool.state))
  return { state, summary: `${counted(pools.length, 'pool')}, ${nodesText(system.totals)}` }
}
