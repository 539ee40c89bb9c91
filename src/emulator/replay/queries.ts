import type { RecordedExchange } from '../../recording/format.ts'
import { shiftTimes } from '../../recording/times.ts'
import type { AuthorizedRequest, RouteResponse } from '../http/routes.ts'
import { EmulatedError } from '../protocol/errors.ts'
import { isObject } from '../protocol/format.ts'
import {
  ceilOf,
  evaluateSeries,
  type GroupTable,
  jsonOf,
  POINT_COLUMNS,
  scriptOf,
} from '../query/evaluate.ts'
import { parseFlux } from '../query/flux.ts'
import type { SeriesPoint } from '../query/series.ts'
import { responseOf } from './answers.ts'

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
    const ofBucket = answered.filter((one) => one.bucket === query.bucket)
    const sameFilters = ofBucket.filter(({ filters }) => filters === filtersIn(script))
    const series = seriesIn(sameFilters.length > 0 ? sameFilters : ofBucket, now)
    let isKnown = false
    const result = evaluateSeries(query, { seconds: now, nanoseconds: 0 }, series, ({ points }, window) => {
      isKnown = true
      const [start, stop] = [ceilOf(window.start), ceilOf(window.stop)]
      return points.filter(({ time }) => time >= start && time < stop)
    })
    return isKnown ? { body: { text: jsonOf(result), long: false } } : notRecorded()
  }
}

/**
 * Values are calculated from several answers, so those that came together get one time: that of the last, because no
 * point may be later than now.
 */
function onOneClock(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  let last = Number.POSITIVE_INFINITY
  return exchanges
    .toSorted((a, b) => b.at - a.at)
    .map((exchange) => {
      if (last - exchange.at > TOGETHER_SECONDS) last = exchange.at
      return { ...exchange, at: last }
    })
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

/** The series of answers, each point once, in the order of time. */
function seriesIn(sources: readonly RecordedQuery[], now: number): GroupTable[] {
  const tables = new Map<string, GroupTable & { readonly byTime: Map<number, SeriesPoint> }>()
  for (const { exchange } of sources)
    for (const row of rowsIn(shiftTimes(exchange.body, secondsTo(now, exchange)))) {
      const columns = Object.fromEntries(Object.entries(row).filter(([name]) => !ROW_COLUMNS.has(name)))
      const key = JSON.stringify(Object.entries(columns).sort())
      const table = tables.get(key) ?? { columns, type: 'double', points: [], byTime: new Map() }
      tables.set(key, table)
      const time = Math.floor(Date.parse(row['_time'] ?? '') / 1000)
      if (Number.isFinite(time)) table.byTime.set(time, { time, value: row['_value'] ?? '' })
    }
  const all = [...tables.values()].map(({ byTime, ...table }) => {
    return { ...table, points: [...byTime.values()].toSorted((a, b) => a.time - b.time) }
  })
  // Answers to combined queries lack columns: of a field, the series with all of its columns count.
  const ofField = Map.groupBy(all, ({ columns }) => `${columns['_measurement']} ${columns['_field']}`)
  const sizeOf = ({ columns }: GroupTable) => Object.keys(columns).length
  return [...ofField.values()].flatMap((group) => {
    const most = Math.max(...group.map(sizeOf))
    return group.filter((table) => sizeOf(table) === most)
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
