import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { oncePerKey } from '../values/cache.ts'
import { type Family, FEED_FAMILIES, SYSTEM_FAMILIES, sampleName } from './families.ts'
import {
  type Body,
  type Format,
  familyHeader,
  filterPart,
  labelsIn,
  type Part,
  type Span,
  writeLines,
} from './lines.ts'

/** The exposition of all storage systems. Immutable; each update creates a new one. */
export interface Exposition {
  readonly series: number
  /** When it was made, in milliseconds since the epoch: after the newest poll that it shows. */
  readonly madeAtMs: number
  /** Those that are the same in the next exposition are not made again. */
  readonly sections: readonly Section[]
  /** The exposition in this form, made once, a piece in each turn of the event loop. */
  body(form: Form): Promise<Body>
  /** As `body`, before a request. */
  prepare(form: Form): Promise<Body>
  only(families: ReadonlySet<string>): Exposition
  /** The text at once, for an exposition that is not sent. */
  text(format: Format): string
  /** Its series, part by part. */
  families(): Iterable<FamilySeries>
}

/** Encoding and format of an exposition. */
export type Form = `${'identity' | 'gzip'} ${Format}`

/** An empty line in the text format, as in the output of prom-client; OpenMetrics forbids empty lines. */
export const FAMILY_SEPARATOR: Readonly<Record<Format, string>> = { text: '\n', openmetrics: '' }

/** Compressed at once, or sent with one write after compression. More than the exposition of 60 nodes. */
const PIECE_BYTES = 512 * 1024
/** More than the headers of all families. */
const HEADERS_BYTES = 128 * 1024

type Pack = (text: Buffer) => Promise<Buffer>
const ENCODINGS: Readonly<Record<'identity' | 'gzip', { readonly bytes: number; readonly pack: Pack }>> = {
  // Each piece costs a write in each scrape. It is made in a few milliseconds.
  identity: { bytes: 4 * PIECE_BYTES, pack: async (text) => Buffer.from(text) },
  gzip: { bytes: PIECE_BYTES, pack: compressPiece },
}

/** The series of nodes are most of all, and change with polls only; the others change with every response. */
const SECTIONS = [FEED_FAMILIES, SYSTEM_FAMILIES.slice(FEED_FAMILIES.length)] as const

/** The series of some families. */
interface Section {
  /** Those that have series of them. */
  readonly parts: readonly Part[]
  readonly body: (form: Form) => Promise<Body>
}

/**
 * @param parts the series of each pool and system, in the order of the exposition
 * @param onRequest called with the form of each request
 * @param before the exposition that this one replaces
 */
export function createExposition(
  parts: readonly Part[],
  onRequest: (form: Form) => void = () => undefined,
  before?: Exposition,
): Exposition {
  const sections = sectionsOf(parts, before)
  const prepare = oncePerForm(async (form) => {
    const bodies = await Array.fromAsync(sections, ({ body }) => body(form))
    return bodies.reduce(joinBodies)
  })
  return {
    madeAtMs: Date.now(),
    sections,
    families: () => familySeries(parts),
    series: parts.reduce((sum, { series }) => sum + series, 0),
    only(families) {
      const names = new Set(SYSTEM_FAMILIES.filter(({ name }) => families.has(name)).map(sampleName))
      return createExposition(parts.map((part) => filterPart(part, (name) => names.has(name))))
    },
    text: (format) => Array.from(textPieces(parts, SYSTEM_FAMILIES, format), String).join(''),
    prepare,
    body(form) {
      onRequest(form)
      return prepare(form)
    },
  }
}

/** Apart from `newSection`: its function would keep the sections before in memory. */
function sectionsOf(parts: readonly Part[], before?: Exposition): readonly Section[] {
  return SECTIONS.map((families, index) => {
    const names = new Set(families.map(sampleName))
    const own = parts.filter((part) => !names.isDisjointFrom(part.families))
    const last = before?.sections[index]
    const isSame = last?.parts.length === own.length && own.every((part, at) => part === last.parts[at])
    return isSame ? last : newSection(own, families)
  })
}

function newSection(parts: readonly Part[], families: readonly Family[]): Section {
  const body = oncePerForm(async (form) => {
    const [encoding, format] = form.split(' ') as [keyof typeof ENCODINGS, Format]
    const { bytes, pack } = ENCODINGS[encoding]
    return makeBody(textPieces(parts, families, format, bytes), pack)
  })
  return { parts, body }
}

/** A request after a failure tries again. */
function oncePerForm(make: Section['body']): Section['body'] {
  const bodies = new Map<Form, Promise<Body>>()
  return oncePerKey((form) => {
    const body = make(form)
    body.catch(() => bodies.delete(form))
    return body
  }, bodies)
}

function joinBodies(first: Body, second: Body): Body {
  // The CRC after a text: what zeros of the same length make of that before it, changed by the CRC of the text alone.
  const joinedCrc = ~crc32(Buffer.alloc(second.textBytes), ~first.crc >>> 0) ^ second.crc
  const pieces = [...first.pieces, ...second.pieces]
  return { pieces, textBytes: first.textBytes + second.textBytes, crc: joinedCrc >>> 0 }
}

/** Two pieces are compressed at a time, so that the first scrape after a start waits half as long. */
async function makeBody(texts: Iterable<Buffer>, pack: Pack): Promise<Body> {
  const blocks: Buffer[] = []
  let textBytes = 0
  let crc = 0
  let before: Promise<Buffer> | undefined
  for (const text of texts) {
    const block = pack(text)
    // It is awaited after the block before it, which may fail, too.
    block.catch(() => undefined)
    textBytes += text.length
    crc = crc32(text, crc)
    if (before !== undefined) blocks.push(await before)
    before = block
    await nextTurn()
  }
  if (before !== undefined) blocks.push(await before)
  return { pieces: joined(blocks), textBytes, crc }
}

/** Joins blocks to pieces of at most `PIECE_BYTES`, but at least one block. */
function joined(blocks: readonly Buffer[]): Buffer[] {
  const groups: [Buffer, ...Buffer[]][] = []
  let bytes = 0
  for (const block of blocks) {
    bytes += block.length
    if (bytes > PIECE_BYTES) bytes = block.length
    if (bytes === block.length) groups.push([block])
    else groups.at(-1)?.push(block)
  }
  return groups.map((group) => (group.length === 1 ? group[0] : Buffer.concat(group)))
}

/** The series of a family in one part, or of the exporter itself. */
export interface FamilySeries {
  readonly family: Pick<Family, 'name' | 'help' | 'type'>
  readonly series: readonly Series[]
}

export interface Series {
  /** With the suffix of a sample of a histogram. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The parts that have series of a family, family by family. */
function* familyParts(parts: readonly Part[], families: readonly Family[]) {
  for (const family of families) {
    const name = sampleName(family)
    for (const part of parts) {
      const span = part.families.get(name)
      if (span !== undefined) yield { family, name, part, span }
    }
  }
}

/** Part by part, so that the labels of one part are in memory at a time. */
function* familySeries(parts: readonly Part[]): Generator<FamilySeries> {
  for (const part of parts) {
    const { texts, starts } = part.content
    const labels = Array.from(starts, (start, text) =>
      labelsIn(texts.toString('utf8', start, starts[text + 1])),
    )
    for (const { family, name, span } of familyParts([part], SYSTEM_FAMILIES))
      yield { family, series: seriesIn(part, name, span, labels) }
  }
}

function seriesIn(
  { content: { labels, values } }: Part,
  name: string,
  { start, end }: Span,
  labelsOf: readonly Series['labels'][],
): Series[] {
  return Array.from(values.subarray(start, end), (value, index) => {
    const [first = 0, more = 0] = [labels[2 * (start + index)], labels[2 * (start + index) + 1]]
    const all = more === 0 ? labelsOf[first] : { ...labelsOf[first], ...labelsOf[more] }
    return { name, labels: all ?? {}, value }
  })
}

/**
 * The text, in pieces of whole lines. The memory of a piece is used again for the second one after it, because copies of the
 * whole text would stay in memory until the next collection.
 */
function* textPieces(
  parts: readonly Part[],
  families: readonly Family[],
  format: Format,
  mostBytes = PIECE_BYTES,
): Generator<Buffer> {
  const bytes = Math.min(
    mostBytes,
    parts.reduce((sum, part) => sum + part.bytes, HEADERS_BYTES),
  )
  let [piece, other] = [Buffer.allocUnsafeSlow(bytes), Buffer.allocUnsafeSlow(bytes)]
  let at = 0
  const taken = (): Buffer => {
    const text = piece.subarray(0, at)
    ;[piece, other, at] = [other, piece, 0]
    return text
  }
  let last: Family | undefined
  for (const { family, name, part, span } of familyParts(parts, families)) {
    const header = headerAfter(last, family, format)
    if (at + header.length > piece.length) yield taken()
    at += header.copy(piece, at)
    last = family
    for (let { start } = span; start < span.end; ) {
      const written = writeLines(part, name, { start, end: span.end }, piece, at)
      // A line that is longer than a piece.
      if (written.at === 0) piece = Buffer.allocUnsafeSlow(2 * piece.length)
      ;({ next: start, at } = written)
      if (start < span.end && at > 0) yield taken()
    }
  }
  // A line leaves room for it.
  if (last !== undefined) at += piece.write(FAMILY_SEPARATOR[format], at)
  if (at > 0) yield taken()
}

function headerAfter(last: Family | undefined, family: Family, format: Format): Buffer {
  const separator = last === undefined ? '' : FAMILY_SEPARATOR[format]
  return Buffer.from(last === family ? '' : `${separator}${familyHeader(family, format)}`)
}

/** Magic number, method deflate, no flags, no time, no extra flags, unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const TRAILER_BYTES = 8
/** Less than a third of the CPU time of the default level 6, for 13 percent more bytes. */
const LEVEL = { level: constants.Z_BEST_SPEED } as const

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
  return [GZIP_HEADER, ...body.pieces, deflateRawSync(tail, LEVEL), trailer]
}
