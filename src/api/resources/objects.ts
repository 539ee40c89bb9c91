import { type SourceUnit, UNITS } from '../../catalogue.ts'
import { type Column, type ObjectKind, requestText } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { readNewest, type Snapshot } from '../feed/snapshots.ts'
import {
  inRange,
  isObject,
  type JsonObject,
  member,
  type Read,
  type RejectedValues,
  type Rejection,
  readName,
  readNumber,
  readText,
  Unreadable,
} from '../parse/json.ts'

/** What a resource says of one object. Only members of the catalogue are read, so secrets are left in the response. */
export interface ResourceObject {
  readonly kind: ObjectKind
  /** Values of the labels, in the order of the catalogue; the first may be missing if there is an id, or if the kind is counted. */
  readonly labels: readonly (string | undefined)[]
  readonly id: string | undefined
  /** Further names, by those of the catalogue. */
  readonly details: Readonly<Record<string, string | undefined>>
  readonly values: readonly ResourceValue[]
}

interface ResourceValue {
  readonly column: Column
  /** In the base unit of the family. */
  readonly value: number
  /** Time of the snapshot, in seconds since the epoch. */
  readonly t?: number
  readonly text?: string
}

/** What an object is decoded with. */
export interface ObjectContext {
  /** Time of the response by the clock of the system, in seconds since the epoch. */
  readonly now: number
  readonly rejected: RejectedValues
  /** The id, if it is not a member. */
  readonly idOf?: (entry: JsonObject) => string | undefined
}

/** What the objects of a list are decoded with. */
export interface ListContext extends ObjectContext {
  /** Called with the number of objects beyond the maximum of the kind. */
  readonly leaveOut: (objects: number) => void
}

/**
 * The objects of a response.
 * @throws {ApiError} `schema` without list or object, `not_found` if no object has a member that is exported
 */
export function decodeObjects(body: unknown, kind: ObjectKind, context: ListContext): ResourceObject[] {
  const entries = kind.list === undefined ? [objectIn(body, kind)] : listIn(body, kind)
  checkServed(entries, kind)
  const objects = decodeListed(entries, kind, context)
  return kind.list !== undefined && Object.keys(kind.labels).length === 0 ? merged(objects, kind) : objects
}

/** The objects of the entries of a list, as many as the kind has at most. */
export function decodeListed(
  entries: readonly unknown[],
  kind: ObjectKind,
  context: ListContext,
): ResourceObject[] {
  const { max = entries.length } = kind
  const objects: ResourceObject[] = []
  let read = 0
  for (; read < entries.length && objects.length < max; read += 1) {
    const entry = entries[read]
    const object = isGone(entry) ? undefined : decodeObject(entry, kind, context)
    if (object !== undefined && !isInternal(object)) objects.push(withCurrentValues(object, context))
  }
  context.leaveOut(entries.length - read)
  return objects
}

function checkServed(entries: readonly unknown[], kind: ObjectKind): void {
  const objects = entries.filter(isObject)
  const hasColumns = kind.columns.some(({ members }) => members.length > 0)
  if (!hasColumns || objects.length === 0 || objects.some((entry) => hasMembers(entry, kind))) return
  throw new ApiError('not_found', 'the response has none of the values that are exported')
}

/** Billing returns entries for namespaces that do not exist. */
function isGone(entry: unknown): boolean {
  const isValid = isObject(entry) ? member(entry, 'valid_namespace') : undefined
  return isValid === false || readText(isValid)?.toLowerCase() === 'false'
}

/** Undefined without a name, unless its kind is counted. */
export function decodeObject(
  entry: unknown,
  kind: ObjectKind,
  context: ObjectContext,
): ResourceObject | undefined {
  const object: JsonObject = isObject(entry) ? entry : {}
  const labels = Object.values(kind.labels).map((names) => firstName(object, names))
  const id = context.idOf?.(object) ?? (kind.id === undefined ? undefined : readName(member(object, kind.id)))
  // A failed link without a name is a failed link, too.
  const isCounted = kind.count !== undefined && Object.keys(object).length > 0
  if (!isCounted && labels.length > 0 && (labels[0] ?? id) === undefined) {
    reject(context, kind, 'no_id', '')
    return undefined
  }
  const values = kind.columns.flatMap((column) => decodeValue(object, kind, column, context))
  const details = Object.entries(kind.details ?? {}).map(([name, names]) => [name, firstName(object, names)])
  return { kind, labels, id, details: Object.fromEntries(details), values }
}

function firstName(object: JsonObject, names: string): string | undefined {
  return names
    .split('|')
    .map((name) => readName(member(object, name)))
    .find((text) => text !== undefined)
}

function decodeValue(
  object: JsonObject,
  kind: ObjectKind,
  column: Column,
  context: ObjectContext,
): ResourceValue[] {
  const { members, unit } = column
  const text = column.text && readName(member(object, column.text.member))
  if (column.text !== undefined && text === undefined) return []
  if (members.length === 0) return [{ column, value: 1, ...(text !== undefined && { text }) }]
  // Systems serve members that they do not know as null or as an empty text.
  const first = members
    .map((name) => ({ name, found: readValue(member(object, name), column) }))
    .find(({ found }) => found !== undefined)
  if (first === undefined) return []
  const sizes = unit === 'KiB' ? readText(member(object, 'total_size_unit')) : undefined
  const read = sizes === undefined || sizes === 'KB' ? first.found : new Unreadable('text', sizes)
  if (read instanceof Unreadable) reject(context, kind, read.rejection, `${first.name}: ${read.text}`)
  if (read === undefined || read instanceof Unreadable) return []
  const { value, t } = read
  return [{ column, value, ...(t !== undefined && { t }) }]
}

function reject({ rejected }: ObjectContext, kind: ObjectKind, reason: Rejection, text: string): void {
  rejected.add({ attribute: kind.resource, reason, node: '', text })
}

/** The system keeps the last recovery point of a group when nothing is pending; it may be in the future. */
function withCurrentValues(object: ResourceObject, { now }: ObjectContext): ResourceObject {
  const isCurrent = ({ column: { onlyWhile }, value }: ResourceValue) =>
    onlyWhile === undefined || (value <= now && valuesOf(object, onlyWhile).some((other) => other > 0))
  return { ...object, values: object.values.filter(isCurrent) }
}

export function valuesOf({ values }: ResourceObject, family: string): number[] {
  return values.flatMap(({ column, value }) => (column.family === family ? [value] : []))
}

function isInternal({ kind: { internal }, id, labels: [name] }: ResourceObject): boolean {
  return internal?.test(id ?? name ?? '') ?? false
}

/** One object for all entries of a list, with the largest of each value and the earliest of each time. */
function merged(objects: readonly ResourceObject[], kind: ObjectKind): ResourceObject[] {
  const values = kind.columns.flatMap((column) => {
    const found = objects.flatMap(({ values }) => values.filter((value) => value.column === column))
    if (found.length === 0) return []
    const pick = column.unit === 'time' ? Math.min : Math.max
    return [{ column, value: found.map(({ value }) => value).reduce((a, b) => pick(a, b)) }]
  })
  return [{ kind, labels: [], id: undefined, details: {}, values }]
}

/** The body, what it embeds, and the content of a single member: some releases wrap the root of the XML form. */
export function containersOf(body: unknown): JsonObject[] {
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
function objectIn(body: unknown, kind: ObjectKind): JsonObject {
  const containers = containersOf(body)
  const found = containers.find((container) => hasMembers(container, kind)) ?? containers[0]
  if (found !== undefined) return found
  throw new ApiError('schema', `the response to ${requestText(kind)} is no object`)
}

export function hasMembers(object: JsonObject, { columns }: ObjectKind): boolean {
  return columns.some(({ members, text }) =>
    [...members, ...(text === undefined ? [] : [text.member])].some((name) => Object.hasOwn(object, name)),
  )
}

/** A value in the base unit, and the time of a snapshot. */
type Value = Pick<Snapshot, 'value'> & Partial<Snapshot>

/** Reads a member: a snapshot or a list of them, or a bare value. */
function readValue(raw: unknown, { unit, tag }: Pick<Column, 'unit' | 'tag'>): Read<Value> {
  const read = SPECIAL[unit]
  if (read !== undefined) return bare(read(raw), unit)
  if (typeof raw === 'object' && raw !== null) return readNewest(raw, tag, UNITS[unit])
  return bare(readNumber(raw, UNITS[unit]), unit)
}

function bare(read: Read<number>, unit: SourceUnit): Read<Value> {
  return typeof read === 'number' ? { value: UNITS[unit].toBase(read) } : read
}

const SPECIAL: Partial<Readonly<Record<SourceUnit, (raw: unknown) => Read<number>>>> = {
  flag: readFlag,
  time: readTime,
  GiB: (raw) => readQuota(raw, 'GiB'),
  quota: (raw) => readQuota(raw, 'quota'),
}

const FLAGS: Readonly<Record<string, number>> = { true: 1, false: 0, '1': 1, '0': 0, on: 1, off: 0 }

function readFlag(raw: unknown): Read<number> {
  const text = typeof raw === 'boolean' ? String(raw) : readText(raw)?.toLowerCase()
  if (text === undefined) return undefined
  const flag = Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined
  return flag ?? new Unreadable('text', raw)
}

/** -1 and 0 mean that there is no quota. */
function readQuota(raw: unknown, unit: 'GiB' | 'quota'): Read<number> {
  const read = readNumber(raw, UNITS[unit])
  return read === 0 || readText(raw)?.startsWith('-') === true ? undefined : read
}

/** Milliseconds since the epoch are more since 2001; seconds are less until the year 33658. */
const LEAST_MS = 1e12
const MAX_TIME_CHARACTERS = 40
const AMERICAN_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4,5})$/
/** Licenses that never expire have a date in this year or later: there is no such time. */
const NEVER_MS = Date.UTC(2900, 0, 1)
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/
const ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/

/** A time in seconds or milliseconds since the epoch, in ISO 8601 (without a zone: UTC), or as MM/dd/yyyy; absent if it stands for no time, or for never. */
function readTime(raw: unknown): Read<number> {
  const text = readText(raw)
  // Zero stands for no time.
  if (text === undefined || !/[1-9]/.test(text)) return undefined
  const ms = text.length <= MAX_TIME_CHARACTERS ? timeMs(text) : Number.NaN
  if (ms >= NEVER_MS) return undefined
  return Number.isFinite(ms) ? inRange(ms / 1000, UNITS.time, raw) : new Unreadable('time', raw)
}

function timeMs(text: string): number {
  const number = readNumber(text)
  if (typeof number === 'number') return number >= LEAST_MS ? number : number * 1000
  const [, month, day, year] = AMERICAN_DATE.exec(text) ?? []
  if (year !== undefined) {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
    // Date.UTC carries over: 31/12/2026, the day first, would become July 2028.
    return date.getUTCMonth() === Number(month) - 1 ? date.getTime() : Number.NaN
  }
  if (!ISO_TIME.test(text)) return Number.NaN
  const hasTime = text.includes(':')
  const iso = text.replace(' ', 'T')
  return Date.parse(!hasTime || ZONE.test(iso) ? iso : `${iso}Z`)
}
