import type { HistoryReading } from '../api/history/history.ts'
import type { NodeHistory } from '../api/history/node_history.ts'
import { ATTRIBUTES, type SourceUnit, UNITS } from '../catalogue.ts'
import { type PoolLabels, uniqueNames } from '../metrics/samples.ts'

/** Points of one series in base units, in ascending order of time. */
export interface HistorySeries {
  readonly family: string
  readonly labels: Readonly<Record<string, string>>
  /** Seconds since the epoch. */
  readonly times: readonly number[]
  /** One for each time. */
  readonly values: readonly number[]
}

/**
 * The series of a pool, with the names and labels of `/metrics`. Where history and current value differ in meaning,
 * the name is another one.
 * @param more labels to add, such as `job`
 */
export function* historySeries(
  { nodes }: Pick<HistoryReading, 'nodes'>,
  { system, pool }: Pick<PoolLabels, 'system' | 'pool'>,
  more: Readonly<Record<string, string>> = {},
): Generator<HistorySeries> {
  const names = uniqueNames(nodes)
  for (const [index, node] of nodes.entries()) {
    yield* seriesOf(node, { system, pool, node: names[index] ?? node.id, ...more })
  }
}

function* seriesOf(node: NodeHistory, base: Readonly<Record<string, string>>): Generator<HistorySeries> {
  for (const { name, historyFamily: family, labels } of ATTRIBUTES) {
    const history = node.attributes.get(name)
    if (history === undefined) continue
    const { times, values } = history.series
    yield { family, labels: { ...base, ...labels }, times, values: inBaseUnit(values, history.unit) }
  }
  const { all, types } = node.errors
  if (all !== undefined) {
    const family = 'sds_node_transaction_errors_ratio'
    yield { family, labels: base, times: all.times, values: inBaseUnit(all.values, 'Percent') }
  }
  for (const { category, errorType, rate } of types) {
    const family = 'sds_node_transaction_errors_by_type_ratio'
    const labels = { ...base, category, error_type: errorType }
    yield { family, labels, times: rate.times, values: inBaseUnit(rate.values, 'Percent') }
  }
}

function inBaseUnit(values: readonly number[], unit: SourceUnit): readonly number[] {
  if (unit === 'Bytes') return values
  const { toBase } = UNITS[unit]
  return values.map(toBase)
}
