import { ApiError } from './errors.ts'
import { isObject, member } from './numbers.ts'

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
