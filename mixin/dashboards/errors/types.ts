import { pieChart } from '../../grafana/pie_chart.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { byType, TYPE_KEY } from './queries.ts'

export const share = pieChart({
  title: 'Failures by category',
  about: [
    "Failed transactions of the nodes' newest samples, by category.",
    'Far more user errors than system errors.',
    'System errors are a fault of the storage, user errors one of the applications.',
  ],
  queries: [{ expr: sumBy(['category'], byType()), legend: '{{category}}' }],
  unit: 'none',
  overrides: [
    { name: 'User', properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: 'blue' } }] },
    { name: 'System', properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: 'red' } }] },
  ],
  noValue: NO_DATA,
  width: 6,
  height: 8,
})

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
  noValue: NO_DATA,
  width: 12,
})

const sumByType = (vector: Expression): Expression => sumBy(['category', 'error_type'], vector)

/** `@ end()` as in topNodes. A sum, because a mean would rank a rare type like a frequent one. */
const RECENT_TYPES = dedup(
  TYPE_KEY,
  promql`sum_over_time(${select('sds_node_transaction_errors_by_type', ...SCOPE.node)}[3h] @ end())`,
)

export const topTypes = timeSeries({
  title: 'Top $topn error types',
  about: [
    'The most frequent types of errors in the last three hours of the time range, with the names of the system: HTTP status and protocol.',
    'A few types, mostly 404.',
    '403 is missing permissions, 404 no such object, 412 a failed condition, 5xx a fault of the system, 503 with high latency an overload.',
  ],
  queries: [
    {
      expr: promql`${sumByType(byType())} and topk($topn, ${sumByType(RECENT_TYPES)})`,
      legend: '{{error_type}}, {{category}}',
    },
  ],
  unit: 'none',
  min: 0,
  noValue: NO_DATA,
  width: 12,
})
