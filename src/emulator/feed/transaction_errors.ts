import { TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { StorageModel } from '../model/model.ts'
import { keyOf, mix } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import { countTransactions, ERROR_TYPES, type ErrorType, type TransactionCounts } from '../model/traffic.ts'
import type { Profile } from '../protocol/profiles.ts'
import {
  notationOf,
  type Snapshot,
  summaryOf,
  type WriteOptions,
  writeSeries,
  writeSummary,
} from './series.ts'

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
export function writeErrors(profile: Profile, node: Node, samples: readonly ErrorSample[]): string {
  const notation = notationOf(profile)
  const count = (value: number, salt: number) => notation.value(value, mix(node.key, KEY + salt), 'whole')
  const options = writeOptions(profile, node)
  const sum = (of: (counts: TransactionCounts) => number) =>
    samples.reduce((total, { counts }) => total + of(counts), 0)
  const succeeded = count(
    sum((counts) => counts.succeeded),
    101,
  )
  const failed = count(
    sum((counts) => counts.failed),
    102,
  )
  const countOf = (type: ErrorType) => sum((counts) => counts.byType.get(type) ?? 0)
  const types = TYPES.map((type, index) => ({ type, index, series: seriesOf(type, samples) }))
    .filter(({ series }) => series.length > 0)
    .map(
      ({ type, index, series }) =>
        `{"errorType":${JSON.stringify(type)},"category":"${ERROR_TYPES[type].category}",` +
        `"errorCount":${count(countOf(type), index)},"errorRate":${writeSeries(options, series)}}`,
    )
  return (
    `{"all":${writeSeries(options, allRates(samples))},` +
    `"errorSuccessTotals":[{"successTotal":${succeeded},"errorTotal":${failed}}],` +
    `"types":[${types.join(',')}]}`
  )
}

/** `transactionErrorsSummary`: summaries of the rates, for all types together and by type. */
export function writeErrorsSummary(profile: Profile, node: Node, samples: readonly ErrorSample[]): string {
  const options = writeOptions(profile, node)
  const summaryText = (series: readonly Snapshot[]) => {
    const summary = summaryOf(series)
    return summary && writeSummary(options, summary)
  }
  const types = TYPES.flatMap((type) => {
    const rate = summaryText(seriesOf(type, samples))
    if (rate === undefined) return []
    return [
      `{"errorType":${JSON.stringify(type)},"category":"${ERROR_TYPES[type].category}","errorRate":${rate}}`,
    ]
  })
  const all = summaryText(allRates(samples))
  return `{${all === undefined ? '' : `"all":${all},`}"types":[${types.join(',')}]}`
}

function writeOptions(profile: Profile, node: Node): WriteOptions {
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
