import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { type Family, SYSTEM_FAMILIES } from './families.ts'
import { type Body, type Format, familyHeader, filterPart, linesOf, type RenderedPart } from './lines.ts'

/** The exposition of all storage systems. Immutable; each update creates a new one. */
export interface Exposition {
  readonly series: number
  /** When it was made, in milliseconds since the epoch: after the newest poll that it shows. */
  readonly madeAtMs: number
  /** The exposition in this form, made once, a piece in each turn of the event loop. */
  body(form: Form): Promise<Body>
  /** As `body`, before a request. */
  prepare(form: Form): Promise<Body>
  only(families: ReadonlySet<string>): Exposition
  /** The text at once, for an exposition that is not sent. */
  text(format: Format): string
  /** The lines of all families in the text format, family by family. */
  lines(): Iterable<FamilyLines>
}

/** Encoding and format of an exposition. */
export type Form = `${'identity' | 'gzip'} ${Format}`

/** An empty line in the text format, as in the output of prom-client; OpenMetrics forbids empty lines. */
export const FAMILY_SEPARATOR: Readonly<Record<Format, string>> = { text: '\n', openmetrics: '' }

/** Compressed at once, or sent with one write after compression. More than the exposition of 60 nodes. */
const PIECE_BYTES = 512 * 1024
/** Each piece costs a write in each scrape. Joining it takes a few milliseconds. */
const IDENTITY_PIECE_BYTES = 4 * PIECE_BYTES

/**
 * @param parts the lines of each pool and system, in the order of the exposition
 * @param onRequest called with the form of each request
 */
export function createExposition(
  parts: readonly RenderedPart[],
  onRequest: (form: Form) => void = () => undefined,
): Exposition {
  const bodies = new Map<Form, Promise<Body>>()
  const prepare = (form: Form): Promise<Body> => {
    const body = bodies.get(form) ?? makeBody(parts, form)
    bodies.set(form, body)
    // The next request tries again.
    body.catch(() => bodies.delete(form))
    return body
  }
  return {
    madeAtMs: Date.now(),
    lines: () => familyLines(parts),
    series: parts.reduce((sum, { series }) => sum + series, 0),
    only: (families) =>
      createExposition(parts.map((part) => filterPart(part, (family) => families.has(family)))),
    text: (format) => Buffer.concat([...textBuffers(parts, format)]).toString(),
    prepare,
    body(form) {
      onRequest(form)
      return prepare(form)
    },
  }
}

async function makeBody(parts: readonly RenderedPart[], form: Form): Promise<Body> {
  const [encoding, format] = form.split(' ') as ['identity' | 'gzip', Format]
  return encoding === 'gzip' ? makeGzip(parts, format) : makeIdentity(parts, format)
}

async function makeIdentity(parts: readonly RenderedPart[], format: Format): Promise<Body> {
  const pieces: Buffer[] = []
  for (const piece of joined(textBuffers(parts, format), IDENTITY_PIECE_BYTES)) {
    pieces.push(piece)
    await nextTurn()
  }
  return { pieces, textBytes: pieces.reduce((sum, { length }) => sum + length, 0), crc: 0 }
}

/** Two pieces are compressed at a time, so that the first scrape after a start waits half as long. */
async function makeGzip(parts: readonly RenderedPart[], format: Format): Promise<Body> {
  const blocks: Buffer[] = []
  let textBytes = 0
  let crc = 0
  let before: Promise<Buffer> | undefined
  for (const text of joined(textBuffers(parts, format), PIECE_BYTES, joinInTurn())) {
    const block = compressPiece(text)
    // It is awaited after the block before it, which may fail, too.
    block.catch(() => undefined)
    textBytes += text.length
    crc = crc32(text, crc)
    if (before !== undefined) blocks.push(await before)
    before = block
    await nextTurn()
  }
  if (before !== undefined) blocks.push(await before)
  return { pieces: [...joined(blocks, PIECE_BYTES)], textBytes, crc }
}

type Join = (buffers: readonly Buffer[], bytes: number) => Buffer

/**
 * Joins in two buffers in turn, because copies of the whole text would stay in memory until the next collection. A piece
 * is valid until the second one after it.
 */
function joinInTurn(): Join {
  let [next, other] = [Buffer.allocUnsafeSlow(PIECE_BYTES), Buffer.allocUnsafeSlow(PIECE_BYTES)]
  return (buffers, bytes) => {
    const [only] = buffers
    if (buffers.length === 1 && only !== undefined) return only
    if (bytes > next.length) return Buffer.concat(buffers, bytes)
    let end = 0
    for (const buffer of buffers) end += buffer.copy(next, end)
    const piece = next.subarray(0, bytes)
    ;[next, other] = [other, next]
    return piece
  }
}

/** Joins buffers to pieces of at most so many bytes, but at least one buffer. Not to a string, which has at most half a gigabyte. */
function* joined(
  buffers: Iterable<Buffer>,
  pieceBytes: number,
  join: Join = Buffer.concat,
): Generator<Buffer> {
  let piece: Buffer[] = []
  let bytes = 0
  for (const buffer of buffers) {
    if (bytes > 0 && bytes + buffer.length > pieceBytes) {
      yield join(piece, bytes)
      piece = []
      bytes = 0
    }
    piece.push(buffer)
    bytes += buffer.length
  }
  if (bytes > 0) yield join(piece, bytes)
}

export interface FamilyLines {
  readonly family: Family
  readonly lines: Buffer
}

function* familyLines(parts: readonly RenderedPart[]): Generator<FamilyLines> {
  for (const family of SYSTEM_FAMILIES) {
    for (const part of parts) {
      const lines = linesOf(part, family.name)
      if (lines !== undefined) yield { family, lines }
    }
  }
}

/** As {@link familyLines}, with the header of each family. */
function* textBuffers(parts: readonly RenderedPart[], format: Format): Generator<Buffer> {
  let last: Family | undefined
  for (const { family, lines } of familyLines(parts)) {
    const separator = last === undefined ? '' : FAMILY_SEPARATOR[format]
    if (family !== last) yield Buffer.from(`${separator}${familyHeader(family, format)}`)
    last = family
    yield lines
  }
}

/** Magic number, method deflate, no flags, no time, no extra flags, unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER_BYTES = 8
/** A third of the CPU time of the default level 6, for 13 percent more bytes. */
const LEVEL = { level: 3 } as const
/** The tail is small and compressed for each response, so speed is more important than size. */
const TAIL_OPTIONS = { level: constants.Z_BEST_SPEED } as const

const deflate = promisify(deflateRaw)

/** Compresses a piece of a body that many responses share, outside the event loop. */
export function compressPiece(text: Buffer): Promise<Buffer> {
  // A sync flush ends on a byte boundary without the final bit, so that another block may follow.
  return deflate(text, { ...LEVEL, finishFlush: constants.Z_SYNC_FLUSH })
}

/** Completes a gzip body with a tail: one gzip member, because browsers read only the first one. */
export function endGzip(body: Body, tail: Buffer): Buffer[] {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(tail, body.crc), 0)
  trailer.writeUInt32LE((body.textBytes + tail.length) >>> 0, 4)
  return [GZIP_HEADER, ...body.pieces, deflateRawSync(tail, TAIL_OPTIONS), trailer]
}
