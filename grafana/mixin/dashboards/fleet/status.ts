import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { dedup, perScraped, perSystem, sum } from '../../promql/operators.ts'
import { firingAlerts, rulesLoaded, SCOPE } from '../../promql/scope.ts'
import { toPage } from '../../sdk/links.ts'
import { DISK_COUNTS } from '../../sdk/mappings.ts'
import { from, type SizedPanel } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { NODE_KEY, POOL_KEY, SYSTEM_KEY } from '../../settings.ts'
import { nodesByState } from '../common/nodes_by_state.ts'
import { disksToFix } from './queries.ts'

const noAnswer = stat({
  title: 'Unreachable',
  shows: 'Systems that no exporter could reach with its last request.',
  normal: '0. “No data” means that no exporter reports: see the exporter dashboard.',
  otherwise:
    'Open the exporter dashboard: “System reachable”, “Failed polls by reason” and “Answers by status” show whether it is the network, the certificate or the login.',
  queries: [
    { expr: sum(promql`1 - ${perSystem(select('sds_system_up', ...SCOPE.system))}`), legend: 'Systems' },
  ],
  steps: from(1, 'critical'),
  links: [toPage('Exporter', 'exporter')],
  width: 4,
})

/** Number of label sets that were reported within a day and are not now; 0, not empty, where there is none. */
const vanished = (labels: readonly string[], metric: MetricName): Expression => {
  const selector = select(metric, ...SCOPE.system)
  const ofDay = dedup(labels, promql`last_over_time(${selector}[1d])`)
  return promql`count(${ofDay} unless ${dedup(labels, selector)}) or 0 * count(${ofDay})`
}

const seenBefore = stat({
  title: 'Missing (last 24 h)',
  shows: 'Systems, pools and nodes that an exporter reported within a day and none reports now.',
  normal: '0, except for a day after something was removed on purpose.',
  otherwise:
    'A system: it was removed from the configuration, or its exporter does not run. A pool or node: its system no longer lists it, or its system cannot be polled. Pools without data are the first rows of the table below.',
  queries: [
    { expr: vanished(SYSTEM_KEY, 'sds_system_up'), legend: 'Systems' },
    { expr: vanished(POOL_KEY, 'sds_pool_up'), legend: 'Pools' },
    { expr: vanished(NODE_KEY, 'sds_node_info'), legend: 'Nodes' },
  ],
  steps: from(1, 'critical'),
  width: 6,
})

/** Alerts about shards once for each shard, all others once for all servers of a store that send them. */
const counted = (severity: string): Expression => {
  const about = (shards: Matcher): Expression => firingAlerts(`severity="${severity}"`, shards)
  return promql`count(${perScraped(about('alertname!~"SdsShard.+"'))} or ${about('alertname=~"SdsShard.+"')})`
}

const alertCounts = stat({
  title: 'Alerts',
  shows:
    'All firing alerts about the selected systems and the exporters, by severity. It counts every alert of Prometheus, also those that Alertmanager does not send because another alert explains them: one system that does not answer can be several alerts.',
  normal: '0 and 0. “No rules” means that Prometheus has not loaded the rules within a day.',
  otherwise: 'The table “Alerts firing now” lists them. Each alert has a runbook.',
  queries: (['critical', 'warning'] as const).map((severity) => ({
    expr: promql`${counted(severity)} or ${rulesLoaded()} * 0`,
    legend: severity,
  })),
  overrides: (['critical', 'warning'] as const).map((severity) => ({
    name: severity,
    properties: [{ id: 'thresholds', value: { mode: 'absolute', steps: from(1, severity) } }],
  })),
  noValue: 'No rules',
  width: 4,
})

const nodes = nodesByState(
  SCOPE.system,
  'Bad or Not accessible reduces the protection of the data: find the pool in the table below. Suspect often precedes Bad.',
  [toPage('Pool', 'pool')],
)

const disks = stat({
  title: 'Disks',
  shows: 'Disks that are Bad or ready to replace, over all selected systems.',
  normal: '0, or a few in a large fleet. The system rebuilds the data of failed disks.',
  otherwise: 'The disks dashboard lists the nodes.',
  queries: (['Bad', 'ReadyToReplace'] as const).map((status) => ({
    expr: sum(disksToFix(status)),
    legend: status,
  })),
  overrides: DISK_COUNTS,
  links: [toPage('Disks', 'disks')],
  width: 4,
})

export const status: readonly SizedPanel[] = [noAnswer, seenBefore, alertCounts, nodes, disks]
