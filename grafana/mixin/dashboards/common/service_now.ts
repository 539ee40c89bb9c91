import { type Expression, select } from '../../promql/expression.ts'
import { latencyOfAll, type Operation } from '../../promql/latency.ts'
import { TRANSACTIONS } from '../../promql/metrics.ts'
import { perNode, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { type SizedPanel, steps, withSteps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { LATENCY_THRESHOLDS } from '../../settings.ts'
import { capital, LATENCY_MEASURE, OPERATIONS } from './latency.ts'

/** Transactions per second of each node. */
export const countOf = (operation: Operation): Expression =>
  perNode(select(TRANSACTIONS[operation].count, ...SCOPE.node))

/** Bytes per second of the transactions of each node. */
export const bytesOf = (operation: Operation): Expression =>
  perNode(select(TRANSACTIONS[operation].bytes, ...SCOPE.node))

const summed = (of: (operation: Operation) => Expression) =>
  OPERATIONS.map((operation) => ({ expr: sum(of(operation)), legend: `${capital(operation)}s` }))

export const transactionsNow = (width: number): SizedPanel =>
  stat({
    title: 'Transactions',
    shows: 'Read and write transactions per second over the selected nodes.',
    normal: 'Follows the daily load. The performance dashboard compares with the day and the week before.',
    otherwise:
      'Zero while clients send requests means that the requests do not reach the system. No value where the system does not serve transactions.',
    queries: summed(countOf),
    unit: 'reqps',
    width,
  })

export const bandwidthNow = (width: number): SizedPanel =>
  stat({
    title: 'Bandwidth',
    shows: 'Bytes per second that transactions read and write over the selected nodes.',
    normal: 'Follows the transactions.',
    otherwise: 'Higher bandwidth without more transactions means larger objects.',
    queries: summed(bytesOf),
    unit: 'Bps',
    width,
  })

export const latencyNow = (width: number): SizedPanel =>
  stat({
    title: 'Latency',
    shows: `Time of a transaction over the selected pools, weighted by their transactions: ${LATENCY_MEASURE}`,
    normal: 'Below the warning threshold. No value where there are no transactions.',
    otherwise:
      'One slow node in “Top $topn nodes by read latency” is a faulty node. All nodes slow together is load, network or background work.',
    queries: OPERATIONS.map((operation) => ({
      expr: latencyOfAll(operation, SCOPE.pool),
      legend: capital(operation),
    })),
    unit: 's',
    decimals: 1,
    steps: steps(LATENCY_THRESHOLDS.read),
    overrides: [withSteps(capital('write'), steps(LATENCY_THRESHOLDS.write))],
    width,
  })
