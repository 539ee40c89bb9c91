import {
  ATTRIBUTES,
  type AttributeName,
  type FeedBandwidthUnit,
  type SourceUnit,
  TRANSACTION_ERRORS,
  UNITS,
} from '../../catalogue.ts'
import type { LatencyOperation } from '../../query_catalogue.ts'
import { type ErrorType, readErrorTypes } from '../feed/transaction_errors.ts'
import { asList, isObject, type JsonObject, member, readName } from '../parse/json.ts'
import { readNumber } from '../parse/numbers.ts'
import type { Reject } from '../parse/reads.ts'
import { type Points, readSeries, type SeriesOptions } from './series.ts'
import { readSummary, type Summary } from './summary.ts'

export interface AttributeHistory {
  readonly series: Points
  readonly unit: SourceUnit
}

/** Failed transactions of one type. Intervals without any have no point. */
interface ErrorTypeHistory extends Pick<ErrorType, 'category' | 'errorType'> {
  /** Percent of the transactions. */
  readonly rate: Points
  /** Only of the query interface. */
  readonly count?: Points
}

/** The past of transaction errors. The counts are only of the query interface. */
export interface ErrorHistory {
  /** Percent of the transactions. */
  readonly all: Points | undefined
  /** Of `all`. Only of the feed. */
  readonly summary?: Summary | undefined
  readonly succeeded?: Points
  readonly failed?: Points
  readonly types: readonly ErrorTypeHistory[]
}

/**
 * The past of one node. Health, disks and counts of transactions have no series: a response with history has their
 * present values, or those of the whole period.
 */
export interface NodeHistory {
  readonly id: string
  /** displayName; undefined if absent. */
  readonly name: string | undefined
  readonly poolName: string | undefined
  readonly attributes: ReadonlyMap<AttributeName, AttributeHistory>
  readonly summaries: ReadonlyMap<AttributeName, Summary>
  readonly errors: ErrorHistory
  /** Only of the query interface: counts since the start of the process, in ascending order of the upper bounds. */
  readonly latencies?: readonly {
    readonly operation: LatencyOperation
    readonly seconds: number
    readonly counts: Points
  }[]
  /** Only of the query interface: bytes per second. */
  readonly interfaces?: readonly {
    readonly name: string
    readonly received: Points
    readonly transmitted: Points
  }[]
}

interface NodeHistoryOptions extends Pick<SeriesOptions, 'period' | 'respondedAt' | 'served'> {
  readonly bandwidthUnit: FeedBandwidthUnit
  readonly rejectAs: (attribute: string) => Reject
  /** Maximum number of error types to keep, if less than that of every node. */
  readonly maxErrorTypes: number
}

const SERIES_ATTRIBUTES = ATTRIBUTES.filter(({ currentOnly }) => !currentOnly).map((attribute) => ({
  ...attribute,
  summaryKey: `${attribute.name}Summary`,
}))

/** Decodes a node of a response with `dataType=historical`. */
export function decodeNodeHistory(id: string, entry: JsonObject, options: NodeHistoryOptions): NodeHistory {
  const { period, respondedAt, served, rejectAs, bandwidthUnit } = options
  const attributes = new Map<AttributeName, AttributeHistory>()
  const summaries = new Map<AttributeName, Summary>()
  for (const { name, tag, unit, summaryKey } of SERIES_ATTRIBUTES) {
    const reject = rejectAs(name)
    const ofSource = tag === 'Bandwidth' ? bandwidthUnit : unit
    const range = UNITS[ofSource]
    const series = readSeries(member(entry, name), { tag, range, period, respondedAt, reject, served })
    if (series !== undefined) attributes.set(name, { series, unit: ofSource })
    const summary = readSummary(member(entry, summaryKey), tag, range, reject)
    if (summary !== undefined) summaries.set(name, summary)
  }
  return {
    id,
    name: readName(member(entry, 'displayName')),
    poolName: readName(member(entry, 'storagePoolName')),
    attributes,
    summaries,
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
  const summaries = asList(member(entry, `${TRANSACTION_ERRORS.name}Summary`)).at(-1)
  const summary = isObject(summaries)
    ? readSummary(member(summaries, 'all'), tag, rate.range, reject)
    : undefined
  const errors = asList(member(entry, TRANSACTION_ERRORS.name)).at(-1)
  if (!isObject(errors)) {
    if (readNumber(errors).state !== 'absent') reject('shape', typeof errors)
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
