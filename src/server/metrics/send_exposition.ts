import type { Context } from 'koa'
import type { Exposition } from '../../metrics/exposition.ts'
import { endGzip, type GzipTail } from '../../metrics/gzip.ts'
import type { Format } from '../../metrics/lines.ts'
import { acceptsGzip, chooseFormat } from './negotiation.ts'
import type { SendBody } from './pieces.ts'
import type { ScrapeSlot, ScrapeSlots, Shown } from './scrape_slots.ts'

export interface ExpositionResponse extends Shown {
  readonly exposition: Exposition
  /** What follows the exposition. */
  readonly tailOf: (format: Format) => GzipTail | Promise<GzipTail>
}

/** Sends an exposition in the form that the client accepts; 503 if too many responses are in flight. */
export type SendExposition = (context: Context, response: ExpositionResponse) => Promise<void>

export function createSendExposition(slots: ScrapeSlots, sendBody: SendBody): SendExposition {
  return async (context, response) => {
    const { exposition, tailOf } = response
    const slot = takeSlot(context, slots, response)
    if (slot === undefined) return
    const format = chooseFormat(context.get('Accept'))
    const gzip = acceptsGzip(context.get('Accept-Encoding'))
    const tail = await tailOf(format)
    if (context.res.destroyed) return
    const body = await exposition.body(gzip ? `gzip ${format}` : `identity ${format}`)
    const chunks = gzip ? endGzip(body, tail) : [...body.pieces, tail.text]
    if (context.res.destroyed) return
    const bytes = chunks.reduce((total, chunk) => total + chunk.length, 0)
    await sendBody(context, slot, { format, isGzip: gzip, bytes, chunks })
  }
}

/** Undefined if the client has left, or all slots are in use, which is answered. */
export function takeSlot(context: Context, slots: ScrapeSlots, shown: Shown): ScrapeSlot | undefined {
  if (context.res.destroyed) return undefined
  const slot = slots.take(context.res, shown)
  if (slot === undefined) refuse(context, slots.maxRequests)
  return slot
}

/** The text of promhttp. */
export function refuse(context: Context, maxRequests: number): void {
  context.status = 503
  context.body = `Limit of concurrent requests reached (${maxRequests}), try again later.\n`
}
