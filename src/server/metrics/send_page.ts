import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { FORMATS, type Format } from '../../metrics/exposition.ts'
import { endGzip, type GzipTail } from '../../metrics/gzip.ts'
import type { Page } from '../../metrics/page.ts'
import { nextTurn } from '../../slices.ts'
import { acceptsGzip, chooseFormat } from './negotiation.ts'
import type { ScrapeSlot, ScrapeSlots, Shown } from './scrape_slots.ts'

export interface PageResponse extends Shown {
  readonly page: Page
  /** What follows the page. */
  readonly tailOf: (format: Format) => GzipTail | Promise<GzipTail>
}

/** Sends a page in the form that the client accepts; 503 if too many responses are in flight. */
export type SendPage = (context: Context, response: PageResponse) => Promise<void>

export function createSendPage(slots: ScrapeSlots): SendPage {
  const turn = createTurns()
  return async (context, response) => {
    const { page, tailOf } = response
    const slot = takeSlot(context, slots, response)
    if (slot === undefined) return
    const format = chooseFormat(context.get('Accept'))
    const gzip = acceptsGzip(context.get('Accept-Encoding'))
    const tail = await tailOf(format)
    if (context.res.destroyed) return
    await page.warm(gzip ? `gzip ${format}` : `identity ${format}`)
    const chunks = gzip ? endGzip(await page.gzip(format), tail) : [page.identity(format), tail.text]
    if (context.res.destroyed) return
    context.set('Content-Type', FORMATS[format])
    context.set('Vary', 'Accept, Accept-Encoding')
    if (gzip) context.set('Content-Encoding', 'gzip')
    context.length = chunks.reduce((total, chunk) => total + chunk.length, 0)
    await send(context, piecesOf(chunks, slot, turn))
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

/** Bypasses Koa, which would copy the chunks into one buffer. */
async function send(context: Context, pieces: AsyncIterable<Buffer>): Promise<void> {
  context.respond = false
  const { res } = context
  res.statusCode = 200
  if (context.method === 'HEAD') res.end()
  else await pipeline(pieces, res)
}

/** A socket copies what it cannot send, and TLS also what it encrypts; so one piece is written after the other. */
const PIECE_BYTES = 64 * 1024
/** More than a compressed page of 640 nodes. */
const AT_ONCE_BYTES = 512 * 1024

/**
 * Of the pieces after the first 512 kB of all responses, one is sent in each turn of the event loop: the kernel copies
 * megabytes for a client that does not read, and a listener accepts only one connection in each turn.
 */
async function* piecesOf(chunks: readonly Buffer[], slot: ScrapeSlot, turn: Turn): AsyncGenerator<Buffer> {
  let sentBytes = 0
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      if (sentBytes >= AT_ONCE_BYTES) await turn()
      const piece = chunk.subarray(start, start + PIECE_BYTES)
      yield piece
      sentBytes += piece.length
      slot.progress()
    }
  }
}

type Turn = () => Promise<void>

/** Each call resolves in a later turn of the event loop than the one before. */
function createTurns(): Turn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
