import { MEASURES, NODE_KEY, POOL_KEY } from '../settings.ts'
import type { Duration } from './duration.ts'
import { type Expression, type Matcher, promql, select } from './expression.ts'
import { RECORDED, type RecordedName, TRANSACTIONS } from './metrics.ts'
import { by, dedup, perNode, ratio } from './operators.ts'
import { recorded, recordedSelector } from './recorded.ts'

/**
 * Latencies of systems of both kinds. The dashboard API has means of nodes. The Flux API has a histogram of
 * requests without a sum, so there is no mean; its quantile `MEASURES.latencyQuantile` is compared with the same
 * thresholds.
 */

export type Operation = 'read' | 'write'

/**
 * Range of rates of the histogram of the Flux API. Its points come every five minutes, become visible 90 to 420 s
 * later, and are polled every five minutes: the counts change 5 to 15 minutes after the last change. So a range of 15
 * minutes may have no change, and no quantile; one of 20 minutes has three to five. All buckets of a node change at the
 * same time, so that the quantile of a node does not depend on how many changes there are. That of a pool weighs each
 * node by them, at most a quarter too much or too little.
 */
export const QUERY_RANGE: Duration = '20m'

/** What is recorded of each operation. */
const RECORDED_LATENCY = {
  read: {
    nodeQuantile: RECORDED.nodeReadLatencyQuantile,
    mean: RECORDED.readLatency,
    quantile: RECORDED.readLatencyQuantile,
    transactions: RECORDED.reads,
  },
  write: {
    nodeQuantile: RECORDED.nodeWriteLatencyQuantile,
    mean: RECORDED.writeLatency,
    quantile: RECORDED.writeLatencyQuantile,
    transactions: RECORDED.writes,
  },
} as const satisfies Record<Operation, Record<string, RecordedName>>

/** Requests per second to each node, by the upper bounds of their latency, within {@link QUERY_RANGE}. */
const nodeBuckets = (operation: Operation): Expression => {
  const counters = select('sds_node_transaction_latency_seconds_bucket', `operation="${operation}"`)
  return dedup([...NODE_KEY, 'le'], promql`rate(${counters}[${QUERY_RANGE}])`)
}

/**
 * Keeps nodes and pools with data: values of a range would remain for its length after all others are dropped. The
 * identity of a node has no past, its space has.
 */
const current = (vector: Expression, labels: readonly string[]): Expression =>
  promql`${vector}
and on (${labels})
(${dedup(labels, select('sds_node_info'))} or ${dedup(labels, select('sds_node_disk_space_total_bytes'))})`

/** Requests per second to each pool and operation, by the upper bounds of their latency. */
export const poolBuckets = (): Expression => {
  const counters = select('sds_node_transaction_latency_seconds_bucket')
  const labels = ['operation', 'le']
  const rates = dedup([...NODE_KEY, ...labels], promql`rate(${counters}[${QUERY_RANGE}])`)
  return current(by('sum', [...POOL_KEY, ...labels], rates), POOL_KEY)
}

/** A quantile of requests. NaN where there were no requests; the comparison drops it. */
const quantileOf = (quantile: number, buckets: Expression): Expression =>
  promql`(histogram_quantile(${quantile}, ${buckets}) >= 0)`

/** The quantile of the requests to each node, to be recorded. */
export const nodeQuantile = (operation: Operation): Expression =>
  current(quantileOf(MEASURES.latencyQuantile, nodeBuckets(operation)), NODE_KEY)

/** The quantile of the requests to each pool, to be recorded. */
export const poolQuantile = (operation: Operation): Expression =>
  current(
    quantileOf(MEASURES.latencyQuantile, by('sum', [...POOL_KEY, 'le'], nodeBuckets(operation))),
    POOL_KEY,
  )

/** A quantile of all requests to the selected pools. */
export const requestQuantile = (
  quantile: number,
  operation: Operation,
  scope: readonly Matcher[],
): Expression =>
  quantileOf(
    quantile,
    by('sum', ['le'], recordedSelector(RECORDED.latencyBuckets, scope, `operation="${operation}"`)),
  )

/** One series per node: its mean latency, or the quantile where the system does not serve the mean. */
export const nodeLatency = (operation: Operation, matchers: readonly Matcher[]): Expression => {
  const means = perNode(select(TRANSACTIONS[operation].latency, ...matchers))
  return promql`(${means} or ${recorded(RECORDED_LATENCY[operation].nodeQuantile, matchers)})`
}

/** One series per pool: the mean weighted by transactions, or the quantile where the system does not serve means. */
export const poolLatency = (operation: Operation, scope: readonly Matcher[]): Expression => {
  const { mean, quantile } = RECORDED_LATENCY[operation]
  return promql`(${recorded(mean, scope)} or ${recorded(quantile, scope)})`
}

/**
 * The latency of all selected pools: that of each pool weighted by transactions. Without means, the quantile of all requests
 * is exact, and a mean of quantiles is not.
 */
export const latencyOfAll = (operation: Operation, scope: readonly Matcher[]): Expression => {
  const { mean, transactions } = RECORDED_LATENCY[operation]
  const [seconds, weight] = [poolLatency(operation, scope), recorded(transactions, scope)]
  const weighted = ratio(promql`sum(${seconds} * ${weight})`, promql`sum(${weight} and ${seconds})`)
  return promql`(${weighted} and on () group(${recorded(mean, scope)}) or ${requestQuantile(MEASURES.latencyQuantile, operation, scope)})`
}
