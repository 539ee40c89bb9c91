import { TRANSACTION_ERRORS } from '../../../catalogue.ts'
import {
  ERROR_CODE_FIELD,
  ERROR_FIELDS,
  type MeasurementName,
  TRANSACTION_FIELDS,
} from '../../../query_catalogue.ts'
import { largest } from '../../../values/largest.ts'
import type { Snapshot } from '../../feed/snapshots.ts'
import type { ErrorType, TransactionErrors } from '../../feed/transaction_errors.ts'
import type { FieldSeries } from '../answers/answer.ts'
import { newestTime, sumOfIncreases } from '../answers/rates.ts'
import { atCommonTime, upTo } from './remembered_points.ts'

/** Transactions of a node between two points of time, `t` and the one before. */
export interface TransactionTotals extends Omit<TransactionErrors, 'types'> {
  readonly t: number
}

/** Errors by type between two points of time, `t` and the one before. */
export interface ErrorTypes extends Pick<TransactionErrors, 'types'> {
  readonly t: number
}

/** `error_type` of the errors of a category while the system serves no codes. */
const ALL_TYPES = 'all'

/** Successes, failures and their ratio. All are of the same time. */
export function transactionTotals(transactions: readonly FieldSeries[]): TransactionTotals | undefined {
  const counts = countsOf(atCommonTime(transactions))
  if (counts === undefined) return undefined
  const { t, succeeded, failed, failedOrNone } = counts
  return { t, succeeded, failed, all: shareOf(failedOrNone, counts, t) }
}

type Counts = ReturnType<typeof countsOf>

/** Undefined without any growth at the time of the newest point. */
function countsOf(transactions: readonly FieldSeries[]) {
  const t = largest(transactions.map(newestTime))
  if (t === undefined) return undefined
  const growthOf = (field: string) => {
    const increase = sumOfIncreases(transactions.filter((one) => one.field === field))
    return increase?.t === t ? increase?.amount : undefined
  }
  const [succeeded, failed] = [growthOf(TRANSACTION_FIELDS.succeeded), growthOf(TRANSACTION_FIELDS.failed)]
  if (succeeded === undefined && failed === undefined) return undefined
  // A node without a failure since its start has no series of failures.
  const hasFailures = transactions.some(({ field }) => field === TRANSACTION_FIELDS.failed)
  return { t, succeeded, failed, failedOrNone: hasFailures ? failed : 0 }
}

/** The series of a node by our name of their measurement. */
export type SeriesOf = (measurement: MeasurementName) => readonly FieldSeries[]

interface TypesRow {
  readonly measurement: MeasurementName
  /** What its series are told apart by; undefined: the series is not used. */
  readonly keyOf: (series: FieldSeries) => string | undefined
  readonly typeOf: (key: string) => Pick<ErrorType, 'category' | 'errorType'>
}

const CATEGORY_OF = new Map<string, string>(
  Object.entries(ERROR_FIELDS).map(([category, field]) => [field, category]),
)

/** The first measurement that has growth is used. */
const TYPES: readonly TypesRow[] = [
  {
    measurement: 'errorCodes',
    keyOf: ({ field, tags }) => (field === ERROR_CODE_FIELD ? tags.get('code') : undefined),
    typeOf: (code) => ({ category: categoryOfCode(code), errorType: code }),
  },
  {
    measurement: 'errors',
    keyOf: ({ field }) => CATEGORY_OF.get(field),
    typeOf: (category) => ({ category, errorType: ALL_TYPES }),
  },
]

/** Errors by code, or by category while there are no codes. All are of the same time. */
export function errorTypes(seriesOf: SeriesOf): ErrorTypes | undefined {
  for (const { measurement, keyOf, typeOf } of TYPES) {
    const found = atCommonTime(seriesOf(measurement))
    const t = largest(found.map(newestTime))
    if (t === undefined) continue
    const counts = countsOf(upTo(seriesOf('transactions'), t))
    const types = [...Map.groupBy(found, keyOf)].flatMap(([key, ofKey]): ErrorType[] => {
      const increase = sumOfIncreases(ofKey)
      if (key === undefined || increase?.t !== t) return []
      return [{ ...typeOf(key), count: increase.amount, rate: shareOf(increase.amount, counts, t) }]
    })
    const most = types
      .toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0))
      .slice(0, TRANSACTION_ERRORS.maxExported)
    if (most.length > 0) return { t, types: most }
  }
  return undefined
}

/** Percent of the transactions at a time. Undefined without transactions. */
function shareOf(amount: number | undefined, counts: Counts, t: number): Snapshot | undefined {
  if (amount === undefined || counts?.t !== t) return undefined
  if (counts.succeeded === undefined || counts.failedOrNone === undefined) return undefined
  const all = counts.succeeded + counts.failedOrNone
  return all <= 0 || amount > all ? undefined : { t, value: (100 * amount) / all }
}

/** By the class of the HTTP status that the code begins with. */
function categoryOfCode(code: string): string {
  if (/^4\d\d/.test(code)) return 'User'
  return /^5\d\d/.test(code) ? 'System' : ''
}
