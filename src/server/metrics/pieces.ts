import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { FORMATS, type Format } from '../../metrics/exposition.ts'
import { nextTurn } from '../../slices.ts'
import type { ScrapeSlot } from './scrape_slots.ts'

/** How an exposition is sent. */
export interface Body {
  readonly format: Format
  readonly isGzip: boolean
  /** Of all chunks. */
  readonly bytes: number
  readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer>
}

/** Sends an exposition in pieces, so that a client that does not read takes no turns and little memory. */
export type SendBody = (context: Context, slot: ScrapeSlot, body: Body) => Promise<void>

/** A socket copies what it cannot send, and TLS also what it encrypts; so one piece is written after the other. */
export const PIECE_BYTES = 64 * 1024
/** More than a compressed page of 640 nodes. */
const AT_ONCE_BYTES = 512 * 1024

/** @returns a function for all responses of a listener, which share the turns */
export function createSendBody(): SendBody {
  const turn = createTurns()
  return async (context, slot, { format, isGzip, bytes, chunks }) => {
    context.set('Content-Type', FORMATS[format])
    context.set('Vary', 'Accept, Accept-Encoding')
    if (isGzip) context.set('Content-Encoding', 'gzip')
    context.length = bytes
    await send(context, piecesOf(chunks, slot, turn))
  }
}

/** Bypasses Koa, which would copy the chunks into one buffer. */
async function send(context: Context, pieces: AsyncIterable<Buffer>): Promise<void> {
  context.respond = false
  const { res } = context
  res.statusCode = 200
  if (context.method === 'HEAD') res.end()
  else await pipeline(pieces, res)
}

/**
 * Of the pieces after the first 512 kB of all responses, one is sent in each turn of the event loop: the kernel copies
 * megabytes for a client that does not read, and a listener accepts only one connection in each turn.
 */
async function* piecesOf(chunks: Body['chunks'], slot: ScrapeSlot, turn: Turn): AsyncGenerator<Buffer> {
  let sentBytes = 0
  for await (const chunk of chunks) {
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
