import { INSTANCES } from '../../system_catalogue.ts'
import { copied } from '../../text.ts'
import { boundedName } from '../../values/names.ts'
import { ApiError } from '../errors/errors.ts'
import { isXml } from './markup.ts'

/**
 * Parses a JSON body. The Content-Type is ignored, because it is often wrong on real systems.
 * @throws {ApiError} `html`, `schema` for XML, or `syntax` without the message of the parser, which quotes the body
 */
export function parseJson(text: string): unknown {
  const first = text.trimStart().slice(0, 1)
  if (first === '<') {
    throw isXml(text)
      ? new ApiError('schema', 'the response is XML instead of JSON')
      : new ApiError(
          'html',
          'an HTML page came instead of data: check for a proxy or a login form in front of the system',
        )
  }
  if (first === '') throw new ApiError('syntax', 'the response is empty')
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('syntax', 'the response is not valid JSON')
  }
}

/**
 * Reads a text, trimmed; numbers become their digits. Null, empty texts and all other types are absent. Lone surrogates
 * become U+FFFD here: texts that differ only in them would otherwise become equal label values later.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const trimmed = value.trim()
  const text = (trimmed.length < value.length ? copied(trimmed) : trimmed).toWellFormed()
  return text === '' ? undefined : text
}

/** Reads a text that becomes a label value; absent as in {@link readText}. */
export function readName(value: unknown): string | undefined {
  const text = readText(value)
  return text === undefined ? undefined : boundedName(text)
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object of a JSON text; undefined for any other text. The message of the parser would quote the text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An own member of an object; inherited members are undefined. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** An array, or a single value as an array of one; null and undefined are empty. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/**
 * The embedded list of a response: under the first key that has entries, else the first list.
 * @param what name of the list for error messages
 * @throws {ApiError} `schema` if there is no list
 */
export function embeddedList(body: unknown, what: string): readonly unknown[] {
  const embedded = isObject(body) ? member(body, '_embedded') : undefined
  if (!isObject(embedded)) throw new ApiError('schema', 'the response has no member _embedded')
  const lists = INSTANCES.map((key) => member(embedded, key)).filter((list) => Array.isArray(list))
  const list = lists.find(({ length }) => length > 0) ?? lists[0]
  if (list !== undefined) return list
  throw new ApiError('schema', `the response has no ${what} (_embedded.instances or _embedded._instances)`)
}

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
