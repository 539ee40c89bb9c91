import { type Expression, join, promql } from '../../promql/expression.ts'
import { RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { by, sumBy } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { firingAlerts, SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { rowToNode, rowToPool, toPage } from '../../sdk/links.ts'
import { SEVERITY_MAPPINGS } from '../../sdk/mappings.ts'
import type { About, SizedPanel } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { ALERT_LABELS, GRAFANA, SYSTEM_KEY } from '../../settings.ts'
import { systemTable } from '../common/systems.ts'
import { poolStates, pools } from './pools.ts'
import { status } from './status.ts'

const SEVERITY_CODES = { critical: 3, warning: 2, info: 1 } as const

/** Firing alerts with the code of their severity as value, so that they can be sorted by it. */
const codes = join(
  Object.entries(SEVERITY_CODES).map(
    ([severity, code]) => promql`${firingAlerts(`severity="${severity}"`)} * ${code}`,
  ),
  ' or ',
)

/** All further labels in one, without the spaces of those that an alert does not have. */
const withDetail = (vector: Expression): Expression => {
  const joined = promql`label_join(${vector}, "detail", " ", ${ALERT_LABELS.detail.map((label) => `"${label}"`)})`
  return promql`label_replace(${joined}, "detail", "$1", "detail", " *(.*?) *")`
}

const ROWS = ['alertname', ...ALERT_LABELS.columns, 'detail'] as const

const alertTable: SizedPanel = table({
  title: 'Alerts firing now',
  shows:
    'Firing alerts about the selected systems and the exporters, critical ones first, with what they are about; “detail” has all further labels. Also those that Alertmanager does not send because another alert explains them.',
  normal: 'Empty.',
  otherwise:
    'Start with critical alerts and click the pool or node. The runbook of the alert describes what to do.',
  rows: ROWS,
  columns: [
    { title: 'Severity', expr: by('max', ROWS, withDetail(promql`(${codes})`)), mappings: SEVERITY_MAPPINGS },
  ],
  sortBy: 'Severity',
  valuesFirst: true,
  cellLinks: { pool: rowToPool, node: rowToNode },
  noValue: 'No alert fires, or no rules are loaded',
  // Grafana cannot fit the height to the rows: three, and a scroll bar.
  height: 5,
})

const ofSystems = (title: string, names: readonly RecordedName[], unit: string, about: About): SizedPanel =>
  timeSeries({
    title,
    ...about,
    queries: [
      {
        expr: sumBy(
          SYSTEM_KEY,
          join(
            names.map((name) => recorded(name, SCOPE.system)),
            ' + ',
          ),
        ),
        legend: '{{system}}',
      },
    ],
    unit,
    noValue: 'No data, not served by these systems, or no recording rules',
    links: [toPage('Performance', 'performance')],
  })

const transactions = ofSystems('Reads and writes per second by system', [RECORDED.transactions], 'reqps', {
  shows: 'Transactions per second of each system, reads and writes together, summed over its nodes.',
  normal: 'Follows the daily load.',
  otherwise:
    'A drop to zero while clients report errors points to the network or the load balancer. A sudden increase explains latency. The performance dashboard compares with the day and the week before.',
})

const bandwidth = ofSystems(
  'Transaction bandwidth by system',
  [RECORDED.readBytes, RECORDED.writeBytes],
  'Bps',
  {
    shows: 'Bytes per second that transactions read and write, summed over the nodes of each system.',
    normal: 'Follows the daily load.',
    otherwise:
      'Higher bandwidth without more transactions means larger objects: see the performance dashboard.',
  },
)

export const fleet: DashboardSpec = {
  name: 'fleet',
  title: 'Storage / Fleet overview',
  question: 'Is there a fault, and in which pool?',
  variables: ['datasource', 'cluster', 'job', 'system'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    // The first screen of a laptop: the tiles and the worst pools.
    { title: 'Right now', panels: [...status, pools] },
    { title: 'Alerts', panels: [alertTable] },
    { title: 'What the systems report', panels: [systemTable(5)] },
    { title: 'Last hours', panels: [poolStates, transactions, bandwidth] },
  ],
}
