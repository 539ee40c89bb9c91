import type { ApiError } from '../api/errors/errors.ts'
import type { Result } from '../api/errors/reasons.ts'
import type { Coverage, FeedReading } from '../api/feed/feed.ts'
import { distinctForecasts, type Forecast } from '../api/feed/snapshots.ts'
import { REJECTIONS, type RejectedValue } from '../api/parse/json.ts'
import type { MergedReading } from '../api/query/merge.ts'
import type { PerformanceReading } from '../api/query/values/performance.ts'
import type { PoolRef } from '../api/resources/pool_list.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import type { Labels } from '../catalogue.ts'
import { STATE } from '../metrics/families.ts'
import { createPart, labelText, type Part } from '../metrics/lines.ts'
import type { ObjectName } from '../system_catalogue.ts'

/** The rejected values of one system. Immutable. */
interface Rejections {
  /** By the text of the labels. Every reason begins at 0, so that its first value is an increase. */
  readonly byReason: ReadonlyMap<string, number>
  /** By the text of the labels; attributes and reasons that have not occurred are missing, because they are many. */
  readonly byAttribute: ReadonlyMap<string, number>
  /** Made here, because they rarely change. */
  readonly part: Part
}

function newRejections(system: string): Rejections {
  const reasons = Object.keys(REJECTIONS).map((reason) => [labelText({ system, reason }), 0] as const)
  return rendered({ byReason: new Map(reasons), byAttribute: new Map() })
}

/** The values that the response before did not have: one that stays invalid is counted once. */
export function newlyRejected(
  values: readonly RejectedValue[],
  before: readonly RejectedValue[] = [],
): readonly RejectedValue[] {
  return values.flatMap((value) => {
    const { attribute, reason, text } = value
    const same = before.find(
      (other) => other.attribute === attribute && other.reason === reason && other.text === text,
    )
    const times = value.times - (same?.times ?? 0)
    return times > 0 ? [{ ...value, times }] : []
  })
}

/** With the rejected values of one more response. */
export function withRejected(
  system: SystemState,
  values: readonly Pick<RejectedValue, 'attribute' | 'reason' | 'times'>[],
): SystemState {
  if (values.length === 0) return system
  const { name, rejections } = system
  const [byReason, byAttribute] = [new Map(rejections.byReason), new Map(rejections.byAttribute)]
  for (const { attribute, reason, times } of values) {
    const ofReason = labelText({ system: name, reason })
    const ofAttribute = labelText({ system: name, attribute, reason })
    byReason.set(ofReason, (byReason.get(ofReason) ?? 0) + times)
    byAttribute.set(ofAttribute, (byAttribute.get(ofAttribute) ?? 0) + times)
  }
  return { ...system, rejections: rendered({ byReason, byAttribute }) }
}

function rendered(counts: Omit<Rejections, 'part'>): Rejections {
  const part = createPart((add) => {
    for (const [labels, count] of counts.byReason) add(STATE.rejectedByReason.name, labels, count)
    for (const [labels, count] of counts.byAttribute) add(STATE.rejectedValues.name, labels, count)
  })
  return { ...counts, part }
}

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

/** The forecasts of all nodes, by node, in the response to the request of one time frame. */
export interface FrameForecasts {
  readonly nodes: ReadonlyMap<string, readonly Forecast[]>
  readonly coverage: Readonly<Coverage>
  /** When they were read, in seconds since the epoch. */
  readonly lastSuccess: number
}

/** By time frame of the requests; undefined after requests that failed. Empty: none are requested. */
export type ForecastFrames = ReadonlyMap<string, FrameForecasts | undefined>

export function forecastsByNode(frames: ForecastFrames): ReadonlyMap<string, readonly Forecast[]> {
  const all = new Map<string, readonly Forecast[]>()
  for (const frame of frames.values())
    for (const [id, own] of frame?.nodes ?? []) {
      const others = all.get(id)
      all.set(id, others === undefined ? own : distinctForecasts([...others, ...own]))
    }
  return all
}

/**
 * Coverage in the time frame that most nodes have; undefined if no forecasts are requested.
 * @param nodes of the pool
 */
export function forecastCoverage(frames: ForecastFrames, nodes: number): Readonly<Coverage> | undefined {
  if (frames.size === 0) return undefined
  const none: Coverage = { served: 0, absent: nodes, unreadable: 0 }
  const all = [...frames.values()].flatMap((frame) => frame?.coverage ?? [])
  return all.reduce((best, one) => {
    const more = one.served - best.served || one.unreadable - best.unreadable
    return more > 0 ? one : best
  }, none)
}

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
  /** The name of the pool that its nodes have; kept when the values are dropped, so that labels do not change. */
  readonly nameOfNodes?: string | undefined
  readonly label: string
  readonly lastAttempt?: Attempt | undefined
  /** Number of polls by result; a result that has not occurred is missing. */
  readonly polls: ReadonlyMap<Result, number>
  /** Time of the last good poll, in seconds since the epoch. */
  readonly lastSuccess?: number | undefined
  /** Failure of the last poll that failed; kept when later ones succeed. */
  readonly lastFailure?: Failure | undefined
  /** The last good reading; undefined before the first and after it was dropped for its age. */
  readonly reading?: FeedReading | undefined
  /** The reading with what the Flux API has of its nodes. */
  readonly merged?: MergedReading | undefined
  readonly forecasts: ForecastFrames
  /** The series of the reading, of the forecasts with the coverage, and of the outcome of the polls; made when they change. */
  readonly feedPart: Part
  readonly forecastPart: Part
  readonly statePart: Part
  /** Bytes of the first two parts, and an estimate of the memory that the forecasts take. */
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
  readonly labels: Labels
  /** The longest time between two polls of its schedule. */
  readonly pollIntervalSeconds?: number | undefined
  readonly isOnlyProbed?: boolean
  /** Whether there was any response to the last request; undefined before the first. */
  readonly up?: boolean | undefined
  readonly clockSkewSeconds?: number | undefined
  readonly tlsNotAfterSeconds?: number | undefined
  readonly pools: ReadonlyMap<string, PoolState>
  /** Why the system could not list its pools; only if the configuration has none. */
  readonly discoveryFailure?: Failure | undefined
  /** Undefined while the Flux API is not polled. */
  readonly performance?: PerformanceState | undefined
  /** By the kind of their objects; those that were requested. */
  readonly resources: ReadonlyMap<ObjectName, ResourceState>
  readonly rejections: Rejections
  /** Limit of the lines of its pools, and with a quarter of it, of those of its resources. */
  readonly maxBytes: number
  /** Whether every pool, or the list of pools, was tried once. */
  readonly tried: boolean
}

export const NOTHING: Part = createPart(() => undefined)

export function newSystem(name: string): SystemState {
  return {
    name,
    labels: {},
    pools: new Map(),
    resources: new Map(),
    rejections: newRejections(name),
    maxBytes: Number.POSITIVE_INFINITY,
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
