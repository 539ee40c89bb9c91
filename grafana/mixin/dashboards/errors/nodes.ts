import { promql, select } from '../../promql/expression.ts'
import { dedup, perNode, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToNode } from '../../sdk/links.ts'
import { matrix } from '../../sdk/matrix.ts'
import { PLAIN, steps } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { FAILURE_AXIS } from '../common/failures.ts'
import { topNodes } from '../common/lines.ts'
import { NO_DATA } from '../common/pool_data.ts'
import { byType, TYPE_KEY } from './queries.ts'

export const worstNodes = table({
  title: 'Top $topn nodes failing most',
  shows: 'The nodes with the highest share of failed transactions, as reported by the storage system.',
  normal: 'Similar on all nodes of a pool.',
  otherwise: 'One node far above the others is faulty: click it.',
  rows: NODE_KEY,
  columns: [
    {
      title: 'Failed',
      expr: promql`topk($topn, ${perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.node))})`,
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Failed',
  noValue: NO_DATA,
})

export const nodesOverTime = topNodes({
  title: 'Top $topn nodes by failed transactions',
  shows:
    'Share of failed transactions of the nodes where it was highest in the last three hours of the time range, as reported by the storage system.',
  normal: 'Below the dashed thresholds, and similar on all nodes of a pool.',
  otherwise: 'One line far above the others is a faulty node: click it.',
  expr: perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.node)),
  ...FAILURE_AXIS,
  noValue: NO_DATA,
})

export const worstTypes = table({
  title: 'Top $topn failures by node and type',
  shows: 'Share of transactions that failed with one type of error on one node, highest first.',
  normal: 'Types that clients cause, similar on all nodes.',
  otherwise:
    'A type that occurs on one node only is a fault of that node. A type of category System on all nodes is a fault of the system.',
  rows: TYPE_KEY,
  columns: [
    {
      title: 'Failed with it',
      expr: promql`topk($topn, ${dedup(TYPE_KEY, select('sds_node_transaction_errors_by_type_ratio', ...SCOPE.node))})`,
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
    },
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Failed with it',
  noValue: NO_DATA,
})

export const typeMatrix = matrix({
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
