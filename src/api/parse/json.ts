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
