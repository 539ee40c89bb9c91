import { TRANSACTION_ERRORS } from '../../../catalogue.ts'
import {
  ERROR_CODE_FIELD,
  ERROR_FIELDS,
  type MeasurementName,
  TRANSACTION_FIELDS,
} from '../../../query_catalogue.ts'
import { largest, smallest } from '../../../values/largest.ts'
import type { ErrorType, Snapshot, TransactionErrors } from '../../feed/snapshots.ts'
import type { FieldSeries } from '../answers/answer.ts'
import { atCommonTime, type Increase, newestPoint, sumOfIncreases, upTo } from '../answers/rates.ts'

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

/** Successes, failures and their ratio. All are between the same times. */
export function transactionTotals(transactions: readonly FieldSeries[]): TransactionTotals | undefined {
  const counts = countsOf(transactions)
  if (counts === undefined) return undefined
  const { t, succeeded, failed, failedOrNone } = counts
  return { t, succeeded, failed, all: shareOf(failedOrNone, counts, counts) }
}

type Times = Pick<Increase, 'from' | 't'>
type Counts = ReturnType<typeof countsOf>

/** Undefined without any growth. */
function countsOf(transactions: readonly FieldSeries[]) {
  const common = atCommonTime(transactions)
  const growthOf = (field: string) => sumOfIncreases(common.filter((one) => one.field === field))
  const increases = [growthOf(TRANSACTION_FIELDS.succeeded), growthOf(TRANSACTION_FIELDS.failed)]
  const times = latestOf(increases)
  if (times === undefined) return undefined
  const [succeeded, failed] = increases.map((one) => (isBetween(one, times) ? one?.amount : undefined))
  // A node without a failure since its start has no series of failures.
  const hasFailures = common.some(({ field }) => field === TRANSACTION_FIELDS.failed)
  return { ...times, succeeded, failed, failedOrNone: hasFailures ? failed : 0 }
}

/** The times of the latest increase, and of the shortest of those. */
function latestOf(increases: readonly (Times | undefined)[]): Times | undefined {
  const t = largest(increases.map((one) => one?.t))
  const from = largest(increases.map((one) => (one?.t === t ? one?.from : undefined)))
  return t === undefined || from === undefined ? undefined : { from, t }
}

function isBetween(one: Times | undefined, { from, t }: Times): boolean {
  return one?.from === from && one.t === t
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

/** The first measurement that has series is used. */
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

/** Errors by code, or by category while there are no codes. All are between the same times. */
export function errorTypes(seriesOf: SeriesOf): ErrorTypes | undefined {
  const row = TYPES.find(({ measurement, keyOf }) =>
    seriesOf(measurement).some((one) => keyOf(one) !== undefined),
  )
  if (row === undefined) return undefined
  const growth = growthByKey(seriesOf(row.measurement), row)
  const counts = countsOf(upTo(seriesOf('transactions'), largest(growth.map(({ t }) => t))))
  const times = latestOf([...growth, counts])
  if (times === undefined) return undefined
  const types = growth
    .filter((one) => isBetween(one, times))
    .map(({ key, amount }): ErrorType => {
      return { ...row.typeOf(key), count: amount, rate: shareOf(amount, counts, times) }
    })
    .toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0))
  return types.length === 0
    ? undefined
    : { t: times.t, types: types.slice(0, TRANSACTION_ERRORS.maxExported) }
}

/** Increases of all keys, at the time of a key that the last answers lack. */
function growthByKey(series: readonly FieldSeries[], { keyOf }: TypesRow) {
  const lacking = smallest(series.map((one) => (one.isLacking ? newestPoint(one)?.t : undefined)))
  return [...Map.groupBy(upTo(series, lacking), keyOf)].flatMap(([key, ofKey]) => {
    const increase = key === undefined ? undefined : sumOfIncreases(ofKey)
    return key === undefined || increase === undefined ? [] : [{ key, ...increase }]
  })
}

/** Share of the transactions between the same times. Undefined without transactions. */
function shareOf(amount: number | undefined, counts: Counts, times: Times): Snapshot | undefined {
  if (amount === undefined || counts === undefined || !isBetween(counts, times)) return undefined
  if (counts.succeeded === undefined || counts.failedOrNone === undefined) return undefined
  const all = counts.succeeded + counts.failedOrNone
  return all <= 0 || amount > all ? undefined : { t: times.t, value: amount / all }
}

/** By the class of the HTTP status that the code begins with. */
function categoryOfCode(code: string): string {
  if (/^4\d\d/.test(code)) return 'User'
  return /^5\d\d/.test(code) ? 'System' : ''
}
