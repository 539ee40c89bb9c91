import { FAILURE_AREAS } from '../../grafana/mappings.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { top } from '../../promql/top.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NO_DATA } from '../common/pool_data.ts'
import { byType, TYPE_KEY } from './queries.ts'

const recent = (): Expression =>
  dedup(TYPE_KEY, promql`last_over_time(${select('sds_node_transaction_errors_by_type', ...SCOPE.node)}[1h])`)

export const byCategory = timeSeries({
  title: 'Failures per sample by category',
  about: [
    'Failed transactions in the newest sample of all nodes, by category. The feed does not list types that did not occur; they are drawn as 0 for an hour.',
    'Few user errors.',
    'System errors in bursts are related to events on nodes: see the health on the pool dashboard.',
  ],
  queries: [
    {
      expr: promql`${sumBy(['category'], byType())} or 0 * ${sumBy(['category'], recent())}`,
      legend: '{{category}}',
    },
  ],
  unit: 'none',
  min: 0,
  bars: true,
  stacked: true,
  overrides: FAILURE_AREAS,
  noValue: NO_DATA,
  interval: SAMPLE_INTERVAL,
  width: 12,
})

const sumByType = (vector: Expression): Expression => sumBy(['category', 'error_type'], vector)

export const topTypes = timeSeries({
  title: 'Top $topn error types',
  about: [
    'Failed transactions in the newest samples by type, of the most frequent types in the last three hours of the time range, with the names of the system: HTTP status and protocol.',
    'A few types, mostly 404.',
    '403 is missing permissions, 404 no such object, 412 a failed condition, 5xx a fault of the system, 503 with high latency an overload.',
  ],
  queries: [
    {
      expr: top(sumByType(byType())),
      legend: '{{error_type}}, {{category}}',
    },
  ],
  unit: 'none',
  min: 0,
  noValue: NO_DATA,
  interval: SAMPLE_INTERVAL,
  width: 12,
})
