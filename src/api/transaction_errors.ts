import { TRANSACTION_ERRORS } from '../catalogue.ts'
import {
  ABSENT,
  isObject,
  member,
  type Read,
  type Rejection,
  readNumber,
  readText,
  served,
  unreadable,
} from './numbers.ts'
import { readNewest, type Snapshot } from './snapshots.ts'

/** Failures of one type in the sample. */
export interface ErrorType {
  /** `User` or `System`, or what else the system says. */
  readonly category: string
  /** Such as `404 (S3)`; kept whole. */
  readonly errorType: string
  readonly count: number | undefined
  /** Percent of the transactions. */
  readonly rate: Snapshot | undefined
}

export interface TransactionErrors {
  /** Percent of the transactions. */
  readonly all: Snapshot | undefined
  readonly succeeded: number | undefined
  readonly failed: number | undefined
  readonly types: readonly ErrorType[]
}

/** Error types exported of one node: a hostile or broken system must not fill Prometheus with series. */
export const MAX_ERROR_TYPES = 100

type Reject = (rejection: Rejection, text: string, times?: number) => void

/**
 * Reads `transactionErrorsCurrent`: an object whose members are arrays, or single objects as the document
 * describes Current values. Source: API document, "Transaction error attributes".
 */
export function readTransactionErrors(value: unknown, reject: Reject): Read<TransactionErrors> {
  if (value === undefined || value === null) return ABSENT
  const object = Array.isArray(value) ? value.at(-1) : value
  if (object === undefined) return ABSENT
  if (!isObject(object)) return unreadable('shape', object)
  const keep = <T>(read: Read<T>): T | undefined => {
    if (read.state === 'unreadable') reject(read.rejection, read.text)
    return read.state === 'served' ? read.value : undefined
  }
  const totals = asList(member(object, 'errorSuccessTotals')).filter(isObject).at(-1) ?? {}
  const errors: TransactionErrors = {
    all: keep(readNewest(member(object, 'all'), TRANSACTION_ERRORS.rateTag)),
    succeeded: keep(readNumber(member(totals, 'successTotal'))),
    failed: keep(readNumber(member(totals, 'errorTotal'))),
    types: readTypes(asList(member(object, 'types')), keep, reject),
  }
  const empty = errors.all === undefined && errors.succeeded === undefined && errors.failed === undefined
  return empty && errors.types.length === 0 ? ABSENT : served(errors)
}

function readTypes(
  list: readonly unknown[],
  keep: <T>(read: Read<T>) => T | undefined,
  reject: Reject,
): ErrorType[] {
  const types = new Map<string, ErrorType>()
  for (const entry of list) {
    const errorType = isObject(entry) ? readText(member(entry, 'errorType')) : undefined
    if (!isObject(entry) || errorType === undefined) {
      reject('shape', 'an error type without a name')
      continue
    }
    const category = readText(member(entry, 'category')) ?? ''
    const key = `${category}\n${errorType}`
    if (types.has(key)) reject('duplicate', errorType)
    types.set(key, {
      category,
      errorType,
      count: keep(readNumber(member(entry, 'errorCount'))),
      rate: keep(readNewest(member(entry, 'errorRate'), TRANSACTION_ERRORS.rateTag)),
    })
  }
  if (types.size <= MAX_ERROR_TYPES) return [...types.values()]
  reject('too_many', `${types.size} error types`, types.size - MAX_ERROR_TYPES)
  // The most frequent ones are what a person looks for.
  return [...types.values()].toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)).slice(0, MAX_ERROR_TYPES)
}

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}
