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
    'Firing alerts about the selected systems and the exporters, with system, pool and node.',
    'Empty.',
    'Start with critical alerts and click the pool or node. The runbook of the alert describes what to do.',
  ],
  rows: ['alertname', 'severity', 'system', 'pool', 'node'],
  columns: [
    {
      title: 'Alerts',
      expr: sumBy(['alertname', 'severity', 'system', 'pool', 'node'], firingAlerts()),
      unit: 'none',
    },
  ],
  // Critical alerts first.
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
    'Transactions per second of each system, summed over its nodes.',
    'Follows the daily load.',
    'A drop to zero while clients report errors points to the network or the load balancer. A sudden increase explains latency.',
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
    'Follows the daily load.',
    'Higher bandwidth without more transactions means larger objects: see the performance dashboard.',
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
