import { rowToNode } from '../../grafana/links.ts'
import { PLAIN, steps } from '../../grafana/spec.ts'
import { matrix, table } from '../../grafana/table.ts'
import { promql, select } from '../../promql/expression.ts'
import { dedup, perNode, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NODE_KEY, THRESHOLDS } from '../../settings.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { byType, TYPE_KEY } from './queries.ts'

export const worstNodes = table({
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

export const worstTypes = table({
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

export const typeMatrix = matrix({
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
