import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'

/** The first part of a gzip member, compressed once; {@link endGzip} completes it. */
export interface GzipHead {
  readonly deflated: Buffer
  readonly crc: number
  /** Length of the text, in bytes. */
  readonly length: number
}

/** Magic number, method deflate, no flags, no time, no extra flags, unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER_BYTES = 8
/** The tail is small and compressed for each response, so speed is more important than size. */
const TAIL_OPTIONS = { level: constants.Z_BEST_SPEED } as const

const deflate = promisify(deflateRaw)

/** Compresses the part of a body that many responses share, outside the event loop. */
export async function beginGzip(body: Buffer): Promise<GzipHead> {
  // A sync flush ends on a byte boundary without the final bit, so that another block may follow.
  const deflated = await deflate(body, { finishFlush: constants.Z_SYNC_FLUSH })
  return { deflated, crc: crc32(body), length: body.length }
}

/** The last part of a gzip body. Responses with the same tail can share it. */
export interface GzipTail {
  readonly text: Buffer
  readonly deflated: Buffer
}

export function compressTail(text: Buffer): GzipTail {
  return { text, deflated: deflateRawSync(text, TAIL_OPTIONS) }
}

/**
 * Completes a gzip body with a tail. The result is a single gzip member, because browsers read only the first member.
 */
export function endGzip(head: GzipHead, tail: GzipTail): Buffer[] {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(tail.text, head.crc), 0)
  trailer.writeUInt32LE((head.length + tail.text.length) >>> 0, 4)
  return [GZIP_HEADER, head.deflated, tail.deflated, trailer]
}
