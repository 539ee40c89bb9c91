import { unescape as unescaped } from 'node:querystring'
import { QUERY_PATH } from '../../query_catalogue.ts'
import type { RecordedExchange, Recording } from '../../recording/format.ts'
import { shiftTimes } from '../../recording/times.ts'
import type { Service } from '../http/app.ts'
import {
  type AuthorizedRequest,
  operationOf,
  type RoutedOperation,
  type RouteResponse,
  SESSION_ROUTES,
} from '../http/routes.ts'
import { createSessions } from '../http/sessions.ts'
import { type EmulatorOptions, resolveOptions } from '../options.ts'
import { EmulatedError } from '../protocol/errors.ts'
import { isObject, type JsonObject, parsedJson } from '../protocol/format.ts'
import { createSystemServer } from '../server.ts'
import { historyIn, responseOf } from './answers.ts'
import { createQueryResponder } from './queries.ts'

/** A storage system that serves a recording. */
export type Replay = ReturnType<typeof createReplay>

/**
 * Login and roles are those of the emulator. What was not recorded is refused with 404. Options that describe the system
 * have no effect.
 * @throws RangeError for invalid options
 */
export function createReplay(recording: Recording, options: EmulatorOptions = {}) {
  const settings = resolveOptions(options)
  const sessions = createSessions(settings.clock, settings.lockOutMs)
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
  return [embedded['_instances'], embedded['instances'], embedded['varray']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject)
}

type Responder = (operation: RoutedOperation, request: AuthorizedRequest) => RouteResponse

/** Parameters without an effect on which recorded answer is meant. */
const IGNORED = new Set('limit dataType startTime endTime interval cfTimeFrame cfTarget'.split(' '))

/** Answers requests from a recording. @throws EmulatedError 404 for a request that was not recorded */
function createResponder({ exchanges }: Recording): Responder {
  const queries = exchanges.filter(({ request }) => request.path === QUERY_PATH)
  const answerQuery = createQueryResponder(queries)
  const byPath = Map.groupBy(exchanges, ({ request }) => `${request.method} ${pathKey(request.path)}`)

  return (operation, request) => {
    const { context, body, now } = request
    if (operation === 'query') return answerQuery(request)
    const { method, path, querystring, originalUrl } = context
    const feed = operation === 'nodes' ? operationOf('GET', path, querystring) : undefined
    const meant = (byPath.get(`${method === 'HEAD' ? 'GET' : method} ${pathKey(path)}`) ?? []).filter(
      (one) =>
        (feed === undefined || one.request.operation === feed) &&
        sameParameters(one.request.query, querystring) &&
        sameBody(one, body),
    )
    const frame = timeFrameOf(querystring)
    const exchange = meant.find((one) => timeFrameOf(one.request.query) === frame) ?? meant[0]
    if (exchange === undefined)
      throw new EmulatedError('notFound', `The recording has no answer to ${method} ${originalUrl}`)
    if (feed === 'history' && exchange.status === 200)
      return responseOf(exchange, request, historyIn(exchange, querystring, now))
    return responseOf(exchange, request, shiftTimes(exchange.body, now - exchange.at))
  }
}

/** The path without encoding and suffix. */
function pathKey(path: string): string {
  return unescaped(path.replace(/(\.json)?\/?$/, ''))
}

function sameParameters(recorded = '', requested: string): boolean {
  const keyOf = (query: string) =>
    [...new URLSearchParams(query)]
      .filter(([name]) => !IGNORED.has(name))
      .map((pair) => pair.join('='))
      .sort()
      .join('&')
  return keyOf(recorded) === keyOf(requested)
}

/** Recorded forecasts of another time frame are given where those of the requested one are missing. */
function timeFrameOf(query = ''): string | undefined {
  return new URLSearchParams(query).get('cfTimeFrame')?.replaceAll(/[{}]/g, '')
}

function sameBody({ request }: RecordedExchange, body: string): boolean {
  return request.body === undefined
    ? body === ''
    : JSON.stringify(request.body) === JSON.stringify(parsedJson(body))
}
