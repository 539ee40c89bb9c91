import { type ObjectKind, requestText } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'

/** The body, what it embeds, and the content of a single member: some releases wrap the root of the XML form. */
function containersOf(body: unknown): JsonObject[] {
  if (!isObject(body)) return []
  const values = Object.values(body)
  const wrapped = values.length === 1 ? values : [member(body, '_embedded')]
  return [body, ...wrapped.filter(isObject)]
}

/**
 * The list of a response: under the first name that has entries, else the first list. An object stands for a list of one.
 * @throws {ApiError} `schema` if there is no list
 */
export function listIn(body: unknown, { list: names = [], ...kind }: ObjectKind): readonly unknown[] {
  const isEmpty = body === null || (isObject(body) && Object.keys(body).length === 0)
  if (kind.mayLackList && isEmpty) return []
  const lists = containersOf(body)
    .flatMap((container) => names.map((name) => member(container, name)))
    .flatMap((value) => listsOf(value, names))
  const list = lists.find(({ length }) => length > 0) ?? lists[0]
  if (list !== undefined) return list
  throw new ApiError('schema', `the response to ${requestText(kind)} has no list ${names.join(' or ')}`)
}

function listsOf(value: unknown, names: readonly string[]): (readonly unknown[])[] {
  // As an empty element of XML.
  if (value === null) return [[]]
  if (Array.isArray(value)) return [value]
  // An object with the list is a wrapper, as in {"alerts": {"alert": []}}.
  if (!isObject(value) || names.some((name) => typeof member(value, name) === 'object')) return []
  return [[value]]
}

/** The object of a response that has one of the members, or is the only one. @throws {ApiError} `schema` */
export function objectIn(body: unknown, kind: ObjectKind): JsonObject {
  const containers = containersOf(body)
  const found = containers.find((container) => hasMembers(container, kind)) ?? containers[0]
  if (found !== undefined) return found
  throw new ApiError('schema', `the response to ${requestText(kind)} is no object`)
}

/** Whether an object has a member that is exported. */
export function hasMembers(object: JsonObject, { columns }: ObjectKind): boolean {
  return columns.some(({ members, text }) =>
    [...members, ...(text === undefined ? [] : [text.member])].some((name) => Object.hasOwn(object, name)),
  )
}

const MAX_MARKER_CHARACTERS = 4096

/** Where the next page of a list begins; undefined after the last one. @throws {ApiError} `too_large` */
export function nextMarkerIn(body: unknown): string | undefined {
  const markers = containersOf(body).map((container) => readText(member(container, 'NextMarker')))
  const marker = markers.find((text) => text !== undefined)
  if (marker === undefined || marker.length <= MAX_MARKER_CHARACTERS) return marker
  throw new ApiError(
    'too_large',
    `the marker of the next page has more than ${MAX_MARKER_CHARACTERS} characters`,
  )
}
