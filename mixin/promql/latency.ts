import { MEASURES, NODE_KEY } from '../settings.ts'
import type { Duration } from './duration.ts'
import { type Expression, type Matcher, promql, select } from './expression.ts'
import { by, dedup, perNode, sumBy, weightedMean } from './operators.ts'

/**
 * Latencies of systems of both kinds. The nodes feed has means of nodes. The query interface has a histogram of
 * requests without a sum, so there is no mean; its quantile `MEASURES.latencyQuantile` is compared with the same
 * thresholds.
 */

export type Operation = 'read' | 'write'

/** Range of rates of counters from the query interface: its points come every five minutes. */
export const QUERY_RANGE: Duration = '15m'

const histogram = (operation: Operation, matchers: readonly Matcher[]): Expression =>
  select('sds_node_transaction_latency_seconds_bucket', ...matchers, `operation="${operation}"`)

const mean = (operation: Operation, matchers: readonly Matcher[]): Expression =>
  select(`sds_node_transaction_${operation}_latency_seconds`, ...matchers)

/** A quantile of the requests under each set of the labels, within {@link QUERY_RANGE}. */
export const latencyQuantile = (
  quantile: number,
  labels: readonly string[],
  operation: Operation,
  matchers: readonly Matcher[],
): Expression => {
  const rates = promql`rate(${histogram(operation, matchers)}[${QUERY_RANGE}])`
  const buckets = by('sum', [...labels, 'le'], dedup([...NODE_KEY, 'le'], rates))
  // NaN where there were no requests; the comparison drops it.
  return promql`(histogram_quantile(${quantile}, ${buckets}) >= 0)`
}

/** One series per node: its mean latency, or the quantile where the system does not serve the mean. */
export const nodeLatency = (operation: Operation, matchers: readonly Matcher[]): Expression =>
  promql`(${perNode(mean(operation, matchers))} or ${latencyQuantile(MEASURES.latencyQuantile, NODE_KEY, operation, matchers)})`

/**
 * The mean of the nodes under each set of the labels weighted by their transactions, or the quantile of their requests
 * where the system does not serve means.
 */
export const latencyOf = (
  labels: readonly string[],
  operation: Operation,
  matchers: readonly Matcher[],
): Expression => {
  const transactions = perNode(select(`sds_node_transaction_${operation}s_per_second`, ...matchers))
  const means = weightedMean(perNode(mean(operation, matchers)), transactions, (vector) =>
    sumBy(labels, vector),
  )
  return promql`(${means} or ${latencyQuantile(MEASURES.latencyQuantile, labels, operation, matchers)})`
}
