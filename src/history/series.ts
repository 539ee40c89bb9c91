import type { HistoryReading, NodeHistory } from '../api/history/history.ts'
import type { Points } from '../api/history/series.ts'
import { ATTRIBUTES, type Labels, type SourceUnit, UNITS } from '../catalogue.ts'
import { type PoolLabels, uniqueNames } from '../metrics/samples.ts'

/** Points of one series in base units. */
export interface HistorySeries extends Points {
  /** Name of the samples. */
  readonly family: string
  readonly labels: Labels
}

/**
 * The series of a pool from its dashboard API, with the names and labels of `/metrics`. Where history and current value differ in meaning,
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

function* seriesOf(node: NodeHistory, base: Labels): Generator<HistorySeries> {
  for (const { name, historyFamily: family, labels } of ATTRIBUTES) {
    const history = node.attributes.get(name)
    if (history === undefined) continue
    const { times, values } = history.series
    yield { family, labels: { ...base, ...labels }, times, values: inBaseUnit(values, history.unit) }
  }
  const { all, types } = node.errors
  const ratio = ({ times, values }: Points) => ({ times, values: inBaseUnit(values, 'Percent') })
  if (all !== undefined) yield { family: 'sds_node_transaction_errors_ratio', labels: base, ...ratio(all) }
  for (const { category, errorType, rate } of types) {
    const labels = { ...base, category, error_type: errorType }
    yield { family: 'sds_node_transaction_errors_by_type_ratio', labels, ...ratio(rate) }
  }
}

function inBaseUnit(values: readonly number[], unit: SourceUnit): readonly number[] {
  if (unit === 'Bytes') return values
  const { toBase } = UNITS[unit]
  return values.map(toBase)
}
