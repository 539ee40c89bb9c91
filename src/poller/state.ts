import { ApiError } from '../api/errors/errors.ts'
import type { Reason } from '../api/errors/reasons.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import { poolNameIn } from '../api/feed/feed.ts'
import type { Forecast } from '../api/feed/forecasts.ts'
import type { PoolRef } from '../api/feed/pools.ts'
import type { Provider } from '../api/providers/providers.ts'
import { type MergedReading, mergePerformance } from '../api/query/merge.ts'
import type { PerformanceReading } from '../api/query/performance.ts'
import { FORECAST } from '../catalogue.ts'
import { type Part, renderPart, type Sample } from '../metrics/exposition.ts'
import { STATE } from '../metrics/families.ts'
import {
  coverageSamples,
  feedSamples,
  forecastSamples,
  type PoolLabels,
  uniqueNames,
} from '../metrics/samples.ts'

/** Why the last attempt failed, in a form for metrics, log and status page. */
export interface Failure {
  readonly reason: Reason
  /** For people; names system, pool and path, never a secret. */
  readonly message: string
}

/** One poll, good or failed. */
export interface Attempt {
  /** Seconds since the epoch. */
  readonly at: number
  readonly seconds: number
  /** Undefined: it succeeded. */
  readonly failure: Failure | undefined
}

/** What is known of a pool. A value: replaced as a whole, never edited. */
export interface PoolState {
  readonly ref: PoolRef
  /** As its nodes last called it, or the list of pools; kept when the values are withdrawn, so that series do not move. */
  readonly name: string | undefined
  /** What its series are labelled with. */
  readonly label: string
  readonly lastAttempt: Attempt | undefined
  /** Time of the last good poll, in seconds since the epoch. */
  readonly lastSuccess: number | undefined
  /** The last good reading; undefined before the first and after it was withdrawn for its age. */
  readonly reading: FeedReading | undefined
  /** The reading with what the query interface has of its nodes. */
  readonly merged: MergedReading | undefined
  readonly forecasts: ReadonlyMap<string, readonly Forecast[]> | undefined
  readonly forecastCoverage: FeedReading['coverage'] | undefined
  /** The reading, and the forecasts with the coverage, as lines: rendered when they came. */
  readonly feedPart: Part
  readonly forecastPart: Part
}

/** What is known of the authentication providers of a system. */
export interface InventoryState {
  /** Undefined if the list could not be read, for example without the role; that is not an empty list. */
  readonly providers: readonly Provider[] | undefined
  /** Why the last attempt failed. */
  readonly failure: Failure | undefined
}

/** What is known of the query interface of a system that is asked. */
export interface PerformanceState {
  /** Undefined before the first success, and when all values were too old. */
  readonly reading: PerformanceReading | undefined
  /** When the reading came, on the clock of `performance.now()`. */
  readonly receivedAtMs: number
  /** Why the last attempt failed. */
  readonly failure: Failure | undefined
}

/** What is known of a system. A value: replaced as a whole, never edited. */
export interface SystemState {
  readonly name: string
  /** Whether the last request was answered at all; undefined before the first. */
  readonly up: boolean | undefined
  readonly clockSkewSeconds: number | undefined
  readonly tlsNotAfterSeconds: number | undefined
  readonly pools: ReadonlyMap<string, PoolState>
  /** Why the pools could not be listed, where nothing lists them but the system. */
  readonly discoveryFailure: Failure | undefined
  /** Undefined before the first attempt. */
  readonly inventory: InventoryState | undefined
  /** Undefined while the query interface is not asked. */
  readonly performance: PerformanceState | undefined
  /** Whether every pool, or the list of pools, was tried once. */
  readonly tried: boolean
}

const NOTHING: Part = new Map()

export function newSystem(name: string): SystemState {
  return {
    name,
    up: undefined,
    clockSkewSeconds: undefined,
    tlsNotAfterSeconds: undefined,
    pools: new Map(),
    discoveryFailure: undefined,
    inventory: undefined,
    performance: undefined,
    tried: false,
  }
}

function newPool(ref: PoolRef): PoolState {
  return {
    ref,
    name: ref.name,
    label: ref.name ?? ref.id,
    lastAttempt: undefined,
    lastSuccess: undefined,
    reading: undefined,
    merged: undefined,
    forecasts: undefined,
    forecastCoverage: undefined,
    feedPart: NOTHING,
    forecastPart: NOTHING,
  }
}

/** The system with exactly these pools; those that it had keep what is known of them. */
export function withPools(system: SystemState, refs: readonly PoolRef[]): SystemState {
  const pools = refs.map((ref) => {
    const pool = system.pools.get(ref.id) ?? newPool(ref)
    return { ...pool, ref, name: pool.name ?? ref.name }
  })
  return relabelled({ ...system, pools: byId(pools) })
}

/**
 * The outcome of a poll: a reading replaces everything, a failure leaves the values as they are.
 * @throws {ApiError} `too_large` when the system has more series than can be served beside those of others
 */
export function withPoll(
  system: SystemState,
  poolId: string,
  attempt: Attempt,
  reading?: FeedReading,
): SystemState {
  if (reading === undefined) return changed(system, poolId, (pool) => ({ ...pool, lastAttempt: attempt }))
  const news = { reading, lastAttempt: attempt, lastSuccess: attempt.at }
  const next = (pool: PoolState) => ({ ...pool, ...news, name: poolNameIn(reading) ?? pool.name })
  return withinBounds(rendered(system, poolId, next))
}

/** New forecasts of a pool; undefined withdraws the old ones. */
export function withForecasts(
  system: SystemState,
  poolId: string,
  reading: FeedReading | undefined,
): SystemState {
  return changed(system, poolId, (pool) =>
    renderForecasts(
      {
        ...pool,
        forecasts: reading && new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts])),
        forecastCoverage: reading?.coverage,
      },
      system.name,
    ),
  )
}

/**
 * News of the query interface: all pools are rendered anew if it has another reading.
 * @throws {ApiError} `too_large` as {@link withPoll}
 */
export function withPerformance(system: SystemState, performance: PerformanceState | undefined): SystemState {
  const next = { ...system, performance }
  if (performance?.reading === system.performance?.reading) return next
  return withinBounds({
    ...next,
    pools: byId([...system.pools.values()].map((pool) => renderPool(pool, next))),
  })
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
function rendered(system: SystemState, poolId: string, change: Change): SystemState {
  return relabelled(changed(system, poolId, change), poolId)
}

/**
 * What all series of one system may be long, as text: some 7,000 nodes that serve everything. All systems share one
 * page, and a text of half a gigabyte JavaScript cannot make.
 */
const MAX_SYSTEM_CHARACTERS = 64_000_000

function withinBounds(system: SystemState): SystemState {
  const parts = [...system.pools.values()].flatMap(({ feedPart, forecastPart }) => [feedPart, forecastPart])
  const lines = parts.flatMap((part) => [...part.values()])
  const characters = lines.reduce((sum, { length }) => sum + length, 0)
  if (characters <= MAX_SYSTEM_CHARACTERS) return system
  throw new ApiError('too_large', 'the system has more series than can be served: poll fewer of its pools')
}

function byId(pools: readonly PoolState[]): ReadonlyMap<string, PoolState> {
  return new Map(pools.map((pool) => [pool.ref.id, pool]))
}

/**
 * Gives every pool the label that is unique now, and renders anew what changed by that, or by its content.
 * A name used by two pools turns both into their ids, so one pool's reading can change another's label.
 */
function relabelled(system: SystemState, renewed?: string): SystemState {
  const pools = [...system.pools.values()]
  const labels = uniqueNames(pools.map(({ ref, name }) => ({ id: ref.id, name })))
  const labelled = pools.map((pool, index) => {
    const label = labels[index] ?? pool.ref.id
    if (label === pool.label && pool.ref.id !== renewed) return pool
    return renderPool({ ...pool, label }, system)
  })
  return { ...system, pools: byId(labelled) }
}

function renderPool(pool: PoolState, system: SystemState): PoolState {
  const { reading } = pool
  const merged = reading && mergePerformance(reading, system.performance?.reading)
  const feedPart =
    merged === undefined ? NOTHING : renderPart(feedSamples(merged, labelsOf(pool, system.name)))
  return renderForecasts({ ...pool, merged, feedPart }, system.name)
}

/** What the forecasts say, and the coverage, in which they have a row. */
function renderForecasts(pool: PoolState, system: string): PoolState {
  const { merged, forecasts, forecastCoverage } = pool
  if (merged === undefined) return { ...pool, forecastPart: NOTHING }
  const labels = labelsOf(pool, system)
  const ofForecasts = forecastCoverage?.get(FORECAST.name)
  const coverage = new Map(merged.coverage)
  if (ofForecasts !== undefined) coverage.set(FORECAST.name, ofForecasts)
  const samples = new Map<string, readonly Sample[]>(forecastSamples(merged, forecasts ?? new Map(), labels))
  samples.set(STATE.poolAttributeNodes.name, coverageSamples(coverage, labels, merged.queried))
  return { ...pool, forecastPart: renderPart(samples) }
}

function labelsOf(pool: PoolState, system: string): PoolLabels {
  return { system, poolId: pool.ref.id, pool: pool.label }
}
