import { ERROR_CODE_FIELD, ERROR_FIELDS, MEASUREMENTS, TRANSACTION_FIELDS } from '../../query_catalogue.ts'
import { type ErrorType, MAX_ERROR_TYPES, type TransactionErrors } from '../feed/transaction_errors.ts'
import type { Series } from './answer.ts'
import { type Increase, sumOfIncreases } from './rates.ts'

/** Transactions of a node between the last two points. */
export interface TimedErrors {
  readonly t: number
  readonly errors: TransactionErrors
}

/** `error_type` of the errors of a category while the system serves no codes. */
export const ALL_TYPES = 'all'

/** The counters of transactions and errors of one node, as the attribute `transactionErrors` has them. */
export function transactionErrors(series: readonly Series[]): TimedErrors | undefined {
  const grown = (field: string, measurement: { readonly name: string }) => {
    const found = series.filter((one) => one.field === field && one.measurement === measurement.name)
    return { exists: found.length > 0, increase: sumOfIncreases(found) }
  }
  const succeeded = grown(TRANSACTION_FIELDS.succeeded, MEASUREMENTS.transactions).increase
  const failures = grown(TRANSACTION_FIELDS.failed, MEASUREMENTS.transactions)
  const failed = failures.increase
  // A node without a failure since its start has no series of failures.
  const failedOrNone = failures.exists ? (failed?.t === succeeded?.t ? failed?.amount : undefined) : 0
  const all =
    succeeded === undefined || failedOrNone === undefined ? undefined : succeeded.amount + failedOrNone
  const categories = Object.entries(ERROR_FIELDS).map(
    ([category, field]) => [category, grown(field, MEASUREMENTS.errors).increase] as const,
  )
  const codes = byCode(series.filter(isErrorCode), all)
  const types = codes.length > 0 ? codes : byCategory(categories, all)
  const times = [succeeded, failed, ...categories.map(([, increase]) => increase)].map((one) => one?.t ?? 0)
  const t = Math.max(...times, ...codes.map(({ rate }) => rate?.t ?? 0))
  if (t === 0) return undefined
  const errors: TransactionErrors = {
    all: percentage(failedOrNone, all, t),
    succeeded: succeeded?.amount,
    failed: failed?.amount,
    types,
  }
  return { t, errors }
}

/** Undefined without transactions: a share of nothing is not 0. */
function percentage(part: number | undefined, all: number | undefined, t: number) {
  return part === undefined || all === undefined || all <= 0 || part > all
    ? undefined
    : { t, value: (100 * part) / all }
}

function errorType(category: string, type: string, increase: Increase, all: number | undefined): ErrorType {
  const rate = percentage(increase.amount, all, increase.t)
  return { category, errorType: type, count: increase.amount, rate }
}

function byCategory(
  categories: readonly (readonly [string, Increase | undefined])[],
  all: number | undefined,
): ErrorType[] {
  return categories.flatMap(([category, increase]) =>
    increase === undefined ? [] : [errorType(category, ALL_TYPES, increase, all)],
  )
}

function isErrorCode({ field, measurement }: Series): boolean {
  return field === ERROR_CODE_FIELD && measurement === MEASUREMENTS.errorCodes.name
}

function byCode(series: readonly Series[], all: number | undefined): ErrorType[] {
  const codes = Map.groupBy(series, ({ tags }) => tags.get('code') ?? '')
  const types = [...codes].flatMap(([code, ofCode]) => {
    const increase = sumOfIncreases(ofCode)
    return increase === undefined || code === '' ? [] : [errorType(categoryOf(code), code, increase, all)]
  })
  return types.toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)).slice(0, MAX_ERROR_TYPES)
}

/** By the class of the HTTP status that the code begins with. */
function categoryOf(code: string): string {
  if (/^4\d\d/.test(code)) return 'User'
  return /^5\d\d/.test(code) ? 'System' : ''
}
