import { type Expression, promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { dedup, perNode, ratio, sum, sumBy, sumByPool, top } from '../../promql/operators.ts'
import { recorded, recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { rowToNode } from '../../sdk/links.ts'
import { FAILURE_AREAS } from '../../sdk/mappings.ts'
import { matrix } from '../../sdk/matrix.ts'
import { type About, type PanelSpec, PLAIN, type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GRAFANA, NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { FAILURE_AXIS, SAMPLE_INTERVAL, topNodes, topPools } from '../common/lines.ts'
import { NO_DATA, NO_RECORDED_DATA, poolData } from '../common/pool_data.ts'
import { all, byType, byUser, FAILED, TYPE_KEY } from './queries.ts'

/** The largest shares of failed transactions. @param column the title of their column */
const largestShares = (
  column: string,
  rows: readonly string[],
  metric: MetricName,
  panel: About & Pick<PanelSpec, 'title'>,
): SizedPanel =>
  table({
    ...panel,
    rows,
    columns: [
      {
        title: column,
        expr: promql`topk($topn, ${dedup(rows, select(metric, ...SCOPE.node))})`,
        unit: 'percentunit',
        decimals: 2,
        steps: steps(THRESHOLDS.errorRatio),
      },
    ],
    cellLinks: { node: rowToNode },
    sortBy: column,
    noValue: NO_DATA,
  })

const worstNodes = largestShares('Failed', NODE_KEY, 'sds_node_transaction_errors_ratio', {
  title: 'Top $topn nodes failing most',
  shows: 'The nodes with the highest share of failed transactions, as reported by the storage system.',
  normal: 'Similar on all nodes of a pool.',
  otherwise: 'One node far above the others is faulty: click it.',
})

const nodesOverTime = topNodes({
  title: 'Top $topn nodes by failed transactions',
  shows:
    'Share of failed transactions of the nodes where it was highest in the last three hours of the time range, as reported by the storage system.',
  normal: 'Below the dashed thresholds, and similar on all nodes of a pool.',
  otherwise: 'One line far above the others is a faulty node: click it.',
  expr: perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.node)),
  ...FAILURE_AXIS,
  noValue: NO_DATA,
})

const worstTypes = largestShares('Failed with it', TYPE_KEY, 'sds_node_transaction_errors_by_type_ratio', {
  title: 'Top $topn failures by node and type',
  shows: 'Share of transactions that failed with one type of error on one node, highest first.',
  normal: 'Types that clients cause, similar on all nodes.',
  otherwise:
    'A type that occurs on one node only is a fault of that node. A type of category System on all nodes is a fault of the system.',
})

const typeMatrix = matrix({
  title: 'Error types by node',
  shows: 'Failed transactions in the newest sample, by node and type of error.',
  normal: 'Each column has similar values.',
  otherwise: 'One high cell is a fault of one node. A high column is one application or one feature.',
  expr: sumBy(
    ['node', 'error_type'],
    promql`label_join(${byType()}, "node", " / ", ${NODE_KEY.map((label) => `"${label}"`)})`,
  ),
  row: 'node',
  column: 'error_type',
  steps: PLAIN,
  noValue: NO_DATA,
  width: 24,
})

const failedNow = stat({
  title: 'Failed transactions',
  shows: "Failed relative to all transactions of the nodes' newest samples, calculated from counts.",
  normal: 'Below the warning threshold. Some clients always request objects that do not exist.',
  otherwise: 'See “System errors” and “User errors” for the cause.',
  queries: [{ expr: ratio(sum(FAILED), all(sum)) }],
  unit: 'percentunit',
  decimals: 2,
  steps: steps(THRESHOLDS.errorRatio),
  width: 8,
})

/** Failures by pool without those of category User, as in the alert SdsSystemErrors. */
const notByUser = promql`clamp_min(${sumByPool(FAILED)} - ${byUser(sumByPool)}, 0)`

interface Fault extends About {
  readonly title: string
  readonly failures: Expression
  readonly limit: keyof typeof THRESHOLDS
}

const faultNow = ({ failures, limit, ...panel }: Fault): SizedPanel =>
  stat({
    ...panel,
    queries: [{ expr: ratio(failures, all(sum)) }],
    unit: 'percentunit',
    decimals: 2,
    steps: steps(THRESHOLDS[limit]),
    width: 8,
  })

const systemNow = faultNow({
  title: 'System errors',
  shows:
    'Failures that are not caused by clients, relative to all transactions of the newest samples: all failures of each pool minus those of category User, so that failures without a type are included. The alert SdsSystemErrors uses the same expression for each pool.',
  normal: 'Below the warning threshold.',
  otherwise: 'Look at the nodes with the most failures, their health and their latency.',
  failures: sum(notByUser),
  limit: 'systemErrorRatio',
})

const userNow = faultNow({
  title: 'User errors',
  shows:
    'Failures that the storage system attributes to the client (category User), relative to all transactions of the newest samples. The dashboard API lists only types that occurred; none is 0.',
  normal: 'Below the warning threshold.',
  otherwise:
    'An application sends wrong requests or lacks permissions. The type shows the cause: 403 permissions, 404 no such object, 412 failed condition.',
  failures: byUser(sum),
  limit: 'errorRatio',
})

const failureRatio = topPools({
  title: 'Top $topn pools by failed transactions',
  shows: 'Failed relative to all transactions, calculated from counts, of the pools where it is largest.',
  normal: 'Below the dashed thresholds.',
  otherwise:
    'A step is a release of an application or a fault. Switch on the critical alerts at the top to compare its time with theirs.',
  expr: recorded(RECORDED.failedRatio, SCOPE.pool),
  ...FAILURE_AXIS,
  noValue: NO_RECORDED_DATA,
  width: 24,
})

const TYPES = recordedSelector(RECORDED.errorTypes, SCOPE.pool)

const byCategory = timeSeries({
  title: 'Failures per sample by category',
  shows:
    'Failed transactions in the newest sample of all nodes of the selected pools, by category. The dashboard API does not list types that did not occur; they are drawn as 0 for an hour.',
  normal: 'Few user errors.',
  otherwise: 'System errors in bursts are related to events on nodes: see the health on the pool dashboard.',
  queries: [
    {
      expr: promql`${sumBy(['category'], TYPES)} or 0 * ${sumBy(['category'], promql`last_over_time(${TYPES}[1h])`)}`,
      legend: '{{category}}',
    },
  ],
  bars: true,
  stacked: true,
  fewNames: true,
  overrides: FAILURE_AREAS,
  noValue: NO_RECORDED_DATA,
  interval: SAMPLE_INTERVAL,
})

const topTypes = timeSeries({
  title: 'Top $topn error types',
  shows:
    'Failed transactions in the newest samples of the selected pools by type, of the most frequent types in the last three hours of the time range, with the names of the system: HTTP status and protocol.',
  normal: 'A few types, mostly 404.',
  otherwise:
    '403 is missing permissions, 404 no such object, 412 a failed condition, 5xx a fault of the system, 503 with high latency an overload.',
  queries: [{ expr: top(sumBy(['category', 'error_type'], TYPES)), legend: '{{error_type}}, {{category}}' }],
  noValue: NO_RECORDED_DATA,
  interval: SAMPLE_INTERVAL,
})

export const errors: DashboardSpec = {
  name: 'errors',
  title: 'Storage / Transaction errors',
  question: 'Do requests of clients fail, by whose fault, and with which error?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    { title: 'Now', panels: [poolData(['transactions', 'errors']), failedNow, systemNow, userNow] },
    { title: 'Over time', panels: [failureRatio, byCategory, topTypes] },
    { title: 'Where', panels: [worstNodes, nodesOverTime, worstTypes, typeMatrix] },
  ],
}
