import { isDeepStrictEqual } from 'node:util'
import type { RecordedExchange } from '../../recording/format.ts'
import { shiftTimes } from '../../recording/times.ts'
import { type FeedRange, parseFeedQuery } from '../feed/query.ts'
import type { AuthorizedRequest, RouteResponse } from '../http/routes.ts'
import { isObject } from '../protocol/format.ts'

/** Media type and text of a body, by its format. */
const BODIES = {
  json: ['application/json', JSON.stringify],
  xml: ['application/xml', String],
  html: ['text/html', () => '<!DOCTYPE html><html></html>'],
  text: ['text/plain', () => 'text that was not recorded'],
  empty: ['text/plain', () => ''],
} as const satisfies Record<string, readonly [mediaType: string, textOf: (body: unknown) => string]>

/** The recorded answer, with another body: that with its times moved. */
export function responseOf(
  { status, format = 'empty', failure }: RecordedExchange,
  { context }: Pick<AuthorizedRequest, 'context'>,
  body: unknown,
): RouteResponse {
  // There was no whole answer: the connection breaks.
  if (failure !== undefined) context.req.socket.destroy()
  const [mediaType, textOf] = BODIES[format]
  return { status: status ?? 500, body: { text: [textOf(body)], long: false, mediaType } }
}

/** The requested part of a recorded history. Times are moved by whole intervals, so that points stay on the grid. */
export function historyIn(
  { request, at, body }: RecordedExchange,
  querystring: string,
  now: number,
): unknown {
  const recorded = Number(new URLSearchParams(request.query).get('interval') ?? 1)
  const interval = Number.isInteger(recorded) && recorded > 0 ? recorded : 1
  const { range } = parseFeedQuery(querystring, now, Number.POSITIVE_INFINITY)
  const seconds = Math.floor((now - at) / interval) * interval
  return partOf(shiftTimes(body, seconds), range, interval)
}

/** The points in the range, one in each interval. A series of which points are left out has no summary. */
function partOf(value: unknown, range: FeedRange, recorded: number): unknown {
  if (Array.isArray(value))
    return value.filter((item) => isIn(item, range, recorded)).map((item) => partOf(item, range, recorded))
  if (!isObject(value)) return value
  const part = new Map(Object.entries(value).map(([name, inner]) => [name, partOf(inner, range, recorded)]))
  for (const name of part.keys()) {
    const series = name.replace(/Summary$/, '')
    if (series !== name && !isDeepStrictEqual(part.get(series), value[series])) part.delete(name)
  }
  return Object.fromEntries(part)
}

function isIn(item: unknown, { start, end, interval }: FeedRange, recorded: number): boolean {
  const t = isObject(item) ? Number(item['t'] ?? Number.NaN) : Number.NaN
  if (!Number.isFinite(t)) return true
  return t >= start && t <= end && (interval <= recorded || t % interval < recorded)
}
