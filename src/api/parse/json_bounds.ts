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

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LESS_THAN = 0x3c
/** Blanks of JSON, and the bytes of a byte order mark. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/**
 * Refuses JSON that would take much memory to parse, in one pass. Values are counted by the bytes `{ [ , :` outside of
 * strings. A body that is not JSON may pass, because parsing it ends at its first error.
 * @param maxBytes limits.max_response_bytes; a body may have one value for each 32 bytes of it
 * @throws {ApiError} `too_large`
 */
export function checkJsonBounds(bytes: Uint8Array, maxBytes: number): void {
  if (isMarkup(bytes)) return
  const maxValues = Math.floor(maxBytes / BYTES_PER_VALUE)
  let values = 0
  let depth = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) index = endOfString(bytes, index)
    values += VALUES[byte] ?? 0
    depth += LEVELS[byte] ?? 0
    if (values > maxValues)
      throw tooLarge(
        `${maxValues} JSON values, one for each ${BYTES_PER_VALUE} bytes of limits.max_response_bytes (${maxBytes} bytes)`,
      )
    if (depth > MAX_DEPTH) throw tooLarge(`${MAX_DEPTH} levels of JSON, the maximum`)
  }
}

/** Bytes in which the first character of markup is looked for. */
const MAX_BLANKS = 1024

/** Whether it is XML or HTML, in which the counted characters have no meaning. */
function isMarkup(bytes: Uint8Array): boolean {
  return bytes.subarray(0, MAX_BLANKS).find((byte) => !BLANKS.includes(byte)) === LESS_THAN
}

/** The index of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}

function tooLarge(what: string): ApiError {
  return new ApiError('too_large', `the response has more than ${what}`)
}
