import type { Exposition } from '../../metrics/exposition.ts'
import { endGzip } from '../../metrics/gzip.ts'
import type { Body, Format } from '../../metrics/lines.ts'
import { sendRefusal } from '../auth/request_check.ts'
import { acceptsGzip, chooseFormat, keepResults } from './negotiation.ts'
import { type HttpExchange, PIECE_BYTES, type SendBody } from './pieces.ts'
import type { ScrapeSlot, ScrapeSlots, Shown } from './scrape_slots.ts'

interface ExpositionResponse extends Shown {
  readonly exposition: Exposition
  /** What follows the exposition. */
  readonly tailOf: (format: Format) => Buffer | Promise<Buffer>
}

/** Sends an exposition in the form that the client accepts; 503 if too many responses are in flight. */
export type SendExposition = (exchange: HttpExchange, response: ExpositionResponse) => Promise<void>

export function createSendExposition(slots: ScrapeSlots, sendBody: SendBody): SendExposition {
  const complete = createCompletion()
  const [formatOf, isGzipOf] = [keepResults(chooseFormat), keepResults(acceptsGzip)]
  return async (exchange, response) => {
    const { res } = exchange
    const { exposition, tailOf } = response
    const slot = takeSlot(res, slots, response)
    if (slot === undefined) return
    const { accept, 'accept-encoding': encodings } = exchange.req.headers
    const format = formatOf(accept)
    const isGzip = isGzipOf(encodings)
    const tail = await tailOf(format)
    if (res.destroyed) return
    const body = await exposition.body(isGzip ? `gzip ${format}` : `identity ${format}`)
    if (res.destroyed) return
    await sendBody(exchange, slot, { format, isGzip, ...complete(body, tail, isGzip) })
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

/** Undefined if the client has left, or all slots are in use; the latter gets a response. */
export function takeSlot(res: HttpExchange['res'], slots: ScrapeSlots, shown: Shown): ScrapeSlot | undefined {
  if (res.destroyed) return undefined
  const slot = slots.take(res, shown)
  if (slot === undefined) refuse(res, slots.maxRequests)
  return slot
}

/** The text of promhttp. */
export function refuse(res: HttpExchange['res'], maxRequests: number): void {
  sendRefusal(res, {
    status: 503,
    text: `Limit of concurrent requests reached (${maxRequests}), try again later.`,
  })
}
