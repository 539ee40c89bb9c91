import type { Board } from '../grafana/board.ts'
import { rowToNode, seriesToPool } from '../grafana/links.ts'
import { pieChart } from '../grafana/pie_chart.ts'
import { PLAIN, steps, type Tile } from '../grafana/spec.ts'
import { stat } from '../grafana/stat.ts'
import { matrix, table } from '../grafana/table.ts'
import { timeSeries } from '../grafana/timeseries.ts'
import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import { type Aggregate, dedup, perNode, ratio, sum, sumBy, sumByPool } from '../promql/operators.ts'
import { SCOPE } from '../promql/scope.ts'
import { GRAFANA, NODE_KEY, THRESHOLDS } from '../settings.ts'
import { feedOffers, SEE_OFFERS } from './common/coverage.ts'

const FAILED = perNode(select('sds_node_transactions_failed', ...SCOPE.node))
const SUCCEEDED = perNode(select('sds_node_transactions_succeeded', ...SCOPE.node))

const TYPE_KEY = [...NODE_KEY, 'category', 'error_type'] as const
const byType = (...matchers: readonly Matcher[]): Expression =>
  dedup(TYPE_KEY, select('sds_node_transaction_errors_by_type', ...SCOPE.node, ...matchers))

/** All transactions of the samples, under one aggregation. */
const all = (total: Aggregate): Expression => promql`(${total(FAILED)} + ${total(SUCCEEDED)})`

const failedNow = stat({
  title: 'Failed transactions',
  about: [
    "Failed relative to all transactions of the nodes' newest samples, from their counts: a mean of percentages would count idle nodes as much as busy ones.",
    'Below the yellow mark; callers that ask for what is not there are part of normal life.',
    'See next to it whose fault it is.',
  ],
  queries: [{ expr: ratio(sum(FAILED), all(sum)) }],
  unit: 'percentunit',
  decimals: 2,
  steps: steps(THRESHOLDS.errorRatio),
  noValue: SEE_OFFERS,
  width: 4,
})

/** Failures that the storage system counts as the callers'; the feed lists only types that occurred, so none is 0. */
const byUser = (total: Aggregate): Expression =>
  promql`(${total(byType('category="User"'))} or 0 * ${total(FAILED)})`

/** As the alert SdsSystemErrors counts: whatever is not proven to be the callers' own, by pool. */
const notByUser = promql`clamp_min(${sumByPool(FAILED)} - ${byUser(sumByPool)}, 0)`

interface Fault {
  readonly title: string
  readonly about: readonly [string, string, string]
  readonly failures: Expression
  readonly limit: keyof typeof THRESHOLDS
}

const faultNow = ({ title, about, failures, limit }: Fault): Tile =>
  stat({
    title,
    about,
    queries: [{ expr: ratio(failures, all(sum)) }],
    unit: 'percentunit',
    decimals: 2,
    steps: steps(THRESHOLDS[limit]),
    noValue: SEE_OFFERS,
    width: 4,
  })

const systemNow = faultNow({
  title: 'System errors',
  about: [
    "Failures that are not the callers' own, relative to all transactions of the newest samples: all failures of each pool without those of category User, so that failures without a type count, too. The alert on system errors asks the same of each pool.",
    'Below the yellow mark.',
    'The system fails clients: look at the nodes that fail most, their health and their latency.',
  ],
  failures: sum(notByUser),
  limit: 'systemErrorRatio',
})
const userNow = faultNow({
  title: 'User errors',
  about: [
    "Failures that the storage system counts as the caller's (category User), relative to all transactions of the newest samples. The feed lists only types that occurred, so none is 0.",
    'Below the yellow mark.',
    'An application asks wrongly, or with rights that it does not have: the type tells (403 rights, 404 missing, 412 condition).',
  ],
  failures: byUser(sum),
  limit: 'errorRatio',
})

const share = pieChart({
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

const failureRatio = timeSeries({
  title: 'Failure ratio by pool',
  about: [
    'Failed relative to all transactions of each pool, from the counts of the samples.',
    'Below the dashed marks.',
    'A step is a release or a fault; compare its time with the annotations.',
  ],
  queries: [{ expr: ratio(sumByPool(FAILED), all(sumByPool)), legend: '{{system}} / {{pool}}' }],
  unit: 'percentunit',
  decimals: 2,
  softMax: THRESHOLDS.errorRatio.critical,
  steps: steps(THRESHOLDS.errorRatio),
  limits: true,
  noValue: SEE_OFFERS,
  links: [seriesToPool],
  width: 18,
})

const recent = (): Expression =>
  dedup(TYPE_KEY, promql`last_over_time(${select('sds_node_transaction_errors_by_type', ...SCOPE.node)}[1h])`)

const byCategory = timeSeries({
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

const topTypes = timeSeries({
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

const worstNodes = table({
  title: 'Top $topn nodes failing most',
  about: [
    'The nodes with the highest share of failed transactions now, as the storage system reports it.',
    'Alike on all nodes of a pool: callers are spread evenly.',
    'One node far above the others is sick: click it.',
  ],
  rows: NODE_KEY,
  columns: [
    {
      title: 'Failed',
      expr: promql`topk($topn, ${perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.node))})`,
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
      cell: 'background',
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Failed',
  noValue: SEE_OFFERS,
  width: 12,
})

const worstTypes = table({
  title: 'Top $topn failures by node and type',
  about: [
    'Share of transactions that failed with one type of error on one node, highest first.',
    'Types that callers cause, alike on all nodes.',
    'A type that occurs on a single node only is that node; one of category System on all is the system.',
  ],
  rows: TYPE_KEY,
  columns: [
    {
      title: 'Failed with it',
      expr: promql`topk($topn, ${dedup(TYPE_KEY, select('sds_node_transaction_errors_by_type_ratio', ...SCOPE.node))})`,
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
      cell: 'text',
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Failed with it',
  noValue: SEE_OFFERS,
  width: 12,
})

const typeMatrix = matrix({
  title: 'Error types by node',
  about: [
    'Failed transactions in the newest sample: a row a node, a column a type of error. Nodes of one name in several pools are added up: choose a pool then.',
    'Columns look alike from top to bottom.',
    'A single dark cell is one node with one problem; a dark column is one application or one feature.',
  ],
  expr: sumBy(['node', 'error_type'], byType()),
  row: 'node',
  column: 'error_type',
  unit: 'none',
  steps: PLAIN,
  noValue: SEE_OFFERS,
  width: 24,
})

export const errors: Board = {
  name: 'errors',
  title: 'Storage / Transaction errors',
  question: 'Are clients failing, whose fault is it, and with which error?',
  variables: ['datasource', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', tiles: [failedNow, systemNow, userNow, feedOffers(['transactions', 'errors'], 12)] },
    { title: 'Over time', tiles: [failureRatio, share, byCategory, topTypes] },
    { title: 'Where', tiles: [worstNodes, worstTypes, typeMatrix] },
  ],
}
