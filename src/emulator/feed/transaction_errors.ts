import { TRANSACTION_ERRORS } from '../../catalogue.ts'
import { type Amounts, amountOf, failedIn, succeededIn, transactionsIn } from '../model/activity.ts'
import { keyOf, mix, sum } from '../model/random.ts'
import { ERROR_CODES, ERROR_TYPES, type ErrorType } from '../model/traffic.ts'
import type { Profile } from '../protocol/profiles.ts'
import { type Form, notationOf, type Snapshot, servedCurrent, servedSeries, servedSummary } from './series.ts'
import type { Subject, ValueForm } from './subject.ts'

const COUNTS = Object.fromEntries(ERROR_CODES.map((type) => [type, amountOf(type)])) as Record<
  ErrorType,
  (amounts: Amounts) => number
>
const KEY = keyOf(TRANSACTION_ERRORS.name)

type ErrorSample = ReturnType<typeof errorSamples>[number]

/** The transactions of the intervals that end at these times, in epoch seconds. */
export function errorSamples(subject: Subject, times: readonly number[], form: ValueForm) {
  return times.map((t) => ({ t, form, amounts: subject.amounts[form](t) }))
}

/**
 * `transactionErrors` and `transactionErrorsCurrent`. Totals and counts cover the whole range. The series of a type has
 * no snapshot for intervals without it.
 */
export function servedErrors(form: Form, samples: readonly ErrorSample[]) {
  const count = (of: (amounts: Amounts) => number, salt: number) => {
    const total = sum(samples.map(({ amounts }) => of(amounts)))
    return notationOf(form.profile).value(total, mix(form.key, salt), 'whole')
  }
  const types = ERROR_CODES.map((type, index) => ({
    errorType: type,
    category: ERROR_TYPES[type].category,
    errorCount: count(COUNTS[type], index),
    errorRate: servedRates(form, samples, type),
  }))
  const totals = {
    successTotal: count(succeededIn, 101),
    errorTotal: count(failedIn, 102),
  }
  return {
    all: servedRates(form, samples) ?? [],
    errorSuccessTotals: [totals],
    types: types.filter(({ errorRate }) => errorRate !== undefined),
  }
}

/** The series of one type or of all; of the current errors it is the current value. Undefined without a snapshot. */
function servedRates(form: Form, samples: readonly ErrorSample[], type?: ErrorType) {
  const rates = ratesOf(samples, type)
  const [newest] = rates
  if (newest === undefined) return undefined
  return samples[0]?.form === 'current' ? servedCurrent(form, [newest]) : servedSeries(form, rates)
}

/** `transactionErrorsSummary`: summaries of the rates, for all types together and by type. */
export function servedErrorsSummary(form: Form, samples: readonly ErrorSample[]) {
  const types = ERROR_CODES.map((type) => ({
    errorType: type,
    category: ERROR_TYPES[type].category,
    errorRate: servedSummary(form, ratesOf(samples, type)),
  }))
  return {
    all: servedSummary(form, ratesOf(samples)),
    types: types.filter(({ errorRate }) => errorRate !== undefined),
  }
}

export function errorForm(profile: Profile, key: number): Form {
  return { profile, tag: TRANSACTION_ERRORS.rateTag, kind: 'fraction', key: mix(key, KEY) }
}

/** Percent of the transactions. A type has no snapshot for an interval in which it did not occur. */
function ratesOf(samples: readonly ErrorSample[], type?: ErrorType): Snapshot[] {
  return samples.flatMap(({ t, amounts }) => {
    const failed = (type === undefined ? failedIn : COUNTS[type])(amounts)
    if (type !== undefined && failed === 0) return []
    return [{ t, value: failed === 0 ? 0 : (100 * failed) / transactionsIn(amounts) }]
  })
}
