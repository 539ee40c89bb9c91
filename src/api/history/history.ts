import {
  ATTRIBUTES,
  type AttributeName,
  type FeedBandwidthUnit,
  TRANSACTION_ERRORS,
  UNITS,
  type UnitRow,
} from '../../catalogue.ts'
import { MAX_LIST_ENTRIES, nodeEntries } from '../feed/feed.ts'
import {
  type ErrorType,
  readErrorTypes,
  readNewest,
  readTime,
  type Snapshot,
  valueIn,
} from '../feed/snapshots.ts'
import {
  asList,
  createRejectedValues,
  isObject,
  type JsonObject,
  MAX_REJECTED_CHARACTERS,
  member,
  type Reject,
  type RejectedValue,
  readName,
  readNumber,
  servedOrRejected,
} from '../parse/json.ts'

/** Points of one attribute, in ascending order of time, each time once. */
export interface Points {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly times: readonly number[]
  /** One for each time, in the base unit of the metric. */
  readonly values: readonly number[]
}

/** A period in seconds since the epoch: `start` belongs to it, `end` does not. */
export interface Period {
  readonly start: number
  readonly end: number
  /** Seconds between two points. */
  readonly interval: number
}

/** What a response served, whether or not it is in the period. */
interface Served {
  points: number
  /** Points that are further from the period than systems round times. */
  farPoints: number
  /** Least time between two points of one series, in seconds; infinite without two points. */
  step: number
}

interface SeriesOptions {
  /** The documented name of the value member. */
  readonly tag: string
  readonly unit: UnitRow
  readonly period: Period
  /** Time of the response by the clock of the storage system, in seconds since the epoch. */
  readonly respondedAt: number
  readonly reject: Reject
  readonly served: Served
}

/**
 * Reads a historical attribute: an array of snapshots in any order, or a single snapshot.
 * Absent values give no point. Of two points with the same time, the last one is used.
 * Source: API document, "Snapshot and series conventions", rule 3.
 * @returns undefined without points in the period
 */
function readSeries(value: unknown, options: SeriesOptions): Points | undefined {
  const { tag, unit, reject } = options
  const byTime = new Map<number, number>()
  for (const candidate of asList(value)) {
    const t = servedOrRejected(readTime(candidate), reject)
    if (t === undefined || !isObject(candidate)) continue
    const number = servedOrRejected(readNumber(valueIn(candidate, tag), unit), reject)
    if (number === undefined) continue
    const value = unit.toBase(number)
    if (value !== (byTime.get(t) ?? value)) reject('duplicate', String(t))
    byTime.set(t, value)
  }
  const points = [...byTime].sort(([a], [b]) => a - b)
  const [times, values] = [points.map(([t]) => t), points.map(([, value]) => value)]
  if (isPlaceholder(times, values, options.respondedAt)) return undefined
  noteServed(times, options)
  return within(times, values, options.period)
}

/** Systems may round times to their own step, which is an hour by default. */
const COARSEST_STEP_SECONDS = 3600

function noteServed(times: readonly number[], { served, period }: SeriesOptions): void {
  const tolerance = 2 * Math.max(period.interval, COARSEST_STEP_SECONDS)
  const isFar = (t: number) => t < period.start - tolerance || t >= period.end + tolerance
  served.points += times.length
  served.farPoints += times.filter(isFar).length
  for (let index = 1; index < times.length; index += 1) {
    served.step = Math.min(served.step, (times[index] ?? 0) - (times[index - 1] ?? 0))
  }
}

/** The time of a placeholder is that at which the system began the response. */
const PLACEHOLDER_SECONDS = 60

/** Real systems serve a single 0 with the time of the response for an attribute without stored history. */
function isPlaceholder(times: readonly number[], values: readonly number[], respondedAt: number): boolean {
  const [t = 0] = times
  return times.length === 1 && values[0] === 0 && Math.abs(t - respondedAt) <= PLACEHOLDER_SECONDS
}

function within(times: number[], values: number[], { start, end }: Period): Points | undefined {
  const from = times.findIndex((t) => t >= start && t < end)
  if (from === -1) return undefined
  const to = times.findLastIndex((t) => t < end) + 1
  return { times: times.slice(from, to), values: values.slice(from, to) }
}

/** `<Attribute>Summary` of the storage system, in the base unit of the metric. */
export interface Summary {
  readonly min: Snapshot | undefined
  readonly max: Snapshot | undefined
  /** Mean of the points of the requested period. */
  readonly average: number | undefined
}

/**
 * Reads `<Attribute>Summary`. Its extremes are a snapshot or an array of one; its average is a number, a text or a
 * snapshot, which may have no time. Source: API document, "Snapshot and series conventions", rule 5.
 * @returns undefined for a summary without any value
 */
function readSummary(
  value: unknown,
  { tag, unit, reject }: Pick<SeriesOptions, 'tag' | 'unit' | 'reject'>,
): Summary | undefined {
  if (!isObject(value)) return undefined
  const min = servedOrRejected(readNewest(member(value, 'Min'), tag, unit), reject)
  const max = servedOrRejected(readNewest(member(value, 'Max'), tag, unit), reject)
  const mean = asList(member(value, 'Avg')).at(-1)
  const average = servedOrRejected(readNumber(isObject(mean) ? valueIn(mean, tag) : mean, unit), reject)
  const isEmpty = min === undefined && max === undefined && average === undefined
  return isEmpty ? undefined : { min, max, average: average && unit.toBase(average) }
}

interface AttributeHistory {
  readonly series: Points
  /** Undefined: the system serves none. */
  readonly summary?: Summary | undefined
}

/** The past of transaction errors, as shares of the transactions. */
interface ErrorHistory {
  readonly all: Points | undefined
  /** Of `all`. */
  readonly summary?: Summary | undefined
  /** Intervals without any of a type have no point. */
  readonly types: readonly (Pick<ErrorType, 'category' | 'errorType'> & { readonly rate: Points })[]
}

/**
 * The past of one node. Health, disks and counts of transactions have no series: a response with history has their
 * present values, or those of the whole period.
 */
export interface NodeHistory {
  readonly id: string
  /** displayName; undefined if absent. */
  readonly name: string | undefined
  readonly attributes: ReadonlyMap<AttributeName, AttributeHistory>
  readonly errors: ErrorHistory
}

interface NodeHistoryOptions extends Pick<SeriesOptions, 'period' | 'respondedAt' | 'served'> {
  readonly bandwidthUnit: FeedBandwidthUnit
  readonly rejectAs: (attribute: string) => Reject
  /** Maximum number of error types to keep, if less than that of every node. */
  readonly maxErrorTypes: number
}

const SERIES_ATTRIBUTES = ATTRIBUTES.filter(({ currentOnly }) => !currentOnly)

function decodeNodeHistory(id: string, entry: JsonObject, options: NodeHistoryOptions): NodeHistory {
  const { period, respondedAt, served, rejectAs, bandwidthUnit } = options
  const attributes = new Map<AttributeName, AttributeHistory>()
  for (const { name, tag, unit } of SERIES_ATTRIBUTES) {
    const reject = rejectAs(name)
    const ofSource = UNITS[tag === 'Bandwidth' ? bandwidthUnit : unit]
    const ofSeries = { tag, unit: ofSource, period, respondedAt, reject, served }
    const series = readSeries(member(entry, name), ofSeries)
    const summary = readSummary(member(entry, `${name}Summary`), ofSeries)
    if (series !== undefined) attributes.set(name, { series, summary })
  }
  return {
    id,
    name: readName(member(entry, 'displayName')),
    attributes,
    errors: readErrors(entry, options),
  }
}

function readErrors(
  entry: JsonObject,
  { period, respondedAt, served, rejectAs, maxErrorTypes }: NodeHistoryOptions,
): ErrorHistory {
  const reject = rejectAs(TRANSACTION_ERRORS.name)
  const { rateTag: tag, rateUnit } = TRANSACTION_ERRORS
  const rate = { tag, unit: UNITS[rateUnit], period, respondedAt, reject, served }
  const summaries = asList(member(entry, `${TRANSACTION_ERRORS.name}Summary`)).at(-1)
  const summary = readSummary(isObject(summaries) ? member(summaries, 'all') : undefined, rate)
  const errors = asList(member(entry, TRANSACTION_ERRORS.name)).at(-1)
  if (!isObject(errors)) {
    if (readNumber(errors) !== undefined) reject('shape', typeof errors)
    return { all: undefined, summary, types: [] }
  }
  const all = readSeries(member(errors, 'all'), rate)
  const found = readErrorTypes(member(errors, 'types'), {
    reject,
    max: maxErrorTypes,
    readRate: (value) => readSeries(value, rate),
    hasSeries: (type) => type.rate !== undefined,
  })
  // The counts are those of the whole period.
  const types = found.flatMap(({ count: _, rate: points, ...type }) =>
    points ? [{ ...type, rate: points }] : [],
  )
  return { all, summary, types }
}

export interface HistoryReading {
  /** Sorted by id. */
  readonly nodes: readonly NodeHistory[]
  readonly served: Readonly<Served>
  readonly rejected: readonly RejectedValue[]
}

export interface HistoryOptions extends Pick<SeriesOptions, 'period' | 'respondedAt'> {
  /** Unit of attributes with the value tag `Bandwidth`. */
  readonly bandwidthUnit?: FeedBandwidthUnit
}

/**
 * Decodes a response of the dashboard API with `dataType=historical`, in all documented forms and those of real systems.
 * Points outside of the period are dropped.
 * @throws {ApiError} `schema` if the body is not that of the dashboard API, or none of its nodes has an id
 */
export function decodeHistory(
  body: unknown,
  { period, respondedAt, bandwidthUnit = 'MB/s' }: HistoryOptions,
): HistoryReading {
  const rejected = createRejectedValues()
  const served: Served = { points: 0, farPoints: 0, step: Number.POSITIVE_INFINITY }
  const nodes: NodeHistory[] = []
  let maxErrorTypes = MAX_LIST_ENTRIES
  for (const [id, entry] of nodeEntries(body, rejected)) {
    const node = id.slice(0, MAX_REJECTED_CHARACTERS)
    const rejectAs = (attribute: string) => (reason: RejectedValue['reason'], text: string, times?: number) =>
      rejected.add({ attribute, reason, node, text }, times)
    const options = { period, respondedAt, bandwidthUnit, served, rejectAs, maxErrorTypes }
    const history = decodeNodeHistory(id, entry, options)
    maxErrorTypes -= history.errors.types.length
    nodes.push(history)
  }
  return { nodes, served, rejected: rejected.list() }
}
