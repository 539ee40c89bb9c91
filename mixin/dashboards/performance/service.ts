import { SERIES_COLORS } from '../../colors.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { colored, dashed, timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql } from '../../promql/expression.ts'
import { latencyOf, latencyQuantile, nodeLatency, type Operation } from '../../promql/latency.ts'
import { ratio, sum, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY } from '../../settings.ts'
import { capital, LATENCY_MEASURE, latencyAxis } from '../common/latency.ts'
import { SAMPLE_INTERVAL, topPools } from '../common/lines.ts'
import { NO_DATA } from '../common/pool_data.ts'
import { bytesOf, countOf } from '../common/service_now.ts'
import { compared } from './compare.ts'

/** The selected nodes as a whole: the typical latency beside that of the slowest nodes. */
export const spread = (operation: Operation): SizedPanel => {
  const nodes = nodeLatency(operation, SCOPE.node)
  return timeSeries({
    title: `${capital(operation)} latency of the selected nodes`,
    about: [
      `Time of a ${operation} transaction over the selected nodes: ${LATENCY_MEASURE} Dashed: the 95th percentile and the maximum of the nodes, not of requests; p99 of requests where the system serves a histogram.`,
      'All lines similar and below the thresholds.',
      'Only the worst node is high: one faulty node, see “Where”. All are high: load or background work, see “Why”.',
    ],
    queries: [
      { expr: latencyOf([], operation, SCOPE.node), legend: 'All requests' },
      { expr: promql`quantile(0.95, ${nodes})`, legend: '95th percentile of nodes' },
      { expr: promql`max(${nodes})`, legend: 'Worst node' },
      { expr: latencyQuantile(0.99, [], operation, SCOPE.node), legend: 'p99 of requests' },
    ],
    ...latencyAxis(operation),
    overrides: [
      colored('All requests', SERIES_COLORS.now),
      dashed('95th percentile of nodes', SERIES_COLORS.percentile),
      dashed('Worst node', SERIES_COLORS.worst),
      dashed('p99 of requests', SERIES_COLORS.slowRequests),
    ],
    noValue: NO_DATA,
    interval: SAMPLE_INTERVAL,
    width: 12,
  })
}

export const poolLatency = (operation: Operation): SizedPanel =>
  topPools({
    title: `Top $topn pools by ${operation} latency`,
    about: [
      `Time of a ${operation} transaction by pool, weighted by transactions, of the pools that were slowest in the last three hours of the time range: ${LATENCY_MEASURE}`,
      'Below the thresholds, and similar from day to day.',
      'One pool: see its nodes. All pools of a system: its network or its load.',
    ],
    expr: latencyOf(POOL_KEY, operation, SCOPE.node),
    ...latencyAxis(operation),
    noValue: NO_DATA,
    width: 12,
  })

const both = (of: (operation: Operation) => Expression): Expression => promql`${of('read')} + ${of('write')}`
const ofPools = (of: (operation: Operation) => Expression): Expression =>
  promql`${sumByPool(of('read'))} + ${sumByPool(of('write'))}`

const byPool = (title: string, about: readonly [string, string, string], expr: Expression, unit: string) =>
  topPools({ title, about, expr, unit, min: 0, noValue: NO_DATA, width: 12 })

export const transactions = byPool(
  'Top $topn pools by transactions',
  [
    'Reads and writes per second of the pools with the most in the last three hours of the time range.',
    'Follows the daily load.',
    'Latency that increases together with transactions is caused by load.',
  ],
  promql`(${ofPools(countOf)})`,
  'reqps',
)

export const bandwidth = byPool(
  'Top $topn pools by bandwidth',
  [
    'Bytes per second that transactions read and write, of the pools with the most in the last three hours of the time range.',
    'Follows the daily load.',
    'A constant maximum under load is a bottleneck: compare with CPU and network below.',
  ],
  promql`(${ofPools(bytesOf)})`,
  'Bps',
)

export const objectSize = (operation: Operation): SizedPanel =>
  byPool(
    `Top $topn pools by bytes per ${operation}`,
    [
      `Bandwidth divided by transactions: the mean size of the objects of a ${operation}, of the pools where it is largest.`,
      'Steady.',
      'A sudden increase explains higher latency: larger objects take longer.',
    ],
    ratio(sumByPool(bytesOf(operation)), sumByPool(countOf(operation))),
    'bytes',
  )

const SAME_TIME = 'and the values of the day and of the week before at the same time of day.'

export const comparedTransactions = compared({
  title: 'Transactions and earlier days',
  about: [
    `Reads and writes per second over the selected nodes, ${SAME_TIME}`,
    'All lines similar, except on holidays.',
    'Nearly zero while the other lines are not: requests do not reach the system. Far above: new load, which explains latency.',
  ],
  expr: sum(promql`${both(countOf)}`),
  unit: 'reqps',
  width: 8,
})

export const comparedLatency = (operation: Operation): SizedPanel =>
  compared({
    title: `${capital(operation)} latency and earlier days`,
    about: [
      `Time of a ${operation} transaction over the selected nodes, weighted by transactions, ${SAME_TIME} It is ${LATENCY_MEASURE}`,
      'All lines similar.',
      'Several times as slow at the same load: a fault, although the latency may be below the thresholds. Select one pool at a time.',
    ],
    expr: latencyOf([], operation, SCOPE.node),
    unit: 's',
    width: 8,
  })
