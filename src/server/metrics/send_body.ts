import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'koa'
import { FORMATS, type Format } from '../../metrics/lines.ts'
import type { ResponseSlot } from '../response_slots.ts'

/** How an exposition is sent. */
interface SentBody {
  readonly format: Format
  readonly isGzip: boolean
  /** Length of all chunks. */
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
