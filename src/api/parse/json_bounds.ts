import { randomInt } from 'node:crypto'
import { ApiError } from '../errors/errors.ts'

/** Responses of real systems have fewer than ten levels. */
const MAX_DEPTH = 32
/** A value of a real response takes about ten bytes of JSON; one in memory can take more than a hundred. */
const BYTES_PER_VALUE = 32

/** By byte outside of strings: whether a value may follow, and the change of the depth. */
const VALUES = tableOf({ '{': 1, '[': 1, ',': 1, ':': 1 })
const LEVELS = tableOf({ '{': 1, '[': 1, '}': -1, ']': -1 })

function tableOf(entries: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256)
  for (const [character, value] of Object.entries(entries)) table[character.charCodeAt(0)] = value
  return table
}

/** Responses of real systems have fewer than 300. For each of them the parser may create a hidden class of 200 bytes. */
const MAX_NAMES = 4096

const COLON = 0x3a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LESS_THAN = 0x3c
/** Blanks of JSON, and the bytes of a byte order mark. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/**
 * Refuses JSON that would take much memory and time to parse: `JSON.parse` cannot be interrupted. Values are counted by
 * the bytes `{ [ , :` outside of strings, and different names of members by their hashes. A body that is not JSON passes, because parsing it ends at its first error.
 * @param maxBytes limits.max_response_bytes; a body may have one value for each 32 bytes of it
 * @throws {ApiError} `too_large`
 */
export function checkJsonBounds(bytes: Uint8Array, maxBytes: number): void {
  if (isMarkup(bytes)) return
  const maxValues = Math.floor(maxBytes / BYTES_PER_VALUE)
  const names = createNameCounter()
  let stringStart = 0
  let values = 0
  let depth = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) {
      stringStart = index
      index = endOfString(bytes, index)
    } else if (byte === COLON && names.add(bytes, stringStart) > MAX_NAMES) throw tooManyNames()
    values += VALUES[byte] ?? 0
    depth += LEVELS[byte] ?? 0
    if (values > maxValues) throw tooManyValues(maxValues, maxBytes)
    if (depth > MAX_DEPTH) throw tooDeep()
  }
}

/** Whether it is XML or HTML, in which the counted characters have no meaning. */
function isMarkup(bytes: Uint8Array): boolean {
  const first = bytes.findIndex((byte) => !BLANKS.includes(byte))
  return bytes[first] === LESS_THAN
}

/** The index of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}

const SLOTS = 2 ** 16
const FNV_PRIME = 0x01000193
const MIXER = 0x2c1b3c6d

/** Counts different strings by their hashes; too low by a few percent near the limit. The seed makes hashes unpredictable. */
function createNameCounter() {
  const seed = randomInt(2 ** 32)
  const seen = new Uint8Array(SLOTS)
  let count = 0
  return {
    /** @param start the index of the opening quote; returns the number of different strings so far */
    add(bytes: Uint8Array, start: number): number {
      const slot = hashOf(bytes, start, seed) & (SLOTS - 1)
      if (seen[slot] === 0) count += 1
      seen[slot] = 1
      return count
    },
  }
}

/** FNV-1a with a final mix of the bits. */
function hashOf(bytes: Uint8Array, start: number, seed: number): number {
  const end = endOfString(bytes, start)
  let hash = seed
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), FNV_PRIME)
  hash = Math.imul(hash ^ (hash >>> 15), MIXER)
  return hash ^ (hash >>> 12)
}

function tooManyNames(): ApiError {
  return new ApiError(
    'too_large',
    `the response has more than ${MAX_NAMES} different names of JSON members, the maximum`,
  )
}

function tooManyValues(maxValues: number, maxBytes: number): ApiError {
  const limit = `one for each ${BYTES_PER_VALUE} bytes of limits.max_response_bytes (${maxBytes} bytes)`
  return new ApiError('too_large', `the response has more than ${maxValues} JSON values, ${limit}`)
}

function tooDeep(): ApiError {
  return new ApiError('too_large', `the response has more than ${MAX_DEPTH} levels of JSON, the maximum`)
}
