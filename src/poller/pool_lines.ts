import { ApiError } from '../api/errors/errors.ts'
import { type FeedReading, poolNameIn } from '../api/feed/feed.ts'
import { createJoin, type Join, type MergedReading, mergePerformance } from '../api/query/merge.ts'
import type { NodePerformance, PerformanceReading } from '../api/query/performance.ts'
import { FORECAST } from '../catalogue.ts'
import { type Part, partBytes, renderPart, type Sample } from '../metrics/exposition.ts'
import { STATE } from '../metrics/families.ts'
import {
  coverageSamples,
  feedPartSteps,
  forecastSamples,
  type PoolLabels,
  uniqueNames,
} from '../metrics/samples.ts'
import { atOnce, type Steps } from '../slices.ts'
import { boundedName } from '../values/names.ts'
import { NOTHING, type PerformanceState, type PoolState, type SystemState } from './system_state.ts'

/** The lines of a pool, and what they were rendered from. */
interface PoolLines {
  readonly label: string
  readonly reading: FeedReading
  readonly performance: PerformanceReading | undefined
  readonly merged: MergedReading
  readonly part: Part
}

/** By id of the pool. */
export type Lines = ReadonlyMap<string, PoolLines>
export const NO_LINES: Lines = new Map()

/**
 * Renders the next reading of a pool, so that the change of the state takes little time.
 * @throws {ApiError} `too_large` when the lines take more than `maxBytes`
 */
export function* readingLinesSteps(
  system: SystemState | undefined,
  poolId: string,
  reading: FeedReading,
  maxBytes: number,
): Steps<Lines> {
  if (system === undefined) return NO_LINES
  const pools = [...system.pools.values()].map((pool) =>
    pool.ref.id === poolId ? { ...pool, reading, name: poolNameIn(reading) ?? pool.name } : pool,
  )
  const labels = labelsOf(pools)
  const index = pools.findIndex(({ ref }) => ref.id === poolId)
  const pool = pools[index]
  if (pool === undefined) return NO_LINES
  const label = labels[index] ?? poolId
  const find = joinOf(pools, system.performance)
  return new Map([[poolId, yield* poolLines({ ...pool, label }, reading, system, find, maxBytes)]])
}

/** As {@link readingLinesSteps}, for all pools with the next reading of the query interface. */
export function* performanceLinesSteps(
  system: SystemState | undefined,
  performance: PerformanceState,
  maxBytes: number,
): Steps<Lines> {
  const lines = new Map<string, PoolLines>()
  if (system === undefined) return lines
  const next = { ...system, performance }
  const find = joinOf(system.pools.values(), performance)
  for (const pool of system.pools.values())
    if (pool.reading !== undefined)
      lines.set(pool.ref.id, yield* poolLines(pool, pool.reading, next, find, maxBytes))
  return lines
}

/** Undefined: nothing was read from the query interface. */
function joinOf(
  pools: Iterable<PoolState>,
  performance: PerformanceState | undefined,
): Join<NodePerformance> | undefined {
  if (performance?.reading === undefined) return undefined
  const all = [...pools].flatMap(({ reading }) => reading?.nodes ?? [])
  return createJoin(performance.reading.nodes, all)
}

function* poolLines(
  pool: PoolState,
  reading: FeedReading,
  system: SystemState,
  find: Join<NodePerformance> | undefined,
  maxBytes = Number.POSITIVE_INFINITY,
): Steps<PoolLines> {
  const performance = system.performance?.reading
  const merged = mergePerformance(reading, find)
  const part = yield* feedPartSteps(merged, labelsFor(pool, system.name), maxBytes)
  if (part === undefined) throw tooManySeries(maxBytes)
  return { label: pool.label, reading, performance, merged, part }
}

/** Estimate of the memory of one forecast. Forecasts of nodes that the feed does not have give no lines. */
const BYTES_PER_FORECAST = 200

/** Of the lines of all pools. */
export function bytesOf({ pools }: SystemState): number {
  return [...pools.values()].reduce((sum, { bytes }) => sum + bytes, 0)
}

/** @throws {ApiError} `too_large` when the lines of the pools take more than `maxBytes` */
export function withinBounds(system: SystemState, maxBytes: number): SystemState {
  if (bytesOf(system) <= maxBytes) return system
  throw tooManySeries(maxBytes)
}

function tooManySeries(maxBytes: number): ApiError {
  return new ApiError(
    'too_large',
    `the series of the system take more than limits.max_response_bytes (${maxBytes} bytes) on /metrics: increase it, or poll fewer pools`,
  )
}

export function byId(pools: readonly PoolState[]): ReadonlyMap<string, PoolState> {
  return new Map(pools.map((pool) => [pool.ref.id, pool]))
}

/** The labels of pools: their names, where these are unique in the system. */
function labelsOf(pools: readonly PoolState[]): string[] {
  return uniqueNames(pools.map(({ ref, name }) => ({ id: boundedName(ref.id), name })))
}

/**
 * Gives every pool the label that is unique now, and renders anew what changed by that, or by its content.
 * A name used by two pools turns both into their ids, so one pool's reading can change another's label.
 */
export function relabelled(
  system: SystemState,
  renewed?: { readonly poolId: string; readonly lines: Lines },
): SystemState {
  const pools = [...system.pools.values()]
  const labels = labelsOf(pools)
  const labelled = pools.map((pool, index) => {
    const label = labels[index] ?? pool.ref.id
    if (label === pool.label && pool.ref.id !== renewed?.poolId) return pool
    return renderPool({ ...pool, label }, system, renewed?.lines ?? NO_LINES)
  })
  return { ...system, pools: byId(labelled) }
}

/** @param lines lines that were rendered before; they are used if what they were rendered from has not changed */
export function renderPool(pool: PoolState, system: SystemState, lines: Lines): PoolState {
  const { reading, label, ref } = pool
  if (reading === undefined)
    return renderForecasts({ ...pool, merged: undefined, feedPart: NOTHING }, system.name)
  const before = lines.get(ref.id)
  const isValid =
    before?.label === label &&
    before.reading === reading &&
    before.performance === system.performance?.reading
  const { merged, part } = isValid
    ? before
    : atOnce(poolLines(pool, reading, system, joinOf(system.pools.values(), system.performance)))
  return renderForecasts({ ...pool, merged, feedPart: part }, system.name)
}

/** What the forecasts say, and the coverage, in which they have a row. */
export function renderForecasts(pool: PoolState, system: string): PoolState {
  const forecastPart = forecastPartOf(pool, system)
  const held = [...(pool.forecasts?.values() ?? [])].reduce((sum, { length }) => sum + length, 0)
  const bytes = partBytes(pool.feedPart) + partBytes(forecastPart) + held * BYTES_PER_FORECAST
  return { ...pool, forecastPart, bytes }
}

function forecastPartOf(pool: PoolState, system: string): Part {
  const { merged, forecasts, forecastCoverage } = pool
  if (merged === undefined) return NOTHING
  const labels = labelsFor(pool, system)
  const ofForecasts = forecastCoverage?.get(FORECAST.name)
  const coverage = new Map(merged.coverage)
  if (ofForecasts !== undefined) coverage.set(FORECAST.name, ofForecasts)
  const samples = new Map<string, readonly Sample[]>(forecastSamples(merged, forecasts ?? new Map(), labels))
  samples.set(STATE.poolAttributeNodes.name, coverageSamples(coverage, labels, merged.queried))
  return renderPart(samples)
}

function labelsFor(pool: PoolState, system: string): PoolLabels {
  return { system, poolId: pool.ref.id, pool: pool.label }
}
