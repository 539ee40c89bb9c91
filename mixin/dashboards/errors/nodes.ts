import { rowToNode } from '../../grafana/links.ts'
import { PLAIN, steps } from '../../grafana/spec.ts'
import { matrix, table } from '../../grafana/table.ts'
import { promql, select } from '../../promql/expression.ts'
import { dedup, perNode, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { byType, TYPE_KEY } from './queries.ts'

export const worstNodes = table({
  title: 'Top $topn nodes failing most',
  about: [
    'The nodes with the highest share of failed transactions, as reported by the storage system.',
    'Similar on all nodes of a pool.',
    'One node far above the others is faulty: click it.',
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
  noValue: NO_DATA,
  width: 12,
})

export const worstTypes = table({
  title: 'Top $topn failures by node and type',
  about: [
    'Share of transactions that failed with one type of error on one node, highest first.',
    'Types that clients cause, similar on all nodes.',
    'A type that occurs on one node only is a fault of that node. A type of category System on all nodes is a fault of the system.',
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
  noValue: NO_DATA,
  width: 12,
})

export const typeMatrix = matrix({
  title: 'Error types by node',
  about: [
    'Failed transactions in the newest sample, by node and type of error. Nodes with the same name in several pools are added: select one pool then.',
    'Each column has similar values.',
    'One high cell is a fault of one node. A high column is one application or one feature.',
  ],
  expr: sumBy(['node', 'error_type'], byType()),
  row: 'node',
  column: 'error_type',
  unit: 'none',
  steps: PLAIN,
  noValue: NO_DATA,
  width: 24,
})
