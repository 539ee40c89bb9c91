import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { FORMATS, type Format, OPENMETRICS_END } from '../../metrics/exposition.ts'
import { compressTail, endGzip, type GzipTail } from '../../metrics/gzip.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import { FAMILY_SEPARATOR, type Page } from '../../metrics/page.ts'
import { nextTurn } from '../../slices.ts'
import { acceptsGzip, chooseFormat } from './negotiation.ts'
import { createScrapeSlots, DEFAULT_MAX_REQUESTS, type ScrapeSlot } from './scrape_slots.ts'

export interface ScrapeSources {
  readonly page: () => Page
  readonly own: OwnMetrics
  /** Scrapes in flight; further ones are answered 503. 0: unlimited. Default: 20. */
  readonly maxRequests?: number | undefined
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/**
 * Handles `GET /metrics`: the prepared page, followed by the exporter's own metrics. The page is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape.
 */
export function createScrape(sources: ScrapeSources): (context: Context) => Promise<void> {
  const { page, own, maxRequests = DEFAULT_MAX_REQUESTS, now = () => performance.now() } = sources
  const slots = createScrapeSlots({ maxRequests, now })
  const tailOf = createTails(own)
  const turn = createTurns()
  return async (context) => {
    if (context.res.destroyed) return
    const shown = page()
    const slot = slots.take(context.res, shown)
    if (slot === undefined) return refuse(context, maxRequests)
    const format = chooseFormat(context.get('Accept'))
    const gzip = acceptsGzip(context.get('Accept-Encoding'))
    const tail = await tailOf(format)
    if (context.res.destroyed) return
    const chunks = gzip ? endGzip(await shown.gzip(format), tail) : [shown.identity(format), tail.text]
    if (context.res.destroyed) return
    context.set('Content-Type', FORMATS[format])
    context.set('Vary', 'Accept, Accept-Encoding')
    if (gzip) context.set('Content-Encoding', 'gzip')
    context.length = chunks.reduce((total, chunk) => total + chunk.length, 0)
    await send(context, piecesOf(chunks, slot, turn))
  }
}

/** The text of promhttp. */
function refuse(context: Context, maxRequests: number): void {
  context.status = 503
  context.body = `Limit of concurrent requests reached (${maxRequests}), try again later.\n`
}

/**
 * The exporter's own metrics at the end of the page. Scrapes at the same time share one rendering, and scrapes with the
 * same text one compression.
 */
function createTails(own: OwnMetrics): (format: Format) => Promise<GzipTail> {
  const tails = new Map<Format, GzipTail>()
  const rendering = new Map<Format, Promise<GzipTail>>()
  const render = async (format: Format) => {
    const text = Buffer.from(await tailText(own, format))
    const last = tails.get(format)
    const tail = last?.text.equals(text) ? last : compressTail(text)
    tails.set(format, tail)
    return tail
  }
  return (format) => {
    const shared = rendering.get(format) ?? render(format).finally(() => rendering.delete(format))
    rendering.set(format, shared)
    return shared
  }
}

async function tailText(own: OwnMetrics, format: Format): Promise<string> {
  const text = await own.render(format)
  return format === 'openmetrics' ? `${text}${OPENMETRICS_END}` : `${FAMILY_SEPARATOR[format]}${text}`
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
