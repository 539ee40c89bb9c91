import { pieChart } from '../../grafana/pie_chart.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { byType, TYPE_KEY } from './queries.ts'

export const share = pieChart({
  title: 'Failures by category',
  about: [
    "Failed transactions of the nodes' newest samples, by whose fault they are.",
    'User errors far outweigh system errors.',
    'A large part of system errors is for you, one of user errors for the owners of the applications.',
  ],
  queries: [{ expr: sumBy(['category'], byType()), legend: '{{category}}' }],
  unit: 'none',
  overrides: [
    { name: 'User', properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: 'blue' } }] },
    { name: 'System', properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: 'red' } }] },
  ],
  noValue: SEE_OFFERS,
  width: 6,
  height: 8,
})

const recent = (): Expression =>
  dedup(TYPE_KEY, promql`last_over_time(${select('sds_node_transaction_errors_by_type', ...SCOPE.node)}[1h])`)

export const byCategory = timeSeries({
  title: 'Failures per sample by category',
  about: [
    'Failed transactions in the newest sample of all nodes, by whose fault they are. A type that did not occur is missing in the feed, which is drawn as 0 for an hour.',
    'Low bars of user errors.',
    'System errors that come in bursts go with events on nodes: see the health on the pool page.',
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
  noValue: SEE_OFFERS,
  width: 12,
})

const sumByType = (vector: Expression): Expression => sumBy(['category', 'error_type'], vector)

/** `@ end()` as in topNodes (promql.ts). A sum, because a mean would count a type that hardly occurs like a steady one. */
const RECENT_TYPES = dedup(
  TYPE_KEY,
  promql`sum_over_time(${select('sds_node_transaction_errors_by_type', ...SCOPE.node)}[3h] @ end())`,
)

export const topTypes = timeSeries({
  title: 'Top $topn error types',
  about: [
    'The types of failures that were most frequent in the last three hours of the range, as the system names them: status and protocol; the choice is the same along the whole axis.',
    'A few types, led by 404.',
    '403 is rights, 404 missing objects, 412 failed conditions, 5xx the system itself, 503 with slow answers an overload.',
  ],
  queries: [
    {
      expr: promql`${sumByType(byType())} and topk($topn, ${sumByType(RECENT_TYPES)})`,
      legend: '{{error_type}}, {{category}}',
    },
  ],
  unit: 'none',
  min: 0,
  noValue: SEE_OFFERS,
  width: 12,
})
