import querystring from 'node:querystring'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context, Middleware, Next } from 'koa'
import { MS_PER_SECOND } from '../../time_units.ts'
import type { Pool } from '../model/topology.ts'
import { formatOf, isObject, parsedJson } from '../protocol/format.ts'
import { FEED_OPERATIONS, type Operation, operationOf, routesOf } from '../protocol/operations.ts'
import { SETTINGS, type Settings } from '../protocol/profiles.ts'
import type { FaultRequest, FaultRow, FeedDocument, FullResponse, JsonObject, QueryTable } from './fault.ts'
import { type Fault, rowOf } from './table.ts'

/**
 * Applies the active faults, and sets `context.state.now`, the time of the samples in epoch seconds, and
 * `context.state.settings`.
 *
 * @param clock milliseconds since the epoch
 * @param stopping aborted when the emulator stops
 */
export function faultMiddleware(
  faults: Faults,
  clock: () => number,
  stopping: () => AbortSignal,
): Middleware {
  return async (context, next) => {
    const { originalUrl: url, method, path } = context
    const operation = operationOf(method, path, context.querystring)
    const active = faults.take(operation, querystring.unescape(routesOf(path)[0]?.parameters[0] ?? ''))
    const now = Math.floor(clock() / MS_PER_SECOND)
    context.state['now'] = shiftedTime(active, now)
    context.state['settings'] = settingsOf(active)
    context.set('Date', new Date(shiftedTime(active, now, true) * MS_PER_SECOND).toUTCString())
    const changing = active.filter(
      ({ row }) => row.respond ?? row.feed ?? row.answer ?? row.response ?? row.send,
    )
    if (changing.length === 0) return next()
    const request = { operation, url, format: formatOf(context) }
    const response = await changedResponse(changing, context, next, request)
    const sender = changing.find(({ row }) => row.send !== undefined)
    if (sender === undefined) writeResponse(context, response)
    else await send(sender, context, response, stopping())
  }
}

/** When the client closes the connection or the emulator stops, an error has no receiver. */
async function send(
  { row, argument }: ActiveFault,
  context: Context,
  response: FullResponse,
  stopping: AbortSignal,
): Promise<void> {
  context.respond = false
  const closed = new AbortController()
  context.res.once('close', () => closed.abort())
  const signal = AbortSignal.any([closed.signal, stopping])
  await row.send?.({ response, output: context.res, signal }, argument).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** The response, changed by all faults except those that send it. */
async function changedResponse(
  faults: readonly ActiveFault[],
  context: Context,
  next: Next,
  request: FaultRequest,
): Promise<FullResponse> {
  const responder = faults.find(({ row }) => row.respond !== undefined)
  let response = responder?.row.respond?.(responder.argument, request)
  if (response === undefined) {
    await next()
    response = await readResponse(context)
  } else {
    context.status = response.status
  }
  for (const { row, argument } of faults) {
    const { feed, answer } = row
    if (feed !== undefined) response = changeFeed(response, (document) => feed(document, argument))
    if (answer !== undefined) response = changeTables(response, (series) => answer(series, argument))
  }
  for (const { row, argument } of faults) response = row.response?.(response, argument) ?? response
  return response
}

/** Changes a list of objects, or the only object. Any other body, such as that of another fault, stays unchanged. */
function changeFeed(
  response: FullResponse,
  change: (feed: FeedDocument) => string | undefined,
): FullResponse {
  const root = parsedJson(response.body.toString())
  if (!isObject(root) || response.status !== 200) return response
  const nodes = listIn(root) ?? (isObject(root['_embedded']) ? undefined : [root])
  if (nodes === undefined) return response
  return { ...response, body: Buffer.from(change({ root, nodes }) ?? JSON.stringify(root)) }
}

/** The first list of the document, of what it embeds, or of the element around it. */
function listIn(root: JsonObject): JsonObject[] | undefined {
  const containers = [root['_embedded'], root, ...Object.values(root)].filter(isObject)
  const lists = containers.flatMap((container) => Object.values(container)).filter(Array.isArray)
  return lists.find((list) => list.every(isObject))
}

/** Changes the answer to a query. Errors and answers without rows stay unchanged. */
function changeTables(response: FullResponse, change: (series: QueryTable) => QueryTable[]): FullResponse {
  const root = parsedJson(response.body.toString())
  const series = isObject(root) ? (root['Series'] as QueryTable[] | undefined) : undefined
  if (!Array.isArray(series) || series.some(({ Columns }) => Columns === null)) return response
  const changed = series.flatMap(change)
  const isEmpty = changed.every(({ Values }) => Values.length === 0)
  const document = { Series: isEmpty ? [{ Datatypes: null, Columns: null, Values: null }] : changed }
  return { ...response, body: Buffer.from(JSON.stringify(document)) }
}

async function readResponse(context: Context): Promise<FullResponse> {
  const headers = Object.fromEntries(
    Object.entries(context.response.headers)
      .filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding')
      .map(([name, value]) => [name, String(value)]),
  )
  const body = context.body as string | Readable | undefined
  return {
    status: context.status,
    headers,
    body: typeof body === 'object' ? await buffer(body) : Buffer.from(body ?? ''),
  }
}

function writeResponse(context: Context, response: FullResponse): void {
  context.status = response.status
  context.body = response.body
  // Koa adds a Content-Type for the body: only the headers of the response are sent.
  context.remove('Content-Type')
  context.set({ ...response.headers })
}

export type Faults = ReturnType<typeof createFaults>

interface ActiveFault {
  readonly row: FaultRow
  readonly argument: string
  /** Time of activation, in epoch seconds. */
  readonly since: number
}

export type NamedPool = Pick<Pool, 'id' | 'uuid' | 'name'>

export function createFaults(
  pools: readonly NamedPool[],
  now: () => number,
  limitTokenUses: (uses: number | undefined) => void,
) {
  let active: (ActiveFault & { fault: Fault; left: number })[] = []
  const appliesTo = (fault: Fault, operation: Operation, pool: string) =>
    coversOperation(fault, operation) &&
    (fault.pool === undefined || findPool(pools, fault.pool) === findPool(pools, pool))
  return {
    set: (faults: readonly Fault[]): void => {
      for (const { pool } of faults) if (pool !== undefined) checkPool(pools, pool)
      active = faults.map((fault) => ({
        fault,
        row: rowOf(fault.name),
        argument: fault.argument,
        since: now(),
        left: fault.first ?? Number.POSITIVE_INFINITY,
      }))
      const [uses] = active.flatMap(({ row, argument }) => row.tokenUses?.(argument) ?? [])
      limitTokenUses(uses)
    },
    /** The faults that apply to this request; counts the request for `first=`. */
    take: (operation: Operation, pool: string): readonly ActiveFault[] => {
      const found = active.filter(({ fault, left }) => left > 0 && appliesTo(fault, operation, pool))
      for (const entry of found) entry.left--
      return found
    },
  }
}

/** Without an operation, faults of the feed do not apply to the list of pools, which has the same structure. */
function coversOperation(fault: Fault, operation: Operation): boolean {
  if (fault.operation !== undefined) return fault.operation === operation
  const row = rowOf(fault.name)
  if (row.operation !== undefined) return row.operation === operation
  return row.feed === undefined || FEED_OPERATIONS.includes(operation)
}

function findPool(pools: readonly NamedPool[], text: string): NamedPool | undefined {
  return pools.find(({ id, uuid, name }) => id === text || uuid === text || name === text)
}

function checkPool(pools: readonly NamedPool[], text: string): void {
  if (findPool(pools, text) !== undefined) return
  throw new RangeError(`There is no pool "${text}". Pools are: ${pools.map(({ name }) => name).join(', ')}.`)
}

/** The time of the samples of this response, or of its Date header; epoch seconds. */
function shiftedTime(faults: readonly ActiveFault[], now: number, onlyDateHeader = false): number {
  const clocks = faults.filter(({ row }) => !onlyDateHeader || row.changesDateHeader)
  return clocks.reduce((time, { row, argument, since }) => row.clock?.(time, since, argument) ?? time, now)
}

function settingsOf(faults: readonly ActiveFault[]): Settings {
  const changes = faults.map(({ row, argument }) => row.settings?.(argument))
  return Object.assign({}, SETTINGS, ...changes)
}
