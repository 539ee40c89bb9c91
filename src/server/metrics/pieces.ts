import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { FORMATS, type Format } from '../../metrics/lines.ts'
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

/**
 * A socket keeps what it cannot send, and TLS also what it has encrypted; so one piece is written after the other. A
 * piece is larger than a compressed exposition of 640 nodes.
 */
export const PIECE_BYTES = 512 * 1024

/** @returns a function for all responses of a listener, which share the turns */
export function createSendBody(): SendBody {
  const turn = createTurns()
  return async (context, slot, { format, isGzip, bytes, chunks }) => {
    context.set('Content-Type', FORMATS[format])
    context.set('Vary', 'Accept, Accept-Encoding')
    if (isGzip) context.set('Content-Encoding', 'gzip')
    context.length = bytes
    // Koa would copy the chunks into one buffer.
    context.respond = false
    context.res.statusCode = 200
    if (context.method !== 'HEAD') await writePieces(context.res, chunks, slot, turn)
    context.res.end()
  }
}

/**
 * After each piece, waits until the client has accepted it and for a turn of the event loop that no other response uses:
 * the kernel copies megabytes for a client that does not read, and a listener accepts only one connection in each turn.
 */
async function writePieces(
  response: ServerResponse,
  chunks: Body['chunks'],
  slot: ScrapeSlot,
  turn: Turn,
): Promise<void> {
  let pieceBytes = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      if (response.destroyed) return
      const part = chunk.subarray(start, start + PIECE_BYTES)
      response.write(part)
      pieceBytes += part.length
      if (pieceBytes < PIECE_BYTES) continue
      if (response.writableNeedDrain) await drained(response)
      await turn()
      slot.progress()
      pieceBytes = 0
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
function createTurns(): Turn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
