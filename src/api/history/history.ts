import {
  ATTRIBUTES,
  type AttributeName,
  type FeedBandwidthUnit,
  type SourceUnit,
  TRANSACTION_ERRORS,
  UNITS,
} from '../../catalogue.ts'
import { MAX_LIST_ENTRIES, nodeEntries } from '../feed/feed.ts'
import { type ErrorType, readErrorTypes } from '../feed/snapshots.ts'
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
} from '../parse/json.ts'
import { type Points, readSeries, type SeriesOptions, type Served } from './series.ts'

export interface AttributeHistory {
  readonly series: Points
  readonly unit: SourceUnit
}

/** The past of transaction errors, in percent of the transactions. */
interface ErrorHistory {
  readonly all: Points | undefined
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
    const ofSource = tag === 'Bandwidth' ? bandwidthUnit : unit
    const range = UNITS[ofSource]
    const series = readSeries(member(entry, name), { tag, range, period, respondedAt, reject, served })
    if (series !== undefined) attributes.set(name, { series, unit: ofSource })
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
  const rate = { tag, range: UNITS[rateUnit], period, respondedAt, reject, served }
  const errors = asList(member(entry, TRANSACTION_ERRORS.name)).at(-1)
  if (!isObject(errors)) {
    if (readNumber(errors).state !== 'absent') reject('shape', typeof errors)
    return { all: undefined, types: [] }
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
  return { all, types }
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
