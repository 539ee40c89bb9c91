import type { ErrorHistory, HistoryReading, NodeHistory } from '../api/history/history.ts'
import type { Points } from '../api/history/series.ts'
import { ATTRIBUTES, type Labels, type SourceUnit, UNITS } from '../catalogue.ts'
import { boundText, type PoolLabels, uniqueNames } from '../metrics/samples.ts'
import { boundedName } from '../values/names.ts'

/** Points of one series in base units. */
export interface HistorySeries extends Points {
  /** Name of the samples. */
  readonly family: string
  readonly labels: Labels
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
    for (const series of seriesOf(node, { system, pool, node: names[index] ?? node.id, ...more })) {
      if (series.times.length > 0) yield series
    }
  }
}

function* seriesOf(node: NodeHistory, base: Labels): Generator<HistorySeries> {
  for (const { name, historyFamily: family, labels } of ATTRIBUTES) {
    const history = node.attributes.get(name)
    if (history === undefined) continue
    const { times, values } = history.series
    yield { family, labels: { ...base, ...labels }, times, values: inBaseUnit(values, history.unit) }
  }
  yield* errorSeries(node.errors, base)
  for (const { operation, seconds, counts } of node.latencies ?? []) {
    const labels = { ...base, operation, le: boundText(seconds) }
    yield { family: 'sds_node_transaction_latency_seconds_bucket', labels, ...counts }
  }
  for (const { name, received, transmitted } of node.interfaces ?? []) {
    const labels = { ...base, interface: boundedName(name) }
    yield { family: 'sds_node_nic_interface_received_bytes_per_second', labels, ...received }
    yield { family: 'sds_node_nic_interface_transmitted_bytes_per_second', labels, ...transmitted }
  }
}

const NO_SERIES: Points = { times: [], values: [] }

function* errorSeries(errors: ErrorHistory, base: Labels): Generator<HistorySeries> {
  const { all = NO_SERIES, succeeded = NO_SERIES, failed = NO_SERIES, types } = errors
  const ratio = ({ times, values }: Points) => ({ times, values: inBaseUnit(values, 'Percent') })
  yield { family: 'sds_node_transaction_errors_ratio', labels: base, ...ratio(all) }
  yield { family: 'sds_node_transactions_succeeded', labels: base, ...succeeded }
  yield { family: 'sds_node_transactions_failed', labels: base, ...failed }
  for (const { category, errorType, rate, count = NO_SERIES } of types) {
    const labels = { ...base, category, error_type: errorType }
    yield { family: 'sds_node_transaction_errors_by_type_ratio', labels, ...ratio(rate) }
    yield { family: 'sds_node_transaction_errors_by_type', labels, ...count }
  }
}

function inBaseUnit(values: readonly number[], unit: SourceUnit): readonly number[] {
  if (unit === 'Bytes') return values
  const { toBase } = UNITS[unit]
  return values.map(toBase)
}
