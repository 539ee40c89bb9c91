import type { PlausibleRange } from '../../catalogue.ts'
import { INSTANCES } from '../../system_catalogue.ts'
import { copied, parsedJson, shortened } from '../../text.ts'
import { boundedName } from '../../values/names.ts'
import { ApiError } from '../errors/errors.ts'

/** Whether a body is HTML, as from a login form or a proxy. XHTML may begin with an XML declaration. */
export function isPage(text: string): boolean {
  return /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(!doctype\s+html|html)[\s>]/i.test(text)
}

const MARKUP = 'HTML or XML came instead of JSON: check for a proxy or a login form in front of the system'

/**
 * Parses a JSON body. The Content-Type is ignored, because it is often wrong on real systems.
 * @throws {ApiError} `html` for any markup, or `syntax` without the message of the parser, which quotes the body
 */
export function parseJson(text: string): unknown {
  const first = text.trimStart().slice(0, 1)
  if (first === '<') throw new ApiError('html', MARKUP)
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

/** The object of a JSON text; undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parsedJson(text)
  return isObject(value) ? value : undefined
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
export const BYTES_PER_VALUE = 32
/**
 * Sequences of names with which the members of objects begin, such as `id`, and `id` before `name`. V8 keeps a description
 * of each, which takes it up to 4 µs. Responses of real systems have fewer than a thousand.
 */
const MAX_SEQUENCES = 20_000

/** By byte outside of strings: whether it is one of `{ [ } ] , :`. */
const MARKS = tableOf({ '{': 1, '[': 1, '}': 1, ']': 1, ',': 1, ':': 1 })
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
 * Refuses JSON that would take much memory or time to parse. Values are counted by the bytes `{ [ , :` outside of strings.
 * A body that is not JSON may pass, because parsing it ends at its first error.
 * @param maxBytes limits.max_response_bytes; a body may have one value for each 32 bytes of it
 * @throws {ApiError} `too_large`
 */
export function checkJsonBounds(bytes: Uint8Array, maxBytes: number): void {
  if (isMarkup(bytes)) return
  let [values, depth, names] = [0, 0, 0]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) index = endOfString(bytes, index + 1)
    if (MARKS[byte] === 0) continue
    values += VALUES[byte] ?? 0
    depth += LEVELS[byte] ?? 0
    if (byte === COLON) names += 1
    if (depth > MAX_DEPTH) throw tooLarge(`${MAX_DEPTH} levels of JSON, the maximum`)
  }
  if (values * BYTES_PER_VALUE > maxBytes)
    throw tooLarge(
      `${Math.floor(maxBytes / BYTES_PER_VALUE)} JSON values, one for each ${BYTES_PER_VALUE} bytes of limits.max_response_bytes (${maxBytes} bytes)`,
    )
  if (names > MAX_SEQUENCES) checkSequences(bytes)
}

/** Only for bodies with enough names, because hashing takes as long as all the rest. */
function checkSequences(bytes: Uint8Array): void {
  // A system cannot choose sequences with equal hashes. An integer, because V8 calculates more slowly with others.
  const seed = (Math.random() * 2 ** 32) | 0
  const sequences = new Set<number>()
  /** By depth: the hash of the names of the object so far. */
  const hashes = new Int32Array(MAX_DEPTH + 1)
  /** The text of the last string before a colon is from `start` to `end`. */
  let [depth, start, end] = [0, 0, 0]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    depth += LEVELS[byte] ?? 0
    if (byte === OPENING_BRACE) hashes[depth] = seed
    if (byte === QUOTE) {
      start = index + 1
      index = endOfString(bytes, start)
      end = index
    } else if (byte === COLON) {
      hashes[depth] = hashOf(bytes, start, end, hashes[depth] ?? 0)
      if (sequences.add(hashes[depth] ?? 0).size > MAX_SEQUENCES)
        throw tooLarge(`${MAX_SEQUENCES} sequences of names in JSON objects, the maximum`)
      end = start // Each string is hashed once, however many colons follow it.
    }
  }
}

/** The prime of FNV-1a. */
const HASH_PRIME = 0x01000193

/** The hash of a text after another one. The quote before it tells `ab` from `a` and `b`. */
function hashOf(bytes: Uint8Array, start: number, end: number, before: number): number {
  let hash = Math.imul(before ^ QUOTE, HASH_PRIME)
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), HASH_PRIME)
  return hash
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

/** Why a value was rejected: the values of `sds_api_rejected_values_total{reason}`. */
export const REJECTIONS = {
  text: 'is text that is not a number in a documented notation',
  infinite: 'is not a finite number',
  negative: 'is negative',
  range: 'is not plausible for its unit',
  shape: 'does not have the documented shape',
  time: 'has no readable time',
  no_id: 'is an entry without a usable id or name',
  duplicate: 'occurs twice in one response',
  too_many: 'is beyond the number of entries that are exported',
} as const
export type Rejection = keyof typeof REJECTIONS

/** The result of reading a value; undefined: it is absent. */
export type Read<T> = T | undefined | Unreadable

/** A value that is not as documented. */
export class Unreadable {
  readonly rejection: Rejection
  /** The value, for the log. */
  readonly text: string

  constructor(rejection: Rejection, value: unknown) {
    this.rejection = rejection
    this.text = shortened(quoted(value), MAX_REJECTED_CHARACTERS)
  }
}

/** Called for each rejected value; `times` is the number of values of one call (default 1). */
export type Reject = (rejection: Rejection, text: string, times?: number) => void

export function servedOrRejected<T>(read: Read<T>, reject: Reject): T | undefined {
  if (!(read instanceof Unreadable)) return read
  reject(read.rejection, read.text)
  return undefined
}

/** Maximum length of a rejected value, and of the id of its node, in a log line. */
export const MAX_REJECTED_CHARACTERS = 64

function quoted(value: unknown): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return String(value)
}

/** The rejected values of one response with the same attribute and reason. */
export interface RejectedValue {
  readonly attribute: string
  readonly reason: Rejection
  /** Node and text of the first of them, for the log. */
  readonly node: string
  readonly text: string
  readonly times: number
}

export type RejectedValues = ReturnType<typeof createRejectedValues>

/** Counts by attribute and reason, so that memory does not grow with the number of rejected values. */
export function createRejectedValues() {
  const byKind = new Map<string, RejectedValue>()
  let count = 0
  return {
    add(value: Omit<RejectedValue, 'times'>, times: number = 1): void {
      count += times
      const kind = `${value.attribute} ${value.reason}`
      const first = byKind.get(kind) ?? { ...value, times: 0 }
      byKind.set(kind, { ...first, times: first.times + times })
    },
    count: (): number => count,
    list: (): RejectedValue[] => [...byKind.values()],
  }
}

/** The notations of API document, "Snapshot and series conventions", rule 2: 23000000, 23000000.0, 2.3e7. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** No number of the API is longer; matching takes memory for each digit. */
const MAX_NUMBER_CHARACTERS = 400

/**
 * Reads a number, or a text in one of the documented notations.
 * Null, empty text, `N/A`, and -1 for a count are absent; NaN, infinite, negative and hexadecimal values and other text are unreadable.
 * @param range numbers outside of it are unreadable, too
 */
export function readNumber(value: unknown, range: PlausibleRange = ANY): Read<number> {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number') return inRange(value, range, value)
  if (typeof value !== 'string') return new Unreadable('shape', value)
  const plain = plainNumber(value)
  if (plain !== undefined && isPlausible(plain, range)) return plain
  const text = value.trim()
  if (text === '' || text === 'N/A') return undefined
  return text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text)
    ? inRange(Number(text), range, text)
    : new Unreadable('text', text)
}

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** The length of every number that Java or JavaScript writes is below this one. */
const MAX_PLAIN_CHARACTERS = 30

/**
 * Reads the notations of nearly all numbers of real systems, in a tenth of the time of {@link NUMBER}; undefined or NaN for
 * all others. Notations that only JavaScript has, such as 0x1F, have a letter as second character.
 */
function plainNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  if (text.length > MAX_PLAIN_CHARACTERS || !(first >= DIGIT_0 && first <= DIGIT_9)) return undefined
  return first === DIGIT_0 && text.charCodeAt(1) > DIGIT_9 ? undefined : Number(text)
}

const ANY: PlausibleRange = { max: Number.MAX_VALUE }

/** A number, if it is plausible. @param source quoted if it is not */
export function inRange(number: number, range: PlausibleRange, source: unknown = number): Read<number> {
  if (!Number.isFinite(number)) return new Unreadable('infinite', source)
  // Systems write -1 for a count that they do not know.
  if (number === -1 && range.isWhole === true) return undefined
  if (number < 0) return new Unreadable('negative', source)
  if (!isPlausible(number, range)) return new Unreadable('range', source)
  // Adding zero turns -0 into 0: some clients print -0 as "-0".
  return number + 0
}

export function isPlausible(number: number, { min = 0, max, isWhole }: PlausibleRange): boolean {
  return number >= min && number <= max && (isWhole !== true || Number.isInteger(number))
}
