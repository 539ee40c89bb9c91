import { ApiError } from '../errors/errors.ts'

/** Responses of real systems have fewer than ten levels. */
const MAX_DEPTH = 32
/** A value of a real response takes about ten bytes of JSON; one in memory can take more than a hundred. */
const BYTES_PER_VALUE = 32
/**
 * Sequences of names with which the members of objects begin, such as `id`, and `id` before `name`. V8 keeps a description
 * of each, which takes it up to 4 µs. Responses of real systems have fewer than a thousand.
 */
const MAX_SEQUENCES = 20_000

/** By byte outside of strings: whether it is one of `" { [ } ] , :`. */
const MARKS = tableOf({ '"': 1, '{': 1, '[': 1, '}': 1, ']': 1, ',': 1, ':': 1 })
/** Whether a value may follow, and the change of the depth. */
const VALUES = tableOf({ '{': 1, '[': 1, ',': 1, ':': 1 })
const LEVELS = tableOf({ '{': 1, '[': 1, '}': -1, ']': -1 })

function tableOf(entries: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256)
  for (const [character, value] of Object.entries(entries)) table[character.charCodeAt(0)] = value
  return table
}

const QUOTE = 0x22
const COLON = 0x3a
const OPENING_BRACE = 0x7b
const BACKSLASH = 0x5c
const LESS_THAN = 0x3c
/** Blanks of JSON, and the bytes of a byte order mark. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/**
 * Refuses JSON that would take much memory or time to parse, in one pass. Values are counted by the bytes `{ [ , :` outside
 * of strings. A body that is not JSON may pass, because parsing it ends at its first error.
 * @param maxBytes limits.max_response_bytes; a body may have one value for each 32 bytes of it
 * @throws {ApiError} `too_large`
 */
export function checkJsonBounds(bytes: Uint8Array, maxBytes: number): void {
  if (isMarkup(bytes)) return
  const sequences = createSequences(bytes)
  let values = 0
  let depth = 0
  /** The last string before a colon. */
  let name = NO_NAME
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (MARKS[byte] === 0) continue
    if (byte === QUOTE) {
      const start = index + 1
      index = endOfString(bytes, start)
      name = { start, end: index }
    }
    if (byte === OPENING_BRACE) sequences.begin(depth)
    if (byte === COLON) {
      sequences.add(depth - 1, name)
      // Each string is read twice at most, however many colons follow it.
      name = NO_NAME
    }
    values += VALUES[byte] ?? 0
    depth += LEVELS[byte] ?? 0
    checkCounts({ values, depth, sequences: sequences.count() }, maxBytes)
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

const NO_NAME: Span = { start: 0, end: 0 }

interface Counts {
  readonly values: number
  readonly depth: number
  readonly sequences: number
}

function checkCounts({ values, depth, sequences }: Counts, maxBytes: number): void {
  const maxValues = Math.floor(maxBytes / BYTES_PER_VALUE)
  if (values > maxValues)
    throw tooLarge(
      `${maxValues} JSON values, one for each ${BYTES_PER_VALUE} bytes of limits.max_response_bytes (${maxBytes} bytes)`,
    )
  if (depth > MAX_DEPTH) throw tooLarge(`${MAX_DEPTH} levels of JSON, the maximum`)
  if (sequences > MAX_SEQUENCES)
    throw tooLarge(`${MAX_SEQUENCES} sequences of names in JSON objects, the maximum`)
}

/** The prime of FNV-1a. */
const HASH_PRIME = 0x01000193

/** Counts the different sequences of names by their hashes, with a seed, so that a system cannot choose equal ones. */
function createSequences(bytes: Uint8Array) {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const seen = new Set<number>()
  /** By depth: the hash of the names of the object so far. */
  const hashes = new Int32Array(MAX_DEPTH + 1)
  return {
    count: () => seen.size,
    begin(depth: number): void {
      hashes[depth] = seed
    },
    add(depth: number, { start, end }: Span): void {
      let hash = Math.imul((hashes[depth] ?? seed) ^ QUOTE, HASH_PRIME)
      for (let index = start; index < end; index += 1)
        hash = Math.imul(hash ^ (bytes[index] ?? 0), HASH_PRIME)
      hashes[depth] = hash
      seen.add(hash)
    },
  }
}

/** Bytes in which the first character of markup is looked for. */
const MAX_BLANKS = 1024

/** Whether it is XML or HTML, in which the counted characters have no meaning. */
function isMarkup(bytes: Uint8Array): boolean {
  return bytes.subarray(0, MAX_BLANKS).find((byte) => !BLANKS.includes(byte)) === LESS_THAN
}

/** The index of the closing quote of a string whose text begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}

function tooLarge(what: string): ApiError {
  return new ApiError('too_large', `the response has more than ${what}`)
}
