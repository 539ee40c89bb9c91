import { seriesToPool } from '../../grafana/links.ts'
import { type SizedPanel, steps } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { dashed, timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql } from '../../promql/expression.ts'
import { latencyQuantile, type Operation } from '../../promql/latency.ts'
import { by, ratio, sum, sumByPool, weightedMean } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { MEASURES, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { bytesOf, capital, countOf, latencyOf, meanOf, OPERATIONS } from './queries.ts'

const PERCENT = MEASURES.latencyQuantile * 100

export const latencyNow = stat({
  title: 'Latency now',
  about: [
    `Mean time of a transaction over the selected nodes, weighted by their transactions. p${PERCENT} is the quantile ${MEASURES.latencyQuantile} of the requests of 15 minutes, of systems that do not serve means.`,
    'Below the warning threshold. No value where there are no transactions.',
    'Find out below whether one pool is slow or all, the mean or one node only, and whether load, CPU or background work increased at the same time.',
  ],
  queries: [
    ...OPERATIONS.map((operation) => ({
      expr: weightedMean(meanOf(operation), countOf(operation), sum),
      legend: `${capital(operation)} mean`,
    })),
    ...OPERATIONS.map((operation) => ({
      expr: latencyQuantile(MEASURES.latencyQuantile, [], operation, SCOPE.node),
      legend: `${capital(operation)} p${PERCENT}`,
    })),
  ],
  unit: 's',
  steps: steps(THRESHOLDS.latencySeconds),
  noValue: NO_DATA,
  width: 8,
})

export const latency = (operation: Operation): SizedPanel =>
  timeSeries({
    title: `${capital(operation)} latency: mean, 95th percentile of nodes, worst node`,
    about: [
      `Mean time of a ${operation} transaction by pool, weighted by transactions. Dashed: the 95th percentile and the maximum of its nodes, not of requests, because the feed has means only. For systems with the query interface: p${PERCENT} and p99 of the requests of 15 minutes instead of the mean; the values of nodes are their p${PERCENT}.`,
      'All three similar and below the thresholds.',
      'Only the worst node is high: one faulty node, see “Where”. All are high: load or background work, see “Why”.',
    ],
    queries: [
      {
        expr: weightedMean(meanOf(operation), countOf(operation), sumByPool),
        legend: '{{system}} / {{pool}} mean',
      },
      {
        expr: promql`quantile by (${POOL_KEY}) (0.95, ${latencyOf(operation)})`,
        legend: '{{system}} / {{pool}} p95 of nodes',
      },
      { expr: by('max', POOL_KEY, latencyOf(operation)), legend: '{{system}} / {{pool}} worst node' },
      {
        expr: latencyQuantile(MEASURES.latencyQuantile, POOL_KEY, operation, SCOPE.node),
        legend: `{{system}} / {{pool}} p${PERCENT}`,
      },
      {
        expr: latencyQuantile(0.99, POOL_KEY, operation, SCOPE.node),
        legend: '{{system}} / {{pool}} p99',
      },
    ],
    unit: 's',
    min: 0,
    steps: steps(THRESHOLDS.latencySeconds),
    limits: true,
    overrides: [dashed('/ p95 of nodes$/', 'yellow'), dashed('/ worst node$/', 'orange')],
    noValue: NO_DATA,
    links: [seriesToPool],
    width: 12,
  })

const readsAndWrites = (
  title: string,
  about: readonly [string, string, string],
  expr: (operation: Operation) => Expression,
  unit: string,
): SizedPanel =>
  timeSeries({
    title,
    about,
    queries: OPERATIONS.map((operation) => ({
      expr: expr(operation),
      legend: `{{system}} / {{pool}} ${operation}s`,
    })),
    unit,
    min: 0,
    noValue: NO_DATA,
    links: [seriesToPool],
    width: 8,
  })

export const transactions = readsAndWrites(
  'Transactions per second',
  [
    'Transactions per second of each pool.',
    'Follows the daily load.',
    'Latency that increases together with transactions is caused by load.',
  ],
  (operation) => sumByPool(countOf(operation)),
  'reqps',
)

export const bandwidth = readsAndWrites(
  'Bandwidth',
  [
    'Bytes per second that transactions read and write, by pool.',
    'Follows the daily load.',
    'A constant maximum under load is a bottleneck: compare with CPU and network below.',
  ],
  (operation) => sumByPool(bytesOf(operation)),
  'Bps',
)

export const objectSize = readsAndWrites(
  'Mean bytes per read and per write',
  [
    'Bandwidth divided by transactions: the mean size of objects that are read and written, by pool.',
    'Steady.',
    'A sudden increase explains higher latency: larger objects take longer.',
  ],
  (operation) => ratio(sumByPool(bytesOf(operation)), sumByPool(countOf(operation))),
  'bytes',
)
