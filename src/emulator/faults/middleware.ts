import querystring from 'node:querystring'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context, Middleware, Next } from 'koa'
import { MS_PER_SECOND } from '../../time_units.ts'
import { type EmulatedOperation, operationOf, routesOf } from '../http/routes.ts'
import type { Pool } from '../model/topology.ts'
import { formatOf, isObject, type JsonObject, parsedJson } from '../protocol/format.ts'
import { RAW } from './json.ts'
import type { FaultRow, FullResponse, Kind, RowOf } from './kinds.ts'
import type { Fault } from './parse.ts'
import { FAULTS } from './table.ts'

/** Kinds that do not change the response itself. */
const BEFORE: readonly Kind[] = ['clock', 'date', 'tokens', 'setting']

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
    const operation = operationOf(context.method, context.path, context.querystring)
    const active = faults.take(
      operation,
      querystring.unescape(routesOf(context.path)[0]?.parameters[0] ?? ''),
    )
    const now = Math.floor(clock() / MS_PER_SECOND)
    const [dates, clocks] = [ofKind(active, 'date'), ofKind(active, 'clock')]
    const date = dates.reduce((time, { row, argument }) => row.change(time, argument), now)
    context.set('Date', new Date(date * MS_PER_SECOND).toUTCString())
    context.state['now'] = clocks.reduce((time, one) => one.row.change(time, one.argument, one.since), date)
    const settings = ofKind(active, 'setting').map(({ name, argument }) => [name, argument])
    context.state['settings'] = Object.fromEntries(settings)
    if (active.every(({ row }) => BEFORE.includes(row.kind))) return next()
    const response = await changedResponse(active, context, next)
    const [sender] = ofKind(active, 'send')
    if (sender === undefined) writeResponse(context, response)
    else await send(sender, context, response, stopping())
  }
}

/** When the client closes the connection or the emulator stops, an error has no receiver. */
async function send(
  { row, argument }: ActiveFault<'send'>,
  context: Context,
  response: FullResponse,
  stopping: AbortSignal,
): Promise<void> {
  context.respond = false
  const closed = new AbortController()
  context.res.once('close', () => closed.abort())
  const signal = AbortSignal.any([closed.signal, stopping])
  await row.change({ response, output: context.res, signal }, argument).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** The response, changed by all faults except those that send it. */
async function changedResponse(
  active: readonly ActiveFault[],
  context: Context,
  next: Next,
): Promise<FullResponse> {
  const [responder] = ofKind(active, 'respond')
  const request = { url: context.originalUrl, format: formatOf(context) }
  if (responder === undefined) await next()
  let response = responder?.row.change(responder.argument, request) ?? (await readResponse(context))
  context.status = response.status
  for (const { row, argument } of ofKind(active, 'json'))
    response = withJson(response, (root) => row.change(root, argument))
  for (const { row, argument } of ofKind(active, 'response')) {
    const { body = response.body, headers = {} } = row.change(response.body, argument)
    // Lowercase, as in a complete response, so that no header is sent twice.
    const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    response = { ...response, body, headers: { ...response.headers, ...Object.fromEntries(added) } }
  }
  return response
}

/** Changes the JSON of a successful response. Any other body, such as that of another fault, stays unchanged. */
function withJson(response: FullResponse, change: (root: JsonObject) => unknown): FullResponse {
  const root = parsedJson(response.body.toString())
  if (!isObject(root) || response.status !== 200) return response
  const text = JSON.stringify(change(root)).replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1')
  return { ...response, body: Buffer.from(text) }
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

interface ActiveFault<K extends Kind = Kind> {
  readonly name: string
  readonly row: K extends Kind ? RowOf<K> : never
  readonly argument: string
  /** Time of activation, in epoch seconds. */
  readonly since: number
}

function ofKind<K extends Kind>(active: readonly ActiveFault[], kind: K): readonly ActiveFault<K>[] {
  return active.filter((one): one is typeof one & ActiveFault<K> => one.row.kind === kind)
}

export type NamedPool = Pick<Pool, 'id' | 'uuid' | 'name'>

export function createFaults(
  pools: readonly NamedPool[],
  now: () => number,
  limitTokenUses: (uses: number | undefined) => void,
) {
  let active: (ActiveFault & { fault: Fault; left: number })[] = []
  const find = (text: string) => pools.find(({ id, uuid, name }) => [id, uuid, name].includes(text))
  const appliesTo = (fault: Fault, operation: EmulatedOperation, pool: string) =>
    coversOperation(fault, operation) && (fault.pool === undefined || find(fault.pool) === find(pool))
  return {
    set: (faults: readonly Fault[]): void => {
      const missing = faults.find(({ pool }) => pool !== undefined && find(pool) === undefined)?.pool
      if (missing !== undefined) {
        const names = pools.map(({ name }) => name).join(', ')
        throw new RangeError(`There is no pool "${missing}". Pools are: ${names}.`)
      }
      active = faults.map((fault) => {
        const { name, argument, first: left = Number.POSITIVE_INFINITY } = fault
        return { fault, name, row: FAULTS[name], argument, since: now(), left }
      })
      const [limit] = ofKind(active, 'tokens')
      limitTokenUses(limit?.row.change(limit.argument))
    },
    /** The faults that apply to this request; counts the request for `first=`. */
    take: (operation: EmulatedOperation, pool: string): readonly ActiveFault[] => {
      const found = active.filter(({ fault, left }) => left > 0 && appliesTo(fault, operation, pool))
      for (const entry of found) entry.left--
      return found
    },
  }
}

function coversOperation({ operation, name }: Fault, requested: EmulatedOperation): boolean {
  const { operations }: FaultRow = FAULTS[name]
  if (operation !== undefined) return operation === requested
  return operations === undefined || operations.includes(requested)
}
