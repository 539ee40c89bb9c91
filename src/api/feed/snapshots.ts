import { FORECAST, TIME_RANGE, TRANSACTION_ERRORS, UNITS, type UnitRow } from '../../catalogue.ts'
import {
  asList,
  isObject,
  type JsonObject,
  MAX_REJECTED_CHARACTERS,
  member,
  type Read,
  type Reject,
  readName,
  readNumber,
  readText,
  servedOrRejected,
  Unreadable,
} from '../parse/json.ts'

export interface Snapshot {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly t: number
  /** In the base unit of the metric. */
  readonly value: number
}

/**
 * Reads `<Attribute>Current`: the newest of one snapshot or an array of them.
 * If the newest is unreadable there is no value: an older value would look current.
 * Source: API document, "Snapshot and series conventions", rules 1 to 4; real systems serve arrays.
 */
export function readNewest(value: unknown, tag: string, unit: UnitRow): Read<Snapshot> {
  let newest: unknown
  let newestTime = Number.NEGATIVE_INFINITY
  let failure: Unreadable | undefined
  for (const candidate of asList(value)) {
    const t = readTime(candidate)
    if (t instanceof Unreadable) failure = t
    else if (t !== undefined && t >= newestTime) [newest, newestTime] = [candidate, t]
  }
  if (!isObject(newest)) return failure
  const read = readNumber(valueIn(newest, tag), unit)
  return typeof read === 'number' ? { t: newestTime, value: unit.toBase(read) } : read
}

/** The time of a snapshot. `N/A` and null are absent; a snapshot without a readable time is unreadable. */
export function readTime(candidate: unknown): Read<number> {
  if (!isObject(candidate))
    return readNumber(candidate) === undefined ? undefined : new Unreadable('shape', candidate)
  return timeIn(candidate) ?? new Unreadable('time', candidate)
}

/** The time of a snapshot: member `t`, possibly with blanks around the name. */
function timeIn(snapshot: JsonObject): number | undefined {
  const key = Object.hasOwn(snapshot, 't') ? 't' : Object.keys(snapshot).find((name) => name.trim() === 't')
  const read = key === undefined ? undefined : readNumber(snapshot[key], TIME_RANGE)
  return typeof read === 'number' ? read : undefined
}

/** Returned when no single member has the value. A symbol, because JSON cannot contain it. */
const AMBIGUOUS = Symbol('no single value member')

/** The one member that is not `t`. If there are several, the member with the documented tag. */
export function valueIn(snapshot: JsonObject, tag: string): unknown {
  if (Object.hasOwn(snapshot, tag)) return snapshot[tag]
  const names = Object.keys(snapshot).filter((name) => name.trim() !== 't')
  const [name] = names.length > 1 ? names.filter((candidate) => candidate.trim() === tag) : names
  return name === undefined ? AMBIGUOUS : member(snapshot, name)
}

/** Failed transactions of one type in the sample, or in the period of a history. */
export interface ErrorType<Rate = Snapshot> {
  /** `User`, `System`, or an undocumented category. */
  readonly category: string
  /** Such as `404 (S3)`, not parsed. */
  readonly errorType: string
  readonly count: number | undefined
  /** Share of the transactions, 0 to 1. */
  readonly rate: Rate | undefined
}

export interface TransactionErrors {
  /** Share of the transactions, 0 to 1. */
  readonly all: Snapshot | undefined
  readonly succeeded: number | undefined
  readonly failed: number | undefined
  readonly types: readonly ErrorType[]
}

const { rateTag, rateUnit, maxEntries, maxExported } = TRANSACTION_ERRORS

/**
 * Reads `transactionErrorsCurrent`: an object whose members are arrays, or single objects as the API document
 * describes current values; undefined if nothing of it is served.
 * Source: API document, "Transaction error attributes".
 * @param max maximum number of error types to keep, if less than `maxExported`
 */
export function readTransactionErrors(
  value: unknown,
  reject: Reject,
  max: number,
): TransactionErrors | undefined {
  const object = asList(value).at(-1)
  if (object === undefined) return undefined
  if (!isObject(object)) {
    if (readNumber(object) === undefined) return undefined
    reject('shape', Array.isArray(object) ? 'an array' : typeof object)
    return undefined
  }
  const keep = <T>(read: Read<T>) => servedOrRejected(read, reject)
  const totals = asList(member(object, 'errorSuccessTotals')).filter(isObject).at(-1) ?? {}
  const errors: TransactionErrors = {
    all: keep(readNewest(member(object, 'all'), rateTag, UNITS[rateUnit])),
    succeeded: keep(readNumber(member(totals, 'successTotal'), UNITS.count)),
    failed: keep(readNumber(member(totals, 'errorTotal'), UNITS.count)),
    types: readErrorTypes(member(object, 'types'), {
      reject,
      max,
      readRate: (rate) => keep(readNewest(rate, rateTag, UNITS[rateUnit])),
      // Without a value it has no series, which bound what a system can make the exporter keep.
      hasSeries: ({ count, rate }) => count !== undefined || rate !== undefined,
    }),
  }
  const { all, succeeded, failed, types } = errors
  return [all, succeeded, failed, types[0]].every((part) => part === undefined) ? undefined : errors
}

interface ErrorTypeOptions<Rate> {
  readonly reject: Reject
  /** Maximum number of types to keep, if less than `maxExported`. */
  readonly max: number
  readonly readRate: (value: unknown) => Rate | undefined
  readonly hasSeries: (type: ErrorType<Rate>) => boolean
}

/** Reads `types`: the types with a series, of which the most frequent are kept if there are too many to export. */
export function readErrorTypes<Rate>(
  value: unknown,
  { reject, max, readRate, hasSeries }: ErrorTypeOptions<Rate>,
): readonly ErrorType<Rate>[] {
  const list = asList(value)
  const types = new Map<string, ErrorType<Rate>>()
  const unread = list.length - maxEntries
  if (unread > 0) reject('too_many', `${list.length} error types`, unread)
  for (const entry of list.slice(0, maxEntries)) {
    const errorType = isObject(entry) ? readName(member(entry, 'errorType')) : undefined
    if (!isObject(entry) || errorType === undefined) {
      reject('shape', 'an error type without a name')
      continue
    }
    const category = readName(member(entry, 'category')) ?? ''
    const key = `${category}\n${errorType}`
    if (types.has(key)) reject('duplicate', errorType.slice(0, MAX_REJECTED_CHARACTERS))
    const count = servedOrRejected(readNumber(member(entry, 'errorCount'), UNITS.count), reject)
    const type = { category, errorType, count, rate: readRate(member(entry, 'errorRate')) }
    if (hasSeries(type)) types.set(key, type)
  }
  const kept = Math.min(max, maxExported)
  if (types.size <= kept) return [...types.values()]
  reject('too_many', `${types.size} error types`, types.size - kept)
  return [...types.values()].sort((a, b) => (b.count ?? 0) - (a.count ?? 0)).slice(0, kept)
}

export interface Forecast {
  /** The time frame: days of history that are extrapolated. */
  readonly historyDays: string
  /** Percent of the total capacity. */
  readonly targetPercent: string
  /** Days from now; 0: already reached; undefined: no forecast (`N/A`). */
  readonly days: number | undefined
}

/** Maximum length of an unknown unit in a log line. */
const MAX_UNIT_CHARACTERS = 16

/**
 * Reads `allocatedCapacityForecast`. Source: API document, "Forecast entry".
 * @param max maximum number of entries to read, if less than that of a node
 */
export function readForecasts(value: unknown, reject: Reject, max: number): Forecast[] {
  const list = asList(value)
  const read = list.slice(0, Math.min(max, FORECAST.maxEntries))
  if (list.length > read.length) reject('too_many', `${list.length} forecasts`, list.length - read.length)
  const entries = read.filter((entry) => isObject(entry) || readNumber(entry) !== undefined)
  const forecasts = new Map<string, Forecast>()
  for (const entry of entries) {
    const forecast = isObject(entry) ? readEntry(entry, reject) : undefined
    if (!isObject(entry)) reject('shape', typeof entry)
    if (forecast === undefined) continue
    const key = keyOf(forecast)
    if (forecasts.has(key)) reject('duplicate', key)
    forecasts.set(key, forecast)
  }
  return [...forecasts.values()]
}

const keyOf = ({ historyDays, targetPercent }: Forecast) => `${historyDays} ${targetPercent}`

/** One forecast for each time frame and target: a system may give those of others than the requested time frame, too. */
export function distinctForecasts(forecasts: readonly Forecast[]): Forecast[] {
  return [...new Map(forecasts.map((forecast) => [keyOf(forecast), forecast])).values()]
}

function readEntry(entry: JsonObject, reject: Reject): Forecast | undefined {
  const history = readNumber(member(entry, 'history'), UNITS.day)
  const target = readNumber(member(entry, 'target'), UNITS.Percent)
  if (typeof history !== 'number' || typeof target !== 'number') {
    reject('shape', 'a forecast without its time frame or target')
    return undefined
  }
  const named = { historyDays: String(history), targetPercent: String(target) }
  const days = readNumber(member(entry, 'forecast'), UNITS[FORECAST.unit])
  if (days === undefined) return { ...named, days: undefined }
  const value = servedOrRejected(days, reject)
  if (value === undefined) return undefined
  const unit = readText(member(entry, 'unit')) ?? ''
  // "0" may have no unit. With an unknown unit the number of days would be wrong.
  if (unit !== FORECAST.unit && unit !== `${FORECAST.unit}s` && value !== 0) {
    reject('shape', `the unit ${unit.slice(0, MAX_UNIT_CHARACTERS)}`)
    return undefined
  }
  return { ...named, days: value }
}
