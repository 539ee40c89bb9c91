import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'koa'
import Negotiator from 'negotiator'
import { type Exposition, endGzip } from '../../metrics/exposition.ts'
import { type Body, FORMATS, type Format } from '../../metrics/lines.ts'
import { BoundedMap, oncePerKey } from '../../values/cache.ts'
import type { HeldExposition, ResponseSlot, ResponseSlots } from '../response_slots.ts'

interface ExpositionResponse extends HeldExposition {
  readonly exposition: Exposition
  /** What follows the exposition. */
  readonly tailOf: (format: Format) => Buffer | Promise<Buffer>
}

/** Sends an exposition in the form that the client accepts; 503 if too many responses are in flight. */
export type SendExposition = (context: Context, response: ExpositionResponse) => Promise<void>

/** Scrapers send few different headers. Reading `Accept` takes a tenth of the CPU time of a gzip scrape. */
const KEPT_HEADERS = 20

export function createSendExposition(slots: ResponseSlots, sendBody: SendBody): SendExposition {
  const complete = createCompletion()
  const formatOf = oncePerKey(chooseFormat, new BoundedMap(KEPT_HEADERS))
  const isGzipOf = oncePerKey(acceptsGzip, new BoundedMap(KEPT_HEADERS))
  return async (context, response) => {
    const { res } = context
    const { exposition, tailOf } = response
    const slot = slots.take(res, response)
    const { accept = '', 'accept-encoding': encodings = '' } = context.req.headers
    const format = formatOf(accept)
    const isGzip = isGzipOf(encodings)
    const tail = await tailOf(format)
    if (res.destroyed) return
    const body = await exposition.body(isGzip ? `gzip ${format}` : `identity ${format}`)
    if (res.destroyed) return
    await sendBody(context, slot, { format, isGzip, ...complete(body, tail, isGzip) })
  }
}

interface Complete {
  readonly tail: Buffer
  readonly bytes: number
  readonly chunks: readonly Buffer[]
}

/** A body with its tail, in one chunk if it is small. Kept with the body, because most scrapers come at the same time. */
function createCompletion() {
  const kept = new WeakMap<Body, Complete>()
  return (body: Body, tail: Buffer, isGzip: boolean): Complete => {
    const last = kept.get(body)
    if (last?.tail === tail) return last
    const chunks = isGzip ? endGzip(body, tail) : [...body.pieces, tail]
    const bytes = chunks.reduce((total, chunk) => total + chunk.length, 0)
    const complete = { tail, bytes, chunks: bytes > PIECE_BYTES ? chunks : [Buffer.concat(chunks, bytes)] }
    kept.set(body, complete)
    return complete
  }
}

interface SentBody {
  readonly format: Format
  readonly isGzip: boolean
  readonly bytes: number
  readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer>
}

/** Sends an exposition in pieces, so that a client that does not read uses no CPU time and little memory. */
export type SendBody = (context: Context, slot: ResponseSlot, body: SentBody) => Promise<void>

/** More than a compressed exposition of 640 nodes. TLS keeps what it has encrypted and cannot send. */
export const PIECE_BYTES = 512 * 1024
/**
 * A plain socket keeps only references, and the kernel copies no more than its buffer, at most 4 MB by default, in about a
 * millisecond. More than the exposition of 640 nodes, which is passed to the kernel at once.
 */
const PLAIN_PIECE_BYTES = 16 * PIECE_BYTES

/** @returns a function for all responses of a listener, which share the turns */
export function createSendBody(): SendBody {
  const turn = separateTurns()
  return async ({ method, res }, slot, { format, isGzip, bytes, chunks }) => {
    res.setHeader('Content-Type', FORMATS[format])
    res.setHeader('Vary', 'Accept, Accept-Encoding')
    if (isGzip) res.setHeader('Content-Encoding', 'gzip')
    res.setHeader('Content-Length', bytes)
    res.statusCode = 200
    if (method !== 'HEAD') await writePieces(res, chunks, slot, turn)
    res.end()
  }
}

/**
 * After each piece, waits until the client has accepted it and for a turn of the event loop that no other response uses:
 * the kernel copies megabytes for a client that does not read, and a listener accepts only one connection in each turn.
 */
async function writePieces(
  response: ServerResponse,
  chunks: SentBody['chunks'],
  slot: ResponseSlot,
  turn: Turn,
): Promise<void> {
  const { socket } = response
  const limit = socket !== null && 'encrypted' in socket ? PIECE_BYTES : PLAIN_PIECE_BYTES
  let pieceBytes = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += limit) {
      if (response.destroyed) return
      if (pieceBytes >= limit) {
        if (response.writableNeedDrain) await drained(response)
        await turn()
        slot.progress()
        pieceBytes = 0
      }
      const part = chunk.subarray(start, start + limit)
      response.write(part)
      pieceBytes += part.length
    }
  }
}

/** Resolves when the client has accepted what was written, or has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}

type Turn = () => Promise<void>

/** Each call resolves in a later turn of the event loop than the one before. */
function separateTurns(): Turn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}

/** Prometheus 3 adds it; no name here has a character that would be escaped. */
const ESCAPING = /;\s*escaping=[^;,]*/gi

/** The format with the highest quality; text if both match the same wildcard, and for anything else. */
export function chooseFormat(accept = ''): Format {
  const negotiator = new Negotiator({ headers: { accept: accept.replace(ESCAPING, '') } })
  return negotiator.mediaType(Object.values(FORMATS)) === FORMATS.openmetrics ? 'openmetrics' : 'text'
}

/** Whether the client accepts gzip, by name or by `*`, with a quality above 0. */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  return negotiator.encoding(['gzip']) !== undefined
}
