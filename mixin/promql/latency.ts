import { MEASURES, NODE_KEY } from '../settings.ts'
import type { Duration } from './duration.ts'
import { type Expression, type Matcher, promql, select } from './expression.ts'
import { by, dedup, perNode } from './operators.ts'

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

/** NaN where there were no requests; the comparison drops it. */
const quantileOf = (quantile: number, labels: readonly string[], rates: Expression): Expression =>
  promql`(histogram_quantile(${quantile}, ${by('sum', [...labels, 'le'], dedup([...NODE_KEY, 'le'], rates))}) >= 0)`

/** A quantile of the requests under each set of the labels, within {@link QUERY_RANGE}. */
export const latencyQuantile = (
  quantile: number,
  labels: readonly string[],
  operation: Operation,
  matchers: readonly Matcher[],
): Expression => quantileOf(quantile, labels, promql`rate(${histogram(operation, matchers)}[${QUERY_RANGE}])`)

/** One series per node: its mean latency, or the quantile where the system does not serve the mean. */
export const nodeLatency = (operation: Operation, matchers: readonly Matcher[]): Expression =>
  promql`(${perNode(mean(operation, matchers))} or ${latencyQuantile(MEASURES.latencyQuantile, NODE_KEY, operation, matchers)})`

/** The same over the last three hours of the time range of a panel, to choose the slowest nodes once. */
export const recentNodeLatency = (operation: Operation, matchers: readonly Matcher[]): Expression => {
  const means = promql`avg_over_time(${mean(operation, matchers)}[3h] @ end())`
  const rates = promql`rate(${histogram(operation, matchers)}[3h] @ end())`
  return promql`(${perNode(means)} or ${quantileOf(MEASURES.latencyQuantile, NODE_KEY, rates)})`
}
