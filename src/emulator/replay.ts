import { unescape as unescaped } from 'node:querystring'
import { isDeepStrictEqual } from 'node:util'
import { QUERY_PATH } from '../query_catalogue.ts'
import type { RecordedExchange, Recording } from '../recording/format.ts'
import { shiftTimes } from '../recording/times.ts'
import { parsedJson } from '../text.ts'
import { MS_PER_SECOND } from '../time_units.ts'
import { createSystemServer } from './emulator.ts'
import type { Service } from './http/app.ts'
import {
  type AuthorizedRequest,
  operationOf,
  type RoutedOperation,
  type RouteResponse,
  SESSION_ROUTES,
} from './http/routes.ts'
import { createSessions } from './http/sessions.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { EmulatedError } from './protocol/errors.ts'
import { isObject, type JsonObject } from './protocol/format.ts'
import { evaluateSeries, type GroupTable, jsonOf, POINT_COLUMNS, scriptOf } from './query/evaluate.ts'
import { parseFlux } from './query/flux.ts'
import type { SeriesPoint } from './query/series.ts'

/** A storage system that serves a recording. */
export type Replay = ReturnType<typeof createReplay>

/**
 * Login and roles are those of the emulator. What was not recorded is refused with 404. Options that describe the system
 * have no effect.
 * @throws RangeError for invalid options
 */
export function createReplay(recording: Recording, options: EmulatorOptions = {}) {
  const settings = resolveOptions(options)
  const sessions = createSessions(settings.clock)
  const pools = poolsIn(recording)
  const answer = createResponder(recording)
  const handle: Service['handle'] = ({ operation }, request) => {
    const own = Object.entries(SESSION_ROUTES).find(([name]) => name === operation)?.[1]
    return own === undefined ? answer(operation, request) : own.handle(request)
  }
  const server = createSystemServer({ settings, pools, sessions, handle, redirectsToLogin: true })
  return Object.assign(server, { pools: pools.map(({ id, name }) => ({ id, name, nodes: [] })) })
}

function poolsIn({ exchanges }: Recording) {
  const lists = exchanges
    .filter(({ request, status }) => request.operation === 'pools' && status === 200)
    .flatMap(({ body }) => entriesOf(body))
  const pools = lists.flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ id, uuid: id.replace(/^.*:/, ''), name: String(name ?? id) }] : [],
  )
  return [...new Map(pools.map((pool) => [pool.id, pool])).values()]
}

function entriesOf(body: unknown): JsonObject[] {
  if (!isObject(body)) return []
  const embedded = isObject(body['_embedded']) ? body['_embedded'] : body
  return [embedded['_instances'], embedded['instances'], embedded['varray']].flat().filter(isObject)
}

/** Parameters without an effect on which recorded answer is meant. */
const IGNORED = new Set('limit dataType startTime endTime interval cfTimeFrame cfTarget'.split(' '))

/** Answers requests from a recording. @throws EmulatedError 404 for a request that was not recorded */
function createResponder({ exchanges }: Recording) {
  const answerQuery = createQueryResponder(exchanges.filter(({ request }) => request.path === QUERY_PATH))
  const byPath = Map.groupBy(exchanges, ({ request }) => `${request.method} ${pathKey(request.path)}`)

  return (operation: RoutedOperation, request: AuthorizedRequest): RouteResponse => {
    const { context, body, now } = request
    if (operation === 'query') return answerQuery(request)
    const { method, path, querystring, originalUrl } = context
    const feed = operation === 'nodes' ? operationOf('GET', path, querystring) : undefined
    const meant = (byPath.get(`${method === 'HEAD' ? 'GET' : method} ${pathKey(path)}`) ?? []).filter(
      (one) =>
        (feed === undefined || one.request.operation === feed) &&
        parametersKey(one.request.query) === parametersKey(querystring) &&
        sameBody(one, body),
    )
    const frame = timeFrameOf(querystring)
    const exchange = meant.find((one) => timeFrameOf(one.request.query) === frame) ?? meant[0]
    if (exchange === undefined)
      throw new EmulatedError('notFound', `The recording has no answer to ${method} ${originalUrl}`)
    // A history is moved by whole intervals, so that its points stay on the grid. It is served whole.
    const interval = feed === 'history' ? intervalOf(exchange.request.query) : 1
    const seconds = Math.floor((now - exchange.at) / interval) * interval
    return responseOf(exchange, request, shiftTimes(exchange.body, seconds))
  }
}

/** The path without encoding and suffix. */
function pathKey(path: string): string {
  return unescaped(path.replace(/(\.json)?\/?$/, ''))
}

function parametersKey(query = ''): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => !IGNORED.has(name))
  return pairs
    .map((pair) => pair.join('='))
    .sort()
    .join('&')
}

/** Recorded forecasts of another time frame are given where those of the requested one are missing. */
function timeFrameOf(query = ''): string | undefined {
  return new URLSearchParams(query).get('cfTimeFrame')?.replaceAll(/[{}]/g, '')
}

/** The interval of a history in seconds; 1 without a valid one. */
function intervalOf(query = ''): number {
  const interval = Number(new URLSearchParams(query).get('interval'))
  return Number.isInteger(interval) && interval > 0 ? interval : 1
}

function sameBody({ request }: RecordedExchange, body: string): boolean {
  return request.body === undefined ? body === '' : isDeepStrictEqual(request.body, parsedJson(body))
}

/** Media type and text of a body, by its format. */
const BODIES = {
  json: ['application/json', JSON.stringify],
  xml: ['application/xml', String],
  html: ['text/html', () => '<!DOCTYPE html><html></html>'],
  text: ['text/plain', () => 'text that was not recorded'],
  empty: ['text/plain', () => ''],
} as const satisfies Record<string, readonly [mediaType: string, textOf: (body: unknown) => string]>

/** The recorded answer, with another body: that with its times moved. */
function responseOf(
  { status, format = 'empty', failure }: RecordedExchange,
  { context }: Pick<AuthorizedRequest, 'context'>,
  body: unknown,
): RouteResponse {
  // There was no whole answer: the connection breaks.
  if (failure !== undefined) context.req.socket.destroy()
  const [mediaType, textOf] = BODIES[format]
  return { status: status ?? 500, text: [textOf(body)], long: false, mediaType }
}

/**
 * Times of queries are moved by whole steps: the points of different answers keep one grid, and a point has the same
 * time in requests that follow each other.
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
function createQueryResponder(
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
    const query = parseFlux(script, settings, now)
    const ofBucket = answered.filter((one) => one.bucket === query.bucket)
    const sameFilters = ofBucket.filter(({ filters }) => filters === filtersIn(script))
    const series = seriesIn(sameFilters.length > 0 ? sameFilters : ofBucket, now)
    let isKnown = false
    const { start, stop } = query.range
    const result = evaluateSeries(query, series, ({ points }) => {
      isKnown = true
      return points.filter(({ time }) => time >= start && time < stop)
    })
    return isKnown ? { text: jsonOf(result), long: false } : notRecorded()
  }
}

/** Answers that came together get the time of the last one: no point may be later than now. */
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
    text: [JSON.stringify({ error })],
    long: false,
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
  const parts = script.split('|>').map((part) => part.trim())
  return parts.filter((part) => part.startsWith('filter')).join()
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
      const time = Math.floor(Date.parse(row['_time'] ?? '') / MS_PER_SECOND)
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
