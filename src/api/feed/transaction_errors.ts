import { TRANSACTION_ERRORS, UNITS } from '../../catalogue.ts'
import { asList, isObject, member, readName } from '../parse/json.ts'
import { readNumber } from '../parse/numbers.ts'
import { MAX_REJECTED_CHARACTERS, type Read, type Reject, servedOrRejected } from '../parse/reads.ts'
import { readNewest, type Snapshot } from './snapshots.ts'

/** Failed transactions of one type in the sample, or in the period of a history. */
export interface ErrorType<Rate = Snapshot> {
  /** `User`, `System`, or an undocumented category. */
  readonly category: string
  /** Such as `404 (S3)`, not parsed. */
  readonly errorType: string
  readonly count: number | undefined
  /** Percent of the transactions. */
  readonly rate: Rate | undefined
}

export interface TransactionErrors {
  /** Percent of the transactions. */
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
    if (readNumber(object).state === 'absent') return undefined
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

export interface ErrorTypeOptions<Rate> {
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
