import type { RecordedExchange } from '../../recording/format.ts'
import { shiftTimes } from '../../recording/times.ts'
import type { AuthorizedRequest, RouteResponse } from '../http/routes.ts'
import { EmulatedError } from '../protocol/errors.ts'
import { isObject } from '../protocol/format.ts'
import { jsonOf, scriptOf } from '../query/endpoint.ts'
import { ceilOf, evaluateSeries, type GroupTable, POINT_COLUMNS } from '../query/evaluate.ts'
import { type FluxQuery, parseFlux } from '../query/flux.ts'
import { responseOf } from './response.ts'

/**
 * Times are moved by whole steps: the points of different answers keep one grid, and a point has the same time in
 * requests that follow each other.
 */
const STEP_SECONDS = 300
/** Answers that came within this time are moved together. More would make the oldest too old: old values are dropped. */
const TOGETHER_SECONDS = 300

type RecordedQuery = ReturnType<typeof recordedQuery>[number]

const RELATIVE_RANGE = /\|> range\(start: ?-/

/** What every table has beside its group key. */
const ROW_COLUMNS: ReadonlySet<string> = new Set(['table', ...POINT_COLUMNS])

/**
 * Answers queries. A query that was recorded gets its recorded answer, if its range is relative to now: the points are
 * moved, and times in the text of a query are not. Any other query is evaluated on the points of the recorded answers,
 * so that its window, its fields and the form of its filters may differ. A refusal holds for every range.
 */
export function createQueryResponder(
  exchanges: readonly RecordedExchange[],
): (request: AuthorizedRequest) => RouteResponse {
  const queries = onOneClock(exchanges).flatMap(recordedQuery)
  const answered = queries.filter(({ exchange }) => exchange.status === 200)

  return (request) => {
    const { context, body, now, settings } = request
    const script = normalized(scriptOf({ context, body }))
    const same = queries.find((query) =>
      query.exchange.status === 200
        ? query.script === script && (RELATIVE_RANGE.test(script) || secondsTo(now, query.exchange) === 0)
        : query.bucket === bucketIn(script) && query.filters === filtersIn(script),
    )
    // If no query was answered, the whole interface refuses queries.
    const exact = same ?? (answered.length === 0 ? queries[0] : undefined)
    if (exact !== undefined) {
      const { exchange } = exact
      return responseOf(exchange, request, shiftTimes(exchange.body, secondsTo(now, exchange)))
    }
    if (queries.length === 0) throw new EmulatedError('notFound', 'The recording has no answers to queries')
    const query = parseFlux(script, settings)
    const result = evaluate(query, sourcesOf(answered, query, script), now)
    return result ?? notRecorded()
  }
}

/**
 * Values are calculated from several answers, so those that came together get one time: that of the last, because no
 * point may be later than now.
 */
function onOneClock(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  let first = Number.NEGATIVE_INFINITY
  const times = exchanges.map(({ at }) => at).toSorted((a, b) => a - b)
  const together = Map.groupBy(times, (at) => {
    if (at - first > TOGETHER_SECONDS) first = at
    return first
  })
  const lastOf = new Map([...together.values()].flatMap((group) => group.map((at) => [at, group.at(-1)])))
  return exchanges.map((exchange) => ({ ...exchange, at: lastOf.get(exchange.at) ?? exchange.at }))
}

function secondsTo(now: number, { at }: RecordedExchange): number {
  return Math.floor((now - at) / STEP_SECONDS) * STEP_SECONDS
}

/** As old query services refuse a query. A 404 without the header would mean that there is no interface. */
function notRecorded(): RouteResponse {
  const error = 'the recording has no points of this query'
  return {
    status: 404,
    headers: { 'X-Influx-Error': error },
    body: { text: [JSON.stringify({ error })], long: false },
  }
}

function recordedQuery(exchange: RecordedExchange) {
  const { body } = exchange.request
  const text = isObject(body) ? body['query'] : undefined
  if (typeof text !== 'string') return []
  const script = normalized(text)
  return [{ exchange, script, bucket: bucketIn(script), filters: filtersIn(script) }]
}

function normalized(script: string): string {
  return script.replaceAll(/\s+/g, ' ').trim()
}

function bucketIn(script: string): string {
  return /^from\(bucket: ?"([^"]*)"\)/.exec(script)?.[1] ?? ''
}

function filtersIn(script: string): string {
  return script
    .split('|>')
    .map((part) => part.trim())
    .filter((part) => part.startsWith('filter'))
    .join()
}

/** The recorded answers with points for a query: those to the same filters, otherwise all of the bucket. */
function sourcesOf(
  answered: readonly RecordedQuery[],
  { bucket }: FluxQuery,
  script: string,
): readonly RecordedExchange[] {
  const ofBucket = answered.filter((one) => one.bucket === bucket)
  const same = ofBucket.filter(({ filters }) => filters === filtersIn(script))
  return (same.length > 0 ? same : ofBucket).map(({ exchange }) => exchange)
}

/** Undefined if no answer has a series of the query. */
function evaluate(
  query: FluxQuery,
  sources: readonly RecordedExchange[],
  now: number,
): RouteResponse | undefined {
  let isKnown = false
  const result = evaluateSeries(
    query,
    { seconds: now, nanoseconds: 0 },
    tablesIn(sources, now),
    ({ points }, { start, stop }) => {
      isKnown = true
      return points.filter(({ time }) => time >= ceilOf(start) && time < ceilOf(stop))
    },
  )
  if (!isKnown) return undefined
  return { body: { text: jsonOf(result), long: false } }
}

interface GrowingTable extends GroupTable {
  readonly points: { readonly time: number; readonly value: string }[]
}

/** The series of answers, each point once, in the order of time. */
function tablesIn(sources: readonly RecordedExchange[], now: number): GroupTable[] {
  const tables = new Map<string, GrowingTable>()
  for (const exchange of sources)
    for (const row of rowsIn(shiftTimes(exchange.body, secondsTo(now, exchange)))) {
      const columns = Object.fromEntries(Object.entries(row).filter(([name]) => !ROW_COLUMNS.has(name)))
      const key = JSON.stringify(Object.entries(columns).sort())
      const table = tables.get(key) ?? { columns, type: 'double', points: [] }
      tables.set(key, table)
      const time = Math.floor(Date.parse(row['_time'] ?? '') / 1000)
      if (Number.isFinite(time)) table.points.push({ time, value: row['_value'] ?? '' })
    }
  return withMostColumns([...tables.values()]).map((table) => ({ ...table, points: pointsOf(table) }))
}

function pointsOf({ points }: GrowingTable): GroupTable['points'] {
  const byTime = new Map(points.map((point) => [point.time, point]))
  return [...byTime.values()].toSorted((a, b) => a.time - b.time)
}

/** Answers to combined queries lack columns: of a field, the series with all of its columns count. */
function withMostColumns(tables: readonly GrowingTable[]): readonly GrowingTable[] {
  const ofField = Map.groupBy(tables, ({ columns }) => `${columns['_measurement']} ${columns['_field']}`)
  return [...ofField.values()].flatMap((group) => {
    const most = Math.max(...group.map(({ columns }) => Object.keys(columns).length))
    return group.filter(({ columns }) => Object.keys(columns).length === most)
  })
}

function rowsIn(body: unknown): Readonly<Record<string, string>>[] {
  const list = isObject(body) && Array.isArray(body['Series']) ? body['Series'].filter(isObject) : []
  return list.flatMap(({ Columns: names, Values: rows }) => {
    if (!Array.isArray(names) || !Array.isArray(rows)) return []
    return rows.filter(Array.isArray).map((row: readonly unknown[]) => {
      const cells = row.flatMap((cell, index): [string, string][] =>
        cell === null || names[index] === undefined ? [] : [[String(names[index]), String(cell)]],
      )
      return Object.fromEntries(cells)
    })
  })
}
