import { TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { Profile } from '../protocol/profiles.ts'
import { keyOf, mix } from '../world/random.ts'
import type { Node } from '../world/topology.ts'
import {
  countTransactions,
  ERROR_TYPES,
  type ErrorType,
  type TransactionCounts,
} from '../world/transactions.ts'
import type { World } from '../world/world.ts'
import { notationOf } from './notation.ts'
import { type Snapshot, summaryOf, type Writing, writeSeries, writeSummary } from './series.ts'

/** What became of the transactions in the interval before each time. */
export interface ErrorSample {
  readonly t: number
  readonly outcome: TransactionCounts
}

const TYPES = Object.keys(ERROR_TYPES) as readonly ErrorType[]
const KEY = keyOf(TRANSACTION_ERRORS.name)

export function errorSamples(
  world: World,
  node: Node,
  times: readonly number[],
  interval: number,
  form: 'current' | 'historical',
): ErrorSample[] {
  return times.map((t) => ({ t, outcome: countTransactions(world.moment(node, t, form), interval) }))
}

/**
 * `transactionErrors` and `transactionErrorsCurrent`: arrays in every profile, the current ones of one element.
 * Totals and counts are those of the whole range; a type's series leaves out the intervals without it.
 */
export function writeErrors(profile: Profile, node: Node, samples: readonly ErrorSample[]): string {
  const notation = notationOf(profile)
  const count = (value: number, salt: number) => notation.value(value, mix(node.key, KEY + salt), 'whole')
  const writing = writingOf(profile, node)
  const totals = {
    success: sum(samples, ({ outcome }) => outcome.succeeded),
    error: sum(samples, ({ outcome }) => outcome.failed),
  }
  const types = TYPES.map((type, index) => ({ type, index, series: seriesOf(type, samples) }))
    .filter(({ series }) => series.length > 0)
    .map(
      ({ type, index, series }) =>
        `{"errorType":${JSON.stringify(type)},"category":"${ERROR_TYPES[type].category}",` +
        `"errorCount":${count(countOf(type, samples), index)},"errorRate":${writeSeries(writing, series)}}`,
    )
  return (
    `{"all":${writeSeries(writing, allRates(samples))},` +
    `"errorSuccessTotals":[{"successTotal":${count(totals.success, 101)},"errorTotal":${count(totals.error, 102)}}],` +
    `"types":[${types.join(',')}]}`
  )
}

/** `transactionErrorsSummary`: of the rates, over all types and by type. */
export function writeErrorsSummary(profile: Profile, node: Node, samples: readonly ErrorSample[]): string {
  const writing = writingOf(profile, node)
  const written = (series: readonly Snapshot[]) => {
    const summary = summaryOf(series)
    return summary && writeSummary(writing, summary)
  }
  const types = TYPES.flatMap((type) => {
    const rate = written(seriesOf(type, samples))
    if (rate === undefined) return []
    return [
      `{"errorType":${JSON.stringify(type)},"category":"${ERROR_TYPES[type].category}","errorRate":${rate}}`,
    ]
  })
  const all = written(allRates(samples))
  return `{${all === undefined ? '' : `"all":${all},`}"types":[${types.join(',')}]}`
}

function writingOf(profile: Profile, node: Node): Writing {
  return { profile, tag: TRANSACTION_ERRORS.rateTag, kind: 'fraction', key: mix(node.key, KEY) }
}

function allRates(samples: readonly ErrorSample[]): Snapshot[] {
  return samples.map(({ t, outcome }) => ({ t, value: rate(outcome.failed, outcome) }))
}

function seriesOf(type: ErrorType, samples: readonly ErrorSample[]): Snapshot[] {
  return samples.flatMap(({ t, outcome }) => {
    const count = outcome.byType.get(type) ?? 0
    return count === 0 ? [] : [{ t, value: rate(count, outcome) }]
  })
}

function countOf(type: ErrorType, samples: readonly ErrorSample[]): number {
  return sum(samples, ({ outcome }) => outcome.byType.get(type) ?? 0)
}

/** Percent of all transactions of the interval; 0 when there were none. */
function rate(count: number, { succeeded, failed }: TransactionCounts): number {
  return count === 0 ? 0 : (100 * count) / (succeeded + failed)
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
