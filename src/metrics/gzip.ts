import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'

/** The beginning of a gzip member, compressed once and ended later by {@link endGzip}. */
export interface GzipHead {
  readonly deflated: Buffer
  readonly crc: number
  /** Length of the text, in bytes. */
  readonly length: number
}

/** Magic number, method deflate, no flags, no time, no extra flags, unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER_BYTES = 8
/** The tail is small and compressed for every answer: speed counts more than its size. */
const TAIL_OPTIONS = { level: constants.Z_BEST_SPEED } as const

const deflate = promisify(deflateRaw)

/** Compresses the part of a body that stays the same for many answers, outside the event loop. */
export async function beginGzip(body: Buffer): Promise<GzipHead> {
  // A sync flush ends on a byte boundary without the final bit, so that another block may follow.
  const deflated = await deflate(body, { finishFlush: constants.Z_SYNC_FLUSH })
  return { deflated, crc: crc32(body), length: body.length }
}

/** The end of a gzip body: small, and good for as many answers as have the same tail. */
export interface GzipTail {
  readonly text: Buffer
  readonly deflated: Buffer
}

export function compressTail(text: Buffer): GzipTail {
  return { text, deflated: deflateRawSync(text, TAIL_OPTIONS) }
}

/**
 * Ends a gzip body with a tail that differs from answer to answer.
 * The result is one gzip member, because browsers stop reading after the first.
 */
export function endGzip(head: GzipHead, tail: GzipTail): Buffer[] {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(tail.text, head.crc), 0)
  trailer.writeUInt32LE((head.length + tail.text.length) >>> 0, 4)
  return [GZIP_HEADER, head.deflated, tail.deflated, trailer]
}
