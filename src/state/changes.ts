import { type FeedReading, poolNameIn } from '../api/feed/feed.ts'
import type { PerformanceReading } from '../api/query/values/performance.ts'
import type { PoolRef } from '../api/resources/pool_list.ts'
import { FORECAST } from '../catalogue.ts'
import {
  byId,
  bytesOf,
  renderForecasts,
  renderPoll,
  renderPoolOnly,
  renderPools,
  withinBounds,
} from './rendering.ts'
import {
  type Attempt,
  type FrameForecasts,
  newPool,
  type PerformanceState,
  type PoolState,
  type SystemState,
  withRejected,
} from './state.ts'

// A change of the state of a system renders the lines that it changes. In all of them, `maxBytes` limits the lines of the system.

/**
 * The system with exactly these pools; those that it had keep what is known of them.
 * @throws {ApiError} `too_large` when other names make its series longer than `maxBytes`
 */
export function withPools(
  system: SystemState,
  refs: readonly PoolRef[],
  maxBytes = Number.POSITIVE_INFINITY,
): SystemState {
  const pools = refs.map((ref) => {
    return { ...(system.pools.get(ref.id) ?? newPool(ref)), ref }
  })
  // A limit that a reload lowered applies to the next polls.
  const limit = Math.max(maxBytes, bytesOf(system))
  return withinBounds(
    renderPools({ ...system, pools: byId(pools) }, () => false, limit),
    limit,
  )
}

/**
 * The outcome of a poll: a reading replaces everything, a failure leaves the values as they are.
 * @throws {ApiError} `too_large` when the series of the system become longer than `maxBytes`
 */
export function withPoll(
  system: SystemState,
  poolId: string,
  attempt: Attempt,
  reading?: FeedReading,
  maxBytes = Number.POSITIVE_INFINITY,
): SystemState {
  const result = attempt.failure?.reason ?? 'ok'
  const polled = (pool: PoolState) => ({
    ...pool,
    lastAttempt: attempt,
    lastFailure: attempt.failure ?? pool.lastFailure,
    polls: new Map(pool.polls).set(result, (pool.polls.get(result) ?? 0) + 1),
  })
  if (reading === undefined) return withPool(system, poolId, (pool) => renderPoll(polled(pool), system.name))
  const next = withPool(system, poolId, (pool) => ({
    ...polled(pool),
    reading,
    lastSuccess: attempt.at,
    nameOfNodes: poolNameIn(reading) ?? pool.nameOfNodes,
  }))
  const counting = { ...next, rejections: withRejected(system.rejections, reading.rejected) }
  // The labels of all pools cost more than the lines of one, when there are thousands.
  const isRenamed = next.pools.get(poolId)?.nameOfNodes !== system.pools.get(poolId)?.nameOfNodes
  const rendered = isRenamed
    ? renderPools(counting, ({ ref }) => ref.id === poolId, maxBytes)
    : renderPoolOnly(counting, poolId, maxBytes)
  return withinBounds(rendered, maxBytes)
}

/**
 * New forecasts of a pool, of one time frame; undefined: they are requested, and there are none.
 * @param at seconds since the epoch
 * @throws {ApiError} `too_large` when the series of the system become longer than `maxBytes`
 */
export function withForecasts(
  system: SystemState,
  poolId: string,
  timeFrame: string,
  reading: FeedReading | undefined,
  { at = 0, maxBytes = Number.POSITIVE_INFINITY }: { readonly at?: number; readonly maxBytes?: number } = {},
): SystemState {
  const frame = reading && frameOf(reading, at)
  const next = withPool(withRejectedValues(system, reading?.rejected ?? []), poolId, (pool) =>
    renderForecasts({ ...pool, forecasts: new Map(pool.forecasts).set(timeFrame, frame) }, system.name),
  )
  return withinBounds(next, maxBytes)
}

function frameOf({ nodes, coverage }: FeedReading, lastSuccess: number): FrameForecasts {
  return {
    nodes: new Map(nodes.map(({ id, forecasts }) => [id, forecasts])),
    coverage: coverage.get(FORECAST.name) ?? { served: 0, absent: nodes.length, unreadable: 0 },
    lastSuccess,
  }
}

/** The system with the rejected values of one more response. */
export function withRejectedValues(system: SystemState, values: FeedReading['rejected']): SystemState {
  return { ...system, rejections: withRejected(system.rejections, values) }
}

/** The responses to all queries: as {@link withPerformance}, and their rejected values are counted. */
export function withPerformancePoll(
  system: SystemState,
  performance: PerformanceState & { readonly reading: PerformanceReading },
  maxBytes = Number.POSITIVE_INFINITY,
): SystemState {
  const rejections = withRejected(system.rejections, performance.reading.rejected)
  return withPerformance({ ...system, rejections }, performance, maxBytes)
}

/**
 * A new state of the Flux API: all pools are rendered again if it has another reading.
 * @throws {ApiError} `too_large` as {@link withPoll}
 */
export function withPerformance(
  system: SystemState,
  performance: PerformanceState | undefined,
  maxBytes = Number.POSITIVE_INFINITY,
): SystemState {
  const next = { ...system, performance }
  if (performance?.reading === system.performance?.reading) return next
  return withinBounds(
    renderPools(next, ({ reading }) => reading !== undefined, maxBytes),
    maxBytes,
  )
}

/** The system without forecasts of other time frames, which were removed from the configuration. */
export function withForecastsOf(system: SystemState, timeFrames: readonly string[]): SystemState {
  const pools = [...system.pools.values()].map((pool) => {
    const kept = [...pool.forecasts].filter(([timeFrame]) => timeFrames.includes(timeFrame))
    if (kept.length === pool.forecasts.size) return pool
    return renderForecasts({ ...pool, forecasts: new Map(kept) }, system.name)
  })
  return { ...system, pools: byId(pools) }
}

/** The pools with what a new reading of the inventory says of their nodes. */
export function withHardware(system: SystemState): SystemState {
  return renderPools(system, ({ reading }) => reading !== undefined, Number.POSITIVE_INFINITY)
}

/** The pool without its nodes, which are too old. */
export function dropNodes(system: SystemState, poolId: string): SystemState {
  const next = withPool(system, poolId, (pool) => ({ ...pool, reading: undefined }))
  return renderPoolOnly(next, poolId, Number.POSITIVE_INFINITY)
}

function withPool(system: SystemState, poolId: string, change: (pool: PoolState) => PoolState): SystemState {
  const pool = system.pools.get(poolId)
  // The pool may have been removed during its poll.
  return pool === undefined ? system : { ...system, pools: new Map(system.pools).set(poolId, change(pool)) }
}
