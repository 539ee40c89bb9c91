import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { mix } from '../model/random.ts'
import { QueryError } from '../protocol/errors.ts'
import { PROFILES } from '../protocol/profiles.ts'
import { MONITORING_LAST } from './buckets/last.ts'
import { MONITORING_MAIN } from './buckets/main.ts'
import { MONITORING_OP } from './buckets/op.ts'
import { MONITORING_VDC } from './buckets/vdc.ts'
import type { FluxRange, Instant, Pipeline, TimeExpression } from './flux/pipeline.ts'
import {
  type Bucket,
  intervalOf,
  type Point,
  type Source,
  seriesOf,
  type ValueType,
  valueText,
} from './points/series.ts'
import { applyOperation, POINT_COLUMNS, sortTables, type Table, type TableSet } from './tables.ts'

export interface Evaluation extends Source {
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
/** Versions 3.7 and 3.8.0 return points before the window, too, and running totals in place of values. */
const DEFECT_SECONDS = 2 * STATISTICS_INTERVAL_SECONDS

/** @throws QueryError 500 for an unknown bucket, an empty range, and tables that cannot be merged */
export function evaluate(pipeline: Pipeline, evaluation: Evaluation): QueryResult {
  const bucket = BUCKETS.get(pipeline.bucket)
  if (bucket === undefined) {
    throw new QueryError(
      `failed to initialize execute state: could not find bucket ${JSON.stringify(pipeline.bucket)}`,
    )
  }
  const { model, profile, now } = evaluation
  // Real systems have a clock with nanoseconds.
  const nanoseconds = mix(mix(model.key, FRACTION), now) % NANOSECONDS
  const isDefective =
    PROFILES[profile].query.rangeDefect && !pipeline.rest.some(({ name }) => name === 'last')
  const series = seriesOf(bucket, evaluation)
  return evaluateSeries(pipeline, { seconds: now, nanoseconds }, series, ({ points, type }, window) => {
    const { first, last } = boundsOf(bucket, window, evaluation)
    return isDefective ? runningTotals(points(first - DEFECT_SECONDS, last), type) : points(first, last)
  })
}

/**
 * @param pointsOf the points of a series in a window
 * @throws QueryError 500 for an empty range, and tables that cannot be merged
 */
export function evaluateSeries<Series extends Pick<Table, 'columns' | 'type'>>(
  pipeline: Pipeline,
  now: Instant,
  series: Iterable<Series>,
  pointsOf: (one: Series, window: Window) => readonly Point[],
): QueryResult {
  const window = windowOf(pipeline.range, now)
  const tables: Table[] = []
  for (const one of series) {
    const { columns, type } = one
    if (!pipeline.filters.every((accepts) => accepts(columns))) continue
    const points = pointsOf(one, window)
    if (points.length > 0) tables.push({ columns, type, points })
  }
  const set: TableSet = { pointColumns: POINT_COLUMNS, tables: sortTables(tables) }
  return { ...window, ...pipeline.rest.reduce(applyOperation, set) }
}

export interface Window {
  readonly start: Instant
  readonly stop: Instant
}

function windowOf({ start, stop }: FluxRange, now: Instant): Window {
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

/** Times of the points in `[start, stop)` that are visible and not yet deleted. */
function boundsOf(bucket: Bucket, { start, stop }: Window, evaluation: Evaluation) {
  const { now, settings, maxPoints } = evaluation
  const delaySeconds = bucket.delaySeconds + Math.floor(Number(settings['stale-points'] ?? 0))
  const first = Math.max(ceilOf(start), now - bucket.retentionSeconds)
  const last = Math.min(ceilOf(stop) - 1, now - delaySeconds)
  if ((last - first) / intervalOf(settings) > maxPoints) {
    throw new QueryError(`the range has more than ${maxPoints} points of a series`)
  }
  return { first, last }
}

export function ceilOf({ seconds, nanoseconds }: Instant): number {
  return nanoseconds === 0 ? seconds : seconds + 1
}

function runningTotals(points: readonly Point[], type: ValueType): Point[] {
  let total = 0
  return points.map(({ time, value }) => {
    total += Number(value)
    return { time, value: valueText(total, type) }
  })
}

/** The exporter reads all but `monitoring_vdc`, which other clients read. */
const BUCKETS: ReadonlyMap<string, Bucket> = new Map([
  ['monitoring_op', MONITORING_OP],
  ['monitoring_main', MONITORING_MAIN],
  ['monitoring_last', MONITORING_LAST],
  ['monitoring_vdc', MONITORING_VDC],
])
