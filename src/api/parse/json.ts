import { ApiError } from '../errors/errors.ts'
import { isPlainlyXml } from './markup.ts'

/**
 * Parses a JSON answer, going by the body and not by its Content-Type, which real systems get wrong.
 * @throws {ApiError} `html`, or `syntax` without the parser's message, which would quote the body
 */
export function parseJson(text: string): unknown {
  const first = text.trimStart().slice(0, 1)
  if (first === '<') {
    throw isPlainlyXml(text)
      ? new ApiError('schema', 'the answer is XML where JSON was asked for')
      : new ApiError('html', 'an HTML page came instead of data: is a proxy or a login form in between?')
  }
  if (first === '') throw new ApiError('syntax', 'the answer is empty')
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('syntax', 'the answer is not valid JSON')
  }
}

/**
 * A text, trimmed; numbers count as their digits. Null, empty and everything else are absent. Half a surrogate pair
 * becomes U+FFFD here, at the door, since two texts that differ in nothing else would become equal label values later.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim().toWellFormed()
  return text === '' ? undefined : text
}

/** A JSON object that is not an array. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a foreign object; never something inherited, whatever the key is called. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Real systems call an embedded list `_instances`; the document, and some of its samples, `instances`. */
const LIST_KEYS = ['_instances', 'instances'] as const

/**
 * The list that an answer embeds, by the first of its names that has entries.
 * @param what the list is called towards people
 * @throws {ApiError} `schema` where there is none
 */
export function embeddedList(body: unknown, what: string): readonly unknown[] {
  const embedded = isObject(body) ? member(body, '_embedded') : undefined
  if (!isObject(embedded)) throw new ApiError('schema', 'the answer has no member _embedded')
  const lists = LIST_KEYS.map((key) => member(embedded, key)).filter((list) => Array.isArray(list))
  const list = lists.find(({ length }) => length > 0) ?? lists[0]
  if (list !== undefined) return list
  throw new ApiError('schema', `the answer has no ${what} (_embedded.instances or _embedded._instances)`)
}
