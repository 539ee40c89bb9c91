import { ApiError } from '../api/errors/errors.ts'
import { RESULTS } from '../api/errors/reasons.ts'
import { type FeedReading, poolNameIn } from '../api/feed/feed.ts'
import { createJoin, mergePerformance } from '../api/query/merge.ts'
import type { PerformanceReading } from '../api/query/values/performance.ts'
import type { PoolRef } from '../api/resources/pool_list.ts'
import { FORECAST } from '../catalogue.ts'
import { type Family, STATE } from '../metrics/families.ts'
import { type AddSample, createPart, filterPart, labelText, type Part } from '../metrics/lines.ts'
import {
  addCoverage,
  addForecasts,
  type PoolLabels,
  poolLabelText,
  renderNodes,
  uniqueNames,
} from '../metrics/samples.ts'
import { boundedName } from '../values/names.ts'
import { hardwareFinder, nodesIn, type ResourceSummary, relabelled, resourceSummaries } from './resources.ts'
import {
  type Attempt,
  type FrameForecasts,
  forecastCoverage,
  forecastsByNode,
  NOTHING,
  newPool,
  type PerformanceState,
  type PoolState,
  type SystemState,
  withRejected,
} from './state.ts'

// A change of the state of a system creates the parts that it changes, which is called rendering.

/**
 * The system with exactly these pools; those that it had keep what is known of them.
 * @throws {ApiError} `too_large` when other names make its series longer than its limit
 */
export function withPools(system: SystemState, refs: readonly PoolRef[]): SystemState {
  const pools = refs.map((ref) => ({ ...(system.pools.get(ref.id) ?? newPool(ref)), ref }))
  const next = renderPools({ ...system, pools: byId(pools) }, () => false)
  // A limit that a reload lowered applies to the next polls.
  return withinBounds(next, bytesOf(system))
}

/**
 * The outcome of a poll: a reading replaces everything, a failure leaves the values as they are.
 * @throws {ApiError} `too_large` when the series of the system become longer than its limit
 */
export function withPoll(
  system: SystemState,
  poolId: string,
  attempt: Attempt,
  reading?: FeedReading,
): SystemState {
  const result = attempt.failure?.reason ?? 'ok'
  const polled = (pool: PoolState) => ({
    ...pool,
    lastAttempt: attempt,
    lastFailure: attempt.failure ?? pool.lastFailure,
    polls: new Map(pool.polls).set(result, (pool.polls.get(result) ?? 0) + 1),
  })
  if (reading === undefined) return withPool(system, poolId, (pool) => renderPoll(polled(pool), system.name))
  const next = withPool(withRejected(system, reading.rejected), poolId, (pool) => ({
    ...polled(pool),
    reading,
    lastSuccess: attempt.at,
    nameOfNodes: poolNameIn(reading.nodes) ?? pool.nameOfNodes,
  }))
  // The labels of all pools cost more than the lines of one, when there are thousands.
  const isRenamed = next.pools.get(poolId)?.nameOfNodes !== system.pools.get(poolId)?.nameOfNodes
  return withinBounds(
    isRenamed ? renderPools(next, ({ ref }) => ref.id === poolId) : renderPoolOnly(next, poolId),
  )
}

/**
 * New forecasts of a pool, of one time frame; undefined: they are requested, and there are none.
 * @param at seconds since the epoch
 * @throws {ApiError} `too_large` as {@link withPoll}
 */
export function withForecasts(
  system: SystemState,
  poolId: string,
  timeFrame: string,
  reading: FeedReading | undefined,
  at = 0,
): SystemState {
  const frame = reading && frameOf(reading, at)
  const next = withPool(withRejected(system, reading?.rejected ?? []), poolId, (pool) =>
    renderForecasts({ ...pool, forecasts: new Map(pool.forecasts).set(timeFrame, frame) }, system.name),
  )
  return withinBounds(next)
}

function frameOf({ nodes, coverage }: FeedReading, lastSuccess: number): FrameForecasts {
  return {
    nodes: new Map(nodes.map(({ id, forecasts }) => [id, forecasts])),
    coverage: coverage.get(FORECAST.name) ?? { served: 0, absent: nodes.length, unreadable: 0 },
    lastSuccess,
  }
}

/**
 * The responses to all queries: as {@link withPerformance}, and their rejected values are counted.
 * @throws {ApiError} `too_large` as {@link withPoll}
 */
export function withPerformancePoll(
  system: SystemState,
  performance: PerformanceState & { readonly reading: PerformanceReading },
): SystemState {
  return withinBounds(withPerformance(withRejected(system, performance.reading.rejected), performance))
}

/** A new state of the Flux API: all pools are rendered again if it has another reading. */
export function withPerformance(system: SystemState, performance: PerformanceState | undefined): SystemState {
  const next = { ...system, performance }
  return performance?.reading === system.performance?.reading ? next : renderNodesAgain(next)
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

/** The pools with what a new reading of the inventory, or of the Flux API, says of their nodes. */
export function renderNodesAgain(system: SystemState): SystemState {
  return renderPools(system, ({ reading }) => reading !== undefined)
}

/** The pool without its nodes, which are too old. */
export function dropNodes(system: SystemState, poolId: string): SystemState {
  const next = withPool(system, poolId, (pool) => ({ ...pool, reading: undefined }))
  return renderPoolOnly(next, poolId)
}

function withPool(system: SystemState, poolId: string, change: (pool: PoolState) => PoolState): SystemState {
  const pool = system.pools.get(poolId)
  // The pool may have been removed during its poll.
  return pool === undefined ? system : { ...system, pools: new Map(system.pools).set(poolId, change(pool)) }
}

export function systemPart(system: SystemState): Part {
  const { name, labels, performance } = system
  const base = labelText({ system: name })
  // A system to which nothing could be sent, for example because the token file is unreadable, is not up.
  const up = system.up ?? (system.tried ? false : undefined)
  return createPart((add) => {
    add(STATE.systemInfo.name, labelText({ system: name, ...labels }), 1)
    add(STATE.pollInterval.name, base, system.pollIntervalSeconds)
    add(STATE.systemUp.name, base, up === undefined ? undefined : Number(up))
    add(STATE.queryUp.name, base, performance && Number(performance.failure === undefined))
    add(STATE.clockSkew.name, base, system.clockSkewSeconds)
    add(STATE.tlsNotAfter.name, base, system.tlsNotAfterSeconds)
    for (const [resource, summary] of resourceSummaries(system))
      addSummary(add, `${base},resource="${resource}"`, summary)
  })
}

function addSummary(add: AddSample, base: string, resource: ResourceSummary): void {
  const { isAvailable, failure, lastSuccess, objects } = resource
  add(STATE.resourceAvailable.name, base, Number(isAvailable))
  if (isAvailable) add(STATE.resourceUp.name, base, Number(failure === undefined))
  add(STATE.resourceLastSuccess.name, base, lastSuccess)
  for (const [state, count] of Object.entries(objects ?? {}))
    add(STATE.resourceObjects.name, `${base},state="${state}"`, count)
}

/** The pool with the series of its outcome. */
export function renderPoll(pool: PoolState, system: string): PoolState {
  const { lastAttempt, lastSuccess, reading, polls } = pool
  const base = poolLabelText(labelsFor(pool, system))
  const statePart = createPart((add) => {
    add(STATE.poolInfo.name, base, 1)
    for (const result of RESULTS) add(STATE.polls.name, `${base},result="${result}"`, polls.get(result) ?? 0)
    add(STATE.poolNodes.name, base, reading?.nodes.length)
    add(STATE.poolLastSuccess.name, base, lastSuccess)
    add(STATE.poolUp.name, base, lastAttempt && Number(lastAttempt.failure === undefined))
    add(STATE.poolPollDuration.name, base, lastAttempt?.seconds)
  })
  return { ...pool, statePart }
}

/** Names of the families that count what this exporter did. Other exporters of the same system have other counts. */
const COUNTERS = new Set(
  (Object.values(STATE) as readonly Family[])
    .filter(({ type }) => type === 'counter')
    .map(({ name }) => name),
)

/** The lines about the system, which every exporter would have. */
export function withoutCounters(part: Part): Part {
  return filterPart(part, (family) => !COUNTERS.has(family))
}

export function onlyCounters(part: Part): Part {
  return filterPart(part, (family) => COUNTERS.has(family))
}

/** Estimate of the memory of one forecast. Forecasts of nodes that the feed does not have give no lines. */
const BYTES_PER_FORECAST = 200

/** Bytes of the lines of all pools. */
export function bytesOf({ pools }: SystemState): number {
  let sum = 0
  for (const { bytes } of pools.values()) sum += bytes
  return sum
}

/**
 * @param least size that is within the bounds in any case
 * @throws {ApiError} `too_large` when the lines of the pools take more than the limit of the system
 */
function withinBounds(system: SystemState, least = 0): SystemState {
  if (bytesOf(system) > Math.max(system.maxBytes, least)) throw tooManySeries(system.maxBytes)
  return system
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

/**
 * Gives every pool the label that is unique now, and renders the pools whose label or content is another. A name used by
 * two pools turns both into their ids, so one pool's reading can change another's label.
 * @param isChanged whether the content of a pool is another
 * @throws {ApiError} `too_large` when the lines of one pool take more than the limit of the system
 */
function renderPools(system: SystemState, isChanged: (pool: PoolState) => boolean): SystemState {
  const pools = [...system.pools.values()]
  const labels = uniqueNames(
    // The name that its nodes have, else the one in the list of pools.
    pools.map(({ ref, nameOfNodes }) => ({ id: boundedName(ref.id), name: nameOfNodes ?? ref.name })),
  )
  const sources = sourcesOf(system)
  const rendered: PoolState[] = []
  for (const [index, pool] of pools.entries()) {
    const label = labels[index] ?? pool.ref.id
    const isCurrent = label === pool.label && pool.statePart !== NOTHING && !isChanged(pool)
    rendered.push(isCurrent ? pool : renderPool({ ...pool, label }, sources))
  }
  const next = { ...system, pools: byId(rendered) }
  const isRelabelled = rendered.some(({ label }, index) => label !== pools[index]?.label)
  return isRelabelled ? relabelled(next) : next
}

/**
 * Renders one pool, whose name is the one that it was labelled with: no label is another.
 * @throws {ApiError} `too_large` as {@link renderPools}
 */
function renderPoolOnly(system: SystemState, poolId: string): SystemState {
  return withPool(system, poolId, (pool) => renderPool(pool, sourcesOf(system)))
}

/** What pools are rendered with, besides their own readings. */
function sourcesOf({ name: system, maxBytes, pools, performance, resources }: SystemState) {
  const queried = performance?.reading
  const readings = queried && [...pools.values()].flatMap(({ reading }) => reading ?? [])
  return {
    system,
    maxBytes,
    /** Undefined: nothing was read from the Flux API. */
    find: readings && createJoin(queried.nodes, readings),
    /** What the last reading of the inventory says. */
    hardwareOf: hardwareFinder(nodesIn(resources)),
  }
}

function renderPool(
  pool: PoolState,
  { system, maxBytes, find, hardwareOf }: ReturnType<typeof sourcesOf>,
): PoolState {
  const merged = pool.reading && mergePerformance(pool.reading, find)
  const labels = { ...labelsFor(pool, system), hardwareOf }
  // What does not grow is rendered, although a reload may have lowered the limit.
  const feedPart = merged ? renderNodes(merged, labels, Math.max(maxBytes, pool.bytes)) : NOTHING
  if (feedPart === undefined) throw tooManySeries(maxBytes)
  return renderForecasts(renderPoll({ ...pool, merged, feedPart }, system), system)
}

/** What the forecasts say, and the coverage, in which they have a row if they are requested. */
function renderForecasts(pool: PoolState, system: string): PoolState {
  const forecastPart = forecastPartOf(pool, system)
  const frames = [...pool.forecasts.values()].flatMap((frame) => [...(frame?.nodes.values() ?? [])])
  const held = frames.reduce((sum, { length }) => sum + length, 0)
  const bytes = pool.feedPart.bytes + forecastPart.bytes + held * BYTES_PER_FORECAST
  return { ...pool, forecastPart, bytes }
}

function forecastPartOf(pool: PoolState, system: string): Part {
  const { merged, forecasts } = pool
  if (merged === undefined) return NOTHING
  const labels = labelsFor(pool, system)
  const ofForecasts = forecastCoverage(forecasts, merged.nodes.length)
  const coverage = new Map(merged.coverage)
  if (ofForecasts === undefined) coverage.delete(FORECAST.name)
  else coverage.set(FORECAST.name, ofForecasts)
  return createPart((add) => {
    addForecasts(add, merged, forecastsByNode(forecasts), labels)
    addCoverage(add, coverage, labels, merged.queried)
  })
}

function labelsFor(pool: PoolState, system: string): PoolLabels {
  return { system, poolId: pool.ref.id, pool: pool.label }
}
