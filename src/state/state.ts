import type { ApiError } from '../api/errors/errors.ts'
import type { Result } from '../api/errors/reasons.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import type { ForecastFrames } from '../api/feed/forecast_frames.ts'
import type { PoolRef } from '../api/feed/pools.ts'
import type { MergedReading } from '../api/query/merge.ts'
import type { PerformanceReading } from '../api/query/values/performance.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import type { Labels } from '../catalogue.ts'
import { type Part, renderPart } from '../metrics/lines.ts'
import type { ObjectName } from '../system_catalogue.ts'
import { newRejections, type Rejections } from './rejections.ts'

/** Why an attempt failed, in a form for metrics, log and status page. */
export type Failure = Readonly<ReturnType<typeof failureOf>>

/**
 * @param at seconds since the epoch
 * @param remedy what to do about it, one sentence without a full stop
 */
export function failureOf(failure: ApiError, at: number, remedy = failure.remedy) {
  const { reason, detail, endpoint } = failure
  /** For people; without system and pool, which are known where it is shown. Never a secret. */
  const message = endpoint === undefined ? detail : `${endpoint}: ${detail}`
  return { reason, message, remedy, at }
}

/** One poll, good or failed. */
export interface Attempt {
  /** Seconds since the epoch. */
  readonly at: number
  readonly seconds: number
  /** Undefined: it succeeded. */
  readonly failure: Failure | undefined
}

/** What is known of a pool. Immutable. */
export interface PoolState {
  readonly ref: PoolRef
  /** That of its nodes; kept when the values are dropped, so that labels do not change. */
  readonly nameOfNodes?: string | undefined
  /** What its series are labelled with. */
  readonly label: string
  readonly lastAttempt?: Attempt | undefined
  /** Number of polls by result; a result that has not occurred is missing. */
  readonly polls: ReadonlyMap<Result, number>
  /** Time of the last good poll, in seconds since the epoch. */
  readonly lastSuccess?: number | undefined
  /** Of the last poll that failed; kept when later ones succeed. */
  readonly lastFailure?: Failure | undefined
  /** The last good reading; undefined before the first and after it was withdrawn for its age. */
  readonly reading?: FeedReading | undefined
  /** The reading with what the query interface has of its nodes. */
  readonly merged?: MergedReading | undefined
  readonly forecasts: ForecastFrames
  /** The reading, the forecasts with the coverage, and the outcome of the polls as lines: rendered when they changed. */
  readonly feedPart: Part
  readonly forecastPart: Part
  readonly statePart: Part
  /** Of the first two parts, and an estimate of the memory that the forecasts take. */
  readonly bytes: number
}

export interface PerformanceState {
  /** Undefined before the first success, and when all values were too old. */
  readonly reading: PerformanceReading | undefined
  /** The failure of queries while others succeeded; of several, the first one. */
  readonly partFailure?: Failure | undefined
  /** When the reading came, on the clock of `performance.now()`. */
  readonly receivedAtMs: number
  /** Why the last attempt failed as a whole. */
  readonly failure: Failure | undefined
}

/** What is known of the objects of one kind, from one request. */
export interface ResourceState {
  /** Undefined before the first success, and when the values were too old. */
  readonly reading: ResourceReading | undefined
  /** Seconds since the epoch. */
  readonly lastSuccess: number | undefined
  /** False: the system does not serve it, or the account lacks the role. */
  readonly isAvailable: boolean
  readonly failure: Failure | undefined
  readonly part: Part
}

/** What is known of a system. Immutable. */
export interface SystemState {
  readonly name: string
  /** Those of the configuration. */
  readonly labels: Labels
  /** The longest time between two polls of its schedule. */
  readonly pollIntervalSeconds?: number | undefined
  /** Whether it has no schedule. */
  readonly isOnlyProbed?: boolean
  /** Whether there was any response to the last request; undefined before the first. */
  readonly up?: boolean | undefined
  readonly clockSkewSeconds?: number | undefined
  readonly tlsNotAfterSeconds?: number | undefined
  readonly pools: ReadonlyMap<string, PoolState>
  /** Why the system could not list its pools; only if the configuration has none. */
  readonly discoveryFailure?: Failure | undefined
  /** Undefined while the query interface is not polled. */
  readonly performance?: PerformanceState | undefined
  /** By the kind of their objects; those that were requested. */
  readonly resources: ReadonlyMap<ObjectName, ResourceState>
  readonly rejections: Rejections
  /** Whether every pool, or the list of pools, was tried once. */
  readonly tried: boolean
}

export const NOTHING: Part = renderPart(new Map())

export function newSystem(name: string): SystemState {
  return {
    name,
    labels: {},
    pools: new Map(),
    resources: new Map(),
    rejections: newRejections(name),
    tried: false,
  }
}

export function newPool(ref: PoolRef): PoolState {
  return {
    ref,
    label: ref.id,
    polls: new Map(),
    feedPart: NOTHING,
    forecasts: new Map(),
    forecastPart: NOTHING,
    statePart: NOTHING,
    bytes: 0,
  }
}
