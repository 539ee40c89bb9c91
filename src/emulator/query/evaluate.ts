import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { mix } from '../model/random.ts'
import { QueryError } from '../protocol/errors.ts'
import { PROFILES, type Settings } from '../protocol/profiles.ts'
import { MONITORING_LAST } from './buckets/last.ts'
import { MONITORING_MAIN } from './buckets/main.ts'
import { MONITORING_OP } from './buckets/op.ts'
import type { Instant, Pipeline, Predicate, Range, TimeExpression } from './flux/pipeline.ts'
import { type Bucket, type Point, type Source, type ValueType, valueText } from './points/series.ts'
import { applyOperation, POINT_COLUMNS, sortTables, type Table, type TableSet } from './tables.ts'

export interface Evaluation extends Pick<Settings, 'delaySeconds' | 'intervalSeconds' | 'unreadyTables'> {
  readonly source: Source
  /** Epoch seconds. */
  readonly now: number
  readonly maxPoints: number
}

export interface QueryResult extends TableSet {
  readonly start: Instant
  readonly stop: Instant
}

const NANOSECONDS = 1_000_000_000
const FRACTION = 73
/** Points before the window that ranges return on versions with the defect. */
const DEFECT_POINTS = 2

/** @throws QueryError 500 for an unknown bucket, an empty range, and tables that cannot be merged */
export function evaluate(pipeline: Pipeline, evaluation: Evaluation): QueryResult {
  const bucket = BUCKETS.get(pipeline.bucket)
  if (bucket === undefined) {
    throw new QueryError(
      `failed to initialize execute state: could not find bucket ${JSON.stringify(pipeline.bucket)}`,
    )
  }
  const { source, now } = evaluation
  // Real systems have a clock with nanoseconds.
  const nanoseconds = mix(mix(source.model.key, FRACTION), now) % NANOSECONDS
  return evaluateSeries(pipeline, { seconds: now, nanoseconds }, (window) => {
    const { filters, rest } = pipeline
    const isDefective =
      PROFILES[source.profile].query.rangeDefect && !rest.some(({ name }) => name === 'last')
    const read = isDefective ? defective : (points: Points) => points
    return readTables(bucket, filters, evaluation, read(pointsOf(bucket, window, evaluation)))
  })
}

/** Reads the series that all filters of the pipeline accept, with their points in the window. */
export type ReadSeries = (window: Window) => readonly Table[]

/** @throws QueryError 500 for an empty range, and tables that cannot be merged */
export function evaluateSeries(pipeline: Pipeline, now: Instant, read: ReadSeries): QueryResult {
  const window = windowOf(pipeline.range, now)
  const set: TableSet = { pointColumns: POINT_COLUMNS, tables: sortTables(read(window)) }
  return { ...window, ...pipeline.rest.reduce(applyOperation, set) }
}

export interface Window {
  readonly start: Instant
  readonly stop: Instant
}

function windowOf({ start, stop }: Range, now: Instant): Window {
  const instantOf = (time: TimeExpression): Instant =>
    'absolute' in time ? time.absolute : { ...now, seconds: now.seconds + time.relativeSeconds }
  const window = { start: instantOf(start), stop: instantOf(stop) }
  const { seconds, nanoseconds: fraction } = window.start
  const isEmpty =
    seconds > window.stop.seconds || (seconds === window.stop.seconds && fraction >= window.stop.nanoseconds)
  if (isEmpty) {
    throw new QueryError('error in building plan while starting program: cannot query an empty range')
  }
  return window
}

/** Reads the points of a series. */
type Points = (read: (first: number, last: number) => Point[], type: ValueType) => Point[]

/** Points in `[start, stop)` that are visible and not yet deleted. */
function pointsOf(bucket: Bucket, { start, stop }: Window, evaluation: Evaluation): Points {
  const { now, delaySeconds, intervalSeconds, maxPoints } = evaluation
  const first = Math.max(ceilOf(start), now - bucket.retentionSeconds)
  const last = Math.min(ceilOf(stop) - 1, now - bucket.delaySeconds - delaySeconds)
  if ((last - first) / intervalSeconds > maxPoints) {
    throw new QueryError(`the range has more than ${maxPoints} points of a series`)
  }
  return (read) => read(first, last)
}

export function ceilOf({ seconds, nanoseconds }: Instant): number {
  return nanoseconds === 0 ? seconds : seconds + 1
}

/** Versions 3.7 and 3.8.0: points before the window too, and running totals in place of values. */
function defective(points: Points): Points {
  return (read, type) => {
    const extended = points(
      (first, last) => read(first - DEFECT_POINTS * STATISTICS_INTERVAL_SECONDS, last),
      type,
    )
    let total = 0
    return extended.map(({ time, value }) => {
      total += Number(value)
      return { time, value: valueText(total, type) }
    })
  }
}

function readTables(
  bucket: Bucket,
  filters: readonly Predicate[],
  { source, intervalSeconds, unreadyTables }: Evaluation,
  read: Points,
): Table[] {
  const tables: Table[] = []
  for (const { columns, type, points } of bucket.series({ ...source, intervalSeconds, unreadyTables })) {
    if (!filters.every((accepts) => accepts(columns))) continue
    const found = read(points, type)
    if (found.length > 0) tables.push({ columns, type, points: found })
  }
  return tables
}

/** The buckets that the exporter reads. */
const BUCKETS: ReadonlyMap<string, Bucket> = new Map([
  ['monitoring_op', MONITORING_OP],
  ['monitoring_main', MONITORING_MAIN],
  ['monitoring_last', MONITORING_LAST],
])
