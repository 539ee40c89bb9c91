import { type FeedReading, poolNameIn } from '../api/feed/feed.ts'
import type { PoolRef } from '../api/feed/pools.ts'
import type { PerformanceReading } from '../api/query/performance.ts'
import {
  byId,
  bytesOf,
  type Lines,
  NO_LINES,
  relabelled,
  renderForecasts,
  renderPool,
  withinBounds,
} from './pool_lines.ts'
import { counted, withQueryRejections } from './rejections.ts'
import {
  type Attempt,
  newPool,
  type PerformanceState,
  type PoolState,
  type SystemState,
} from './system_state.ts'

export {
  type Failure,
  newSystem,
  type PerformanceState,
  type PoolState,
  type SystemState,
} from './system_state.ts'

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
    const pool = system.pools.get(ref.id) ?? newPool(ref)
    return { ...pool, ref, name: pool.name ?? ref.name }
  })
  // A limit that a reload lowered applies to the next polls.
  return withinBounds(relabelled({ ...system, pools: byId(pools) }), Math.max(maxBytes, bytesOf(system)))
}

interface RenderOptions {
  /** Limit of the series of the system. */
  readonly maxBytes?: number
  /** Lines that were rendered before. Others, or if the state has changed meanwhile, are rendered here. */
  readonly lines?: Lines
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
  { maxBytes = Number.POSITIVE_INFINITY, lines }: RenderOptions = {},
): SystemState {
  const result = attempt.failure?.reason ?? 'ok'
  const polled = (pool: PoolState) => ({
    ...pool,
    lastAttempt: attempt,
    lastFailure: attempt.failure ?? pool.lastFailure,
    polls: new Map(pool.polls).set(result, (pool.polls.get(result) ?? 0) + 1),
  })
  if (reading === undefined) return changed(system, poolId, polled)
  const next = (pool: PoolState) => ({
    ...polled(pool),
    reading,
    lastSuccess: attempt.at,
    name: poolNameIn(reading) ?? pool.name,
  })
  const counting = { ...system, rejections: counted(system.rejections, reading.rejected) }
  return withinBounds(rendered(counting, poolId, next, lines), maxBytes)
}

/**
 * New forecasts of a pool; undefined withdraws the old ones.
 * @throws {ApiError} `too_large` when the series of the system become longer than `maxBytes`
 */
export function withForecasts(
  system: SystemState,
  poolId: string,
  reading: FeedReading | undefined,
  maxBytes = Number.POSITIVE_INFINITY,
): SystemState {
  const next = changed(system, poolId, (pool) =>
    renderForecasts(
      {
        ...pool,
        forecasts: reading && new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts])),
        forecastCoverage: reading?.coverage,
      },
      system.name,
    ),
  )
  return withinBounds(next, maxBytes)
}

/** The answers to all queries: as {@link withPerformance}, and their rejected values are counted. */
export function withAnswers(
  system: SystemState,
  performance: PerformanceState & { readonly reading: PerformanceReading },
  options: RenderOptions = {},
): SystemState {
  const rejections = counted(withQueryRejections(system.rejections), performance.reading.rejected)
  return withPerformance({ ...system, rejections }, performance, options)
}

/**
 * News of the query interface: all pools are rendered anew if it has another reading.
 * @throws {ApiError} `too_large` as {@link withPoll}
 */
export function withPerformance(
  system: SystemState,
  performance: PerformanceState | undefined,
  { maxBytes = Number.POSITIVE_INFINITY, lines = NO_LINES }: RenderOptions = {},
): SystemState {
  const next = { ...system, performance }
  if (performance?.reading === system.performance?.reading) return next
  const pools = [...system.pools.values()].map((pool) => renderPool(pool, next, lines))
  return withinBounds({ ...next, pools: byId(pools) }, maxBytes)
}

/** The system without forecasts, for when they are turned off. */
export function withoutForecasts(system: SystemState): SystemState {
  const ids = [...system.pools.keys()]
  return ids.reduce((state, poolId) => withForecasts(state, poolId, undefined), system)
}

/** The pool without its values: they are too old to pass for the present. */
export function withdrawn(system: SystemState, poolId: string): SystemState {
  const nothing = { reading: undefined, forecasts: undefined, forecastCoverage: undefined }
  return rendered(system, poolId, (pool) => ({ ...pool, ...nothing }))
}

type Change = (pool: PoolState) => PoolState

/** The system with another state of one pool, of which no line is another. */
function changed(system: SystemState, poolId: string, change: Change): SystemState {
  const pool = system.pools.get(poolId)
  // The pool may have left the list while it was being asked.
  return pool === undefined ? system : { ...system, pools: new Map(system.pools).set(poolId, change(pool)) }
}

/** As {@link changed}, with the lines of the pool made anew. */
function rendered(system: SystemState, poolId: string, change: Change, lines?: Lines): SystemState {
  return relabelled(changed(system, poolId, change), { poolId, lines: lines ?? NO_LINES })
}
