import { rowToNode, rowToPool, toPage } from '../../grafana/links.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { table } from '../../grafana/table.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { select } from '../../promql/expression.ts'
import { perNode, sumBy } from '../../promql/operators.ts'
import { firingAlerts, SCOPE } from '../../promql/scope.ts'

export const alertTable: SizedPanel = table({
  title: 'Alerts firing now',
  about: [
    'The alerts of this product that fire now, with the system, pool and node that they name.',
    'Empty.',
    'Start with critical ones; click the pool or node. The runbook of the alert says what it means and what to do.',
  ],
  rows: ['alertname', 'severity', 'system', 'pool', 'node'],
  columns: [
    {
      title: 'Alerts',
      expr: sumBy(['alertname', 'severity', 'system', 'pool', 'node'], firingAlerts()),
      unit: 'none',
    },
  ],
  // Critical ones first.
  sortBy: 'severity',
  ascending: true,
  cellLinks: { pool: rowToPool, node: rowToNode },
  noValue: 'No alert fires',
  width: 12,
  height: 8,
})

export const transactions = timeSeries({
  title: 'Reads and writes per second by system',
  about: [
    'Transactions per second that clients ask of each system, summed over its nodes.',
    'The rhythm of the day; reads and writes move together with the load.',
    'A fall to zero while clients complain points at the network or the load balancer; a jump explains latency.',
  ],
  queries: [
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_reads_per_second', ...SCOPE.system))),
      legend: '{{system}} reads',
    },
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_writes_per_second', ...SCOPE.system))),
      legend: '{{system}} writes',
    },
  ],
  unit: 'reqps',
  min: 0,
  noValue: 'No data, or not served by this system',
  links: [toPage('Performance', 'performance')],
  width: 12,
})

export const bandwidth = timeSeries({
  title: 'Transaction bandwidth by system',
  about: [
    'Bytes per second that transactions read and write, summed over the nodes of each system.',
    'The rhythm of the day.',
    'Bandwidth that rises without more transactions means larger objects; see the performance page.',
  ],
  queries: [
    {
      expr: sumBy(['system'], perNode(select('sds_node_transaction_read_bytes_per_second', ...SCOPE.system))),
      legend: '{{system}} reads',
    },
    {
      expr: sumBy(
        ['system'],
        perNode(select('sds_node_transaction_write_bytes_per_second', ...SCOPE.system)),
      ),
      legend: '{{system}} writes',
    },
  ],
  unit: 'Bps',
  min: 0,
  noValue: 'No data, or not served by this system',
  links: [toPage('Performance', 'performance')],
  width: 12,
})
