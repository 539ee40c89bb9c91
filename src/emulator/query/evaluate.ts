import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { mix } from '../model/random.ts'
import { QueryError } from '../protocol/errors.ts'
import { PROFILES } from '../protocol/profiles.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { BUCKETS } from './buckets.ts'
import type { FluxOperation, FluxQuery, FluxRange, Instant } from './flux.ts'
import { type Bucket, intervalOf, type SeriesPoint, seriesOf, type ValueType, valueText } from './series.ts'

/** Points of one or several series that have the same group key. */
export interface GroupTable {
  /** The group key: `_field`, `_measurement` and tags. */
  readonly columns: Readonly<Record<string, string>>
  readonly type: ValueType
  readonly points: readonly SeriesPoint[]
}

/** Columns that every point has; `keep` and `drop` may remove them. */
export const POINT_COLUMNS = ['_start', '_stop', '_time', '_value'] as const
type PointColumn = (typeof POINT_COLUMNS)[number]

interface TableSet {
  readonly pointColumns: readonly PointColumn[]
  /** Sorted by the text of the group key. */
  readonly tables: readonly GroupTable[]
}
type QueryWindow = Readonly<Record<'start' | 'stop', Instant>>
export interface QueryResult extends TableSet, QueryWindow {}

const NANOSECONDS = 1_000_000_000
const FRACTION = 73
/** Versions 3.7 and 3.8.0 return points before the window, too, and running totals in place of values. */
const DEFECT_SECONDS = 2 * STATISTICS_INTERVAL_SECONDS

/** @throws QueryError 500 for an unknown bucket, an empty range, and tables that cannot be merged */
export function evaluate(query: FluxQuery, request: ResourceRequest): QueryResult {
  const bucket = BUCKETS.get(query.bucket)
  if (bucket === undefined) {
    throw new QueryError(
      `failed to initialize execute state: could not find bucket ${JSON.stringify(query.bucket)}`,
    )
  }
  const { model, profile, now } = request
  // Real systems have a clock with nanoseconds.
  const nanoseconds = mix(mix(model.key, FRACTION), now) % NANOSECONDS
  const isDefective =
    PROFILES[profile].flux === 'v3-defect' && !query.rest.some(({ name }) => name === 'last')
  const series = seriesOf(bucket, request)
  return evaluateSeries(query, { seconds: now, nanoseconds }, series, ({ points, type }, window) => {
    const { first, last } = boundsOf(bucket, window, request)
    return isDefective ? runningTotals(points(first - DEFECT_SECONDS, last), type) : points(first, last)
  })
}

/**
 * @param pointsOf the points of a series in a window
 * @throws QueryError 500 for an empty range, and tables that cannot be merged
 */
export function evaluateSeries<Series extends Pick<GroupTable, 'columns' | 'type'>>(
  query: FluxQuery,
  now: Instant,
  series: Iterable<Series>,
  pointsOf: (one: Series, window: QueryWindow) => readonly SeriesPoint[],
): QueryResult {
  const window = windowOf(query.range, now)
  const tables: GroupTable[] = []
  for (const one of series) {
    const { columns, type } = one
    if (!query.filters.every((accepts) => accepts(columns))) continue
    const points = pointsOf(one, window)
    if (points.length > 0) tables.push({ columns, type, points })
  }
  const set: TableSet = { pointColumns: POINT_COLUMNS, tables: sorted(tables) }
  return { ...window, ...query.rest.reduce(applyOperation, set) }
}

function windowOf({ start, stop }: FluxRange, now: Instant): QueryWindow {
  const instantOf = (time: FluxRange['start']): Instant =>
    'absolute' in time ? time.absolute : { ...now, seconds: now.seconds + time.relativeSeconds }
  const window = { start: instantOf(start), stop: instantOf(stop) }
  const seconds = window.start.seconds - window.stop.seconds
  if (seconds < 0 || (seconds === 0 && window.start.nanoseconds < window.stop.nanoseconds)) return window
  throw new QueryError('error in building plan while starting program: cannot query an empty range')
}

/** Times of the points in `[start, stop)` that are visible and not yet deleted. */
function boundsOf(bucket: Bucket, { start, stop }: QueryWindow, request: ResourceRequest) {
  const { now, settings, maxPoints } = request
  const delaySeconds = bucket.delaySeconds + Math.floor(Number(settings['stale-points'] ?? 0))
  const first = Math.max(ceilOf(start), now - bucket.retentionSeconds)
  const last = Math.min(ceilOf(stop) - 1, now - delaySeconds)
  if ((last - first) / intervalOf(settings) > maxPoints)
    throw new QueryError(`the range has more than ${maxPoints} points of a series`)
  return { first, last }
}

export function ceilOf({ seconds, nanoseconds }: Instant): number {
  return nanoseconds === 0 ? seconds : seconds + 1
}

function runningTotals(points: readonly SeriesPoint[], type: ValueType): SeriesPoint[] {
  let total = 0
  return points.map(({ time, value }) => {
    total += Number(value)
    return { time, value: valueText(total, type) }
  })
}

/** @throws QueryError 500 for tables that cannot be merged */
function applyOperation(set: TableSet, operation: FluxOperation): TableSet {
  switch (operation.name) {
    case 'filter':
      return { ...set, tables: set.tables.filter(({ columns }) => operation.accepts(columns)) }
    case 'last':
      return { ...set, tables: set.tables.map((table) => ({ ...table, points: table.points.slice(-1) })) }
    case 'keep':
      return withColumns(set, (name) => operation.columns.includes(name))
    case 'drop':
      return withColumns(set, (name) => !operation.columns.includes(name))
  }
}

/** Tables that get the same group key become one, whose points follow each other. */
function withColumns({ pointColumns, tables }: TableSet, isKept: (name: string) => boolean): TableSet {
  const merged = new Map<string, GroupTable & { readonly points: SeriesPoint[] }>()
  for (const { columns: all, type, points } of tables) {
    const columns = Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)))
    const names = columnNames(columns).map((name) => `${name}=${columns[name]}`)
    const key = names.join('\u0000')
    const table = merged.get(key) ?? { columns, type, points: [] }
    if (table.type !== type) {
      const groupKey = `{${names.join(',')}}`
      throw new QueryError(
        `requested operation merges tables with different schemas for group key ${groupKey}`,
      )
    }
    table.points.push(...points)
    merged.set(key, table)
  }
  return { pointColumns: pointColumns.filter(isKept), tables: sorted([...merged.values()]) }
}

/** In the order in which columns are served: `_field`, `_measurement`, then the tags. */
export function columnNames(columns: GroupTable['columns']): string[] {
  return Object.keys(columns).sort()
}

function sorted(tables: readonly GroupTable[]): GroupTable[] {
  const keyOf = ({ columns }: GroupTable) =>
    columnNames(columns)
      .map((name) => columns[name])
      .join('\u0000')
  return tables
    .map((table) => ({ table, key: keyOf(table) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ table }) => table)
}
