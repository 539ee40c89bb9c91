import { TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { StorageModel } from '../model/model.ts'
import { keyOf, mix } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import { countTransactions, ERROR_TYPES, type ErrorType, type TransactionCounts } from '../model/traffic.ts'
import type { Profile } from '../protocol/profiles.ts'
import { type Form, notationOf, type Snapshot, servedSeries, servedSummary } from './series.ts'

const TYPES = Object.keys(ERROR_TYPES) as readonly ErrorType[]
const KEY = keyOf(TRANSACTION_ERRORS.name)

type ErrorSample = ReturnType<typeof errorSamples>[number]

/** The transactions of the intervals that end at these times, in epoch seconds. */
export function errorSamples(
  model: StorageModel,
  node: Node,
  times: readonly number[],
  interval: number,
  form: 'current' | 'historical',
) {
  return times.map((t) => ({ t, counts: countTransactions(model.stateOf(node, t, form), interval) }))
}

/**
 * `transactionErrors` and `transactionErrorsCurrent`: arrays in every profile, with one element in the current form.
 * Totals and counts cover the whole range. The series of a type has no snapshot for intervals without it.
 */
export function servedErrors(profile: Profile, node: Node, samples: readonly ErrorSample[]) {
  const form = formOf(profile, node)
  const sum = (of: (counts: TransactionCounts) => number, salt: number) => {
    const total = samples.reduce((before, { counts }) => before + of(counts), 0)
    return notationOf(profile).value(total, mix(node.key, KEY + salt), 'whole')
  }
  const types = TYPES.map((type, index) => ({
    errorType: type,
    category: ERROR_TYPES[type].category,
    errorCount: sum(({ byType }) => byType.get(type) ?? 0, index),
    errorRate: servedSeries(form, seriesOf(type, samples)),
  }))
  const totals = {
    successTotal: sum(({ succeeded }) => succeeded, 101),
    errorTotal: sum(({ failed }) => failed, 102),
  }
  return {
    all: servedSeries(form, allRates(samples)),
    errorSuccessTotals: [totals],
    types: types.filter(({ errorRate }) => errorRate.length > 0),
  }
}

/** `transactionErrorsSummary`: summaries of the rates, for all types together and by type. */
export function servedErrorsSummary(profile: Profile, node: Node, samples: readonly ErrorSample[]) {
  const form = formOf(profile, node)
  const types = TYPES.map((type) => ({
    errorType: type,
    category: ERROR_TYPES[type].category,
    errorRate: servedSummary(form, seriesOf(type, samples)),
  }))
  return {
    all: servedSummary(form, allRates(samples)),
    types: types.filter(({ errorRate }) => errorRate !== undefined),
  }
}

function formOf(profile: Profile, node: Node): Form {
  return { profile, tag: TRANSACTION_ERRORS.rateTag, kind: 'fraction', key: mix(node.key, KEY) }
}

function allRates(samples: readonly ErrorSample[]): Snapshot[] {
  return samples.map(({ t, counts }) => ({ t, value: rate(counts.failed, counts) }))
}

function seriesOf(type: ErrorType, samples: readonly ErrorSample[]): Snapshot[] {
  return samples.flatMap(({ t, counts }) => {
    const count = counts.byType.get(type) ?? 0
    return count === 0 ? [] : [{ t, value: rate(count, counts) }]
  })
}

function rate(count: number, { succeeded, failed }: TransactionCounts): number {
  return count === 0 ? 0 : (100 * count) / (succeeded + failed)
}
