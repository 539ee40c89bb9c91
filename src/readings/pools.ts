import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import { configuredPools, type PoolList, type PoolRef } from '../api/resources/pool_list.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { FORECAST } from '../catalogue.ts'
import { dropNodes, withForecasts, withPoll, withPools } from '../state/changes.ts'
import { type Attempt, failureOf } from '../state/state.ts'
import {
  createSource,
  leftMsOf,
  maxAgeMsOf,
  type Outcome,
  RETRY_MS,
  type ReadingContext,
  type Source,
} from './source.ts'

interface PoolOptions extends ReadingContext {
  readonly poolId: string
}

/** Whether the system works: it gave the nodes, or refused them for a reason that may be that of this pool only. */
export function isAnswer(outcome: Outcome): boolean {
  return outcome === 'ok' || (outcome !== 'none' && REASONS[outcome.reason].origin === 'request')
}

export type PoolSources = ReturnType<typeof createPoolSources>

function createPoolSources(options: PoolOptions) {
  const { poolId, system } = options
  const nodes = createNodesSource(options)
  const { schedule, timeFrames } = system.forecast
  const forecasts = schedule === '' ? [] : timeFrames.map((frame) => createForecastSource(options, frame))
  return {
    poolId,
    nodes,
    /** One for each time frame. */
    forecasts,
    forget(): void {
      for (const source of [nodes, ...forecasts]) source.forget()
    },
  }
}

function createNodesSource(options: PoolOptions): Source {
  const { poolId, system, client, store, log } = options
  return createSource(
    {
      name: 'nodes of a pool',
      read: (ofSource) => client.nodes(poolId, ofSource),
      keep(reading, beganMs) {
        const attempt = attemptSince(beganMs)
        store.update(system.name, (state) => withPoll(state, poolId, attempt, reading))
        log.polled(poolId, { seconds: attempt.seconds, nodes: reading.nodes.length, failure: undefined })
        log.rejected(poolId, reading.rejected)
      },
      fail(failure, beganMs) {
        const attempt = attemptSince(beganMs, failure)
        log.polled(poolId, { seconds: attempt.seconds, nodes: undefined, failure })
        store.update(system.name, (state) => withPoll(state, poolId, attempt))
      },
      drop: () => store.update(system.name, (state) => dropNodes(state, poolId)),
      leftMs() {
        const { reading, lastSuccess } = store.system(system.name)?.pools.get(poolId) ?? {}
        return leftMsOf(reading && lastSuccess, system.poll.staleAfterMs)
      },
      isOnlyProbed: system.poll.schedule === '',
    },
    options,
  )
}

/** Each time frame is read on its own: one that fails leaves the others as they are. */
function createForecastSource(options: PoolOptions, timeFrame: string): Source {
  const { poolId, system, client, store, log } = options
  const { forecast } = system
  const replace = (reading: FeedReading | undefined) => {
    const at = Date.now() / 1000
    store.update(system.name, (state) => withForecasts(state, poolId, timeFrame, reading, at))
  }
  const maxAgeMs = maxAgeMsOf(system, forecast.schedule)
  const known = () => store.system(system.name)?.pools.get(poolId)?.forecasts.get(timeFrame)
  return createSource(
    {
      name: 'forecasts of a pool',
      read: (ofSource) => client.forecasts(poolId, { ...forecast, timeFrame }, ofSource),
      keep(response) {
        // What else the response has is counted by the polls.
        const rejected = response.rejected.filter(({ attribute }) => attribute === FORECAST.name)
        replace({ ...response, rejected })
        log.note(`forecast of ${timeFrame}`, poolId, undefined)
        log.rejected(poolId, rejected)
      },
      fail(failure) {
        log.note(`forecast of ${timeFrame}`, poolId, failure)
        if (known() === undefined) replace(undefined)
      },
      drop: () => replace(undefined),
      leftMs: () => leftMsOf(known()?.lastSuccess, maxAgeMs),
      retryMs: ({ reason }) => (REASONS[reason].origin === 'request' ? undefined : RETRY_MS),
      isOnlyProbed: system.poll.schedule === '',
    },
    options,
  )
}

/** A poll that ends now. @param beganMs on the clock of `performance.now()` */
export function attemptSince(beganMs: number, failure?: ApiError): Attempt {
  const at = Date.now() / 1000
  return { at, seconds: (performance.now() - beganMs) / 1000, failure: failure && failureOf(failure, at) }
}

interface PoolsOptions extends ReadingContext {
  /** Receives what the list says of the pools beyond their ids. */
  readonly noteValues: (outcome: ResourceReading | ApiError) => void
}

export type Pools = ReturnType<typeof createPools>

export function createPools(options: PoolsOptions) {
  const { system, store, log } = options
  const isConfigured = system.pools !== undefined
  let known: ReadonlyMap<string, PoolSources> | undefined

  function use(list: readonly PoolRef[]): void {
    const before = known ?? new Map<string, PoolSources>()
    // With those from before a reload.
    const shown = [...(store.system(system.name)?.pools.keys() ?? [])]
    store.update(system.name, (state) => withPools({ ...state, discoveryFailure: undefined }, list))
    log.pools(shown, list)
    known = new Map(
      list.map(({ id }) => [id, before.get(id) ?? createPoolSources({ ...options, poolId: id })]),
    )
    for (const [id, sources] of before) {
      if (known.has(id)) continue
      sources.forget()
      log.forget(id)
    }
  }

  const hadPools = () => known !== undefined && known.size > 0
  const list = createListSource(options, hadPools, (pools) => {
    if (!isConfigured) use(pools)
  })

  return {
    list,
    all: (): readonly PoolSources[] => [...(known?.values() ?? [])],
    /** Whether it is known which pools there are; there may be none. */
    isKnown: (): boolean => known !== undefined,
    /** Polls the pools of the configuration, or those from before a reload, without a request. */
    takeOver(): void {
      const before = [...(store.system(system.name)?.pools.values() ?? [])].map(({ ref }) => ref)
      const pools = configuredPools(system.pools) ?? before
      if (isConfigured || pools.length > 0) use(pools)
    },
    forget(): void {
      list.forget()
      for (const sources of known?.values() ?? []) sources.forget()
    },
  }
}

/** Empty lists in a row, each requested twice, after which a system that had pools has none. */
const EMPTY_CONFIRMED = 3
const EMPTY =
  'the list of pools is empty, although the system had pools; they are kept until further lists confirm it'

function createListSource(
  options: PoolsOptions,
  hadPools: () => boolean,
  use: (pools: readonly PoolRef[]) => void,
): Source {
  const { system, client, store, log, noteValues } = options
  const isConfigured = system.pools !== undefined
  let emptyInRow = 0

  return createSource<PoolList>(
    {
      name: 'the list of pools',
      /** A service that starts may have no pools yet: an empty list is requested again at once. */
      async read(ofSource) {
        const list = await client.pools(ofSource)
        return list.pools.length === 0 && hadPools() ? client.pools(ofSource) : list
      },
      keep({ pools, values }) {
        emptyInRow = pools.length === 0 && hadPools() ? emptyInRow + 1 : 0
        if (emptyInRow > 0 && emptyInRow < EMPTY_CONFIRMED) throw new ApiError('unavailable', EMPTY)
        noteValues(values)
        use(pools)
        log.note('discovery of pools', undefined, undefined)
      },
      fail(failure) {
        noteValues(failure)
        if (isConfigured) return
        log.note('discovery of pools', undefined, failure)
        const discoveryFailure = failureOf(failure, Date.now() / 1000)
        store.update(system.name, (state) => ({ ...state, discoveryFailure }))
      },
      drop: () => undefined,
      leftMs: () => Number.POSITIVE_INFINITY,
      // With the next round: an empty list is confirmed or replaced soon.
      retryMs: () => (emptyInRow > 0 ? 0 : undefined),
      isDue: !isConfigured || system.resources.pools.schedule !== '',
    },
    options,
  )
}
