import querystring from 'node:querystring'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context, Middleware, Next } from 'koa'
import { parsedJson } from '../../text.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { type EmulatedOperation, operationOf, routesOf } from '../http/routes.ts'
import type { Pool } from '../model/topology.ts'
import { formatOf, isObject } from '../protocol/format.ts'
import { RAW } from './json.ts'
import type { FullResponse } from './responses.ts'
import { FAULTS, type Fault, type FaultRow } from './table.ts'

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
    const ofPool = querystring.unescape(routesOf(context.path)[0]?.parameters[0] ?? '')
    const active = faults.take(operation, ofPool)
    const now = Math.floor(clock() / MS_PER_SECOND)
    const date = active.reduce((t, { row, argument }) => row.date?.(t, argument) ?? t, now)
    context.set('Date', new Date(date * MS_PER_SECOND).toUTCString())
    context.state['now'] = active.reduce((t, one) => one.row.clock?.(t, one.argument, one.since) ?? t, date)
    context.state['settings'] = Object.fromEntries(active.map(({ name, argument }) => [name, argument]))
    const isUnchanged = ({ row }: ActiveFault) => !(row.respond || row.json || row.response || row.send)
    if (active.every(isUnchanged)) return next()
    const response = await changedResponse(active, context, next)
    const sender = active.find(({ row }) => row.send)
    if (sender === undefined) return writeResponse(context, response)
    context.respond = false
    const closed = new AbortController()
    context.res.once('close', () => closed.abort())
    const signal = AbortSignal.any([closed.signal, stopping()])
    const sent = sender.row.send?.({ response, output: context.res, signal }, sender.argument)
    // When the client closes the connection or the emulator stops, an error has no receiver.
    await sent?.catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

/** The response, changed by all faults except those that send it. */
async function changedResponse(
  active: readonly ActiveFault[],
  context: Context,
  next: Next,
): Promise<FullResponse> {
  const responder = active.find(({ row }) => row.respond)
  const request = { url: context.originalUrl, format: formatOf(context) }
  if (responder === undefined) await next()
  let response = responder?.row.respond?.(responder.argument, request) ?? (await readResponse(context))
  context.status = response.status
  for (const { row, argument } of active)
    if (row.json !== undefined) response = withJson(response, row.json, argument)
  for (const { row, argument } of active) {
    const { body = response.body, headers = {} } = row.response?.(response.body, argument) ?? {}
    // Lowercase, as in a complete response, so that no header is sent twice.
    const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    response = { ...response, body, headers: { ...response.headers, ...Object.fromEntries(added) } }
  }
  return response
}

/** Changes the JSON of a successful response. Any other body, such as that of another fault, stays unchanged. */
function withJson(
  response: FullResponse,
  change: NonNullable<FaultRow['json']>,
  argument: string,
): FullResponse {
  const root = parsedJson(response.body.toString())
  if (!isObject(root) || response.status !== 200) return response
  const text = JSON.stringify(change(root, argument)).replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1')
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

interface ActiveFault extends Fault {
  readonly row: FaultRow
  /** Time of activation, in epoch seconds. */
  readonly since: number
  left: number
}

export type NamedPool = Pick<Pool, 'id' | 'uuid' | 'name'>

export function createFaults(
  pools: readonly NamedPool[],
  now: () => number,
  limitTokenUses: (uses: number | undefined) => void,
) {
  let active: ActiveFault[] = []
  const find = (text: string) => pools.find(({ id, uuid, name }) => [id, uuid, name].includes(text))
  return {
    set: (faults: readonly Fault[]): void => {
      const missing = faults.find(({ pool }) => pool !== undefined && find(pool) === undefined)?.pool
      if (missing !== undefined) {
        const names = pools.map(({ name }) => name).join(', ')
        throw new RangeError(`There is no pool "${missing}". Pools are: ${names}.`)
      }
      active = faults.map((fault) => {
        const { name, first: left = Number.POSITIVE_INFINITY } = fault
        return { ...fault, row: FAULTS[name], since: now(), left }
      })
      const limited = active.find(({ row }) => row.tokens)
      limitTokenUses(limited?.row.tokens?.(limited.argument))
    },
    /** The faults that apply to this request; counts the request for `first=`. */
    take: (requested: EmulatedOperation, ofPool: string): readonly ActiveFault[] => {
      const found = active.filter(({ left, row, operation, pool }) => {
        const covered = operation === undefined ? row.operations : [operation]
        const isCovered = covered === undefined || covered.includes(requested)
        return left > 0 && isCovered && (pool === undefined || find(pool) === find(ofPool))
      })
      for (const entry of found) entry.left--
      return found
    },
  }
}
