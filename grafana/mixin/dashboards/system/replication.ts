import { select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { dedup } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { top } from '../../promql/top.ts'
import { LINK_CELLS } from '../../sdk/mappings.ts'
import { lineSteps, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { GROUP_KEY, LINK_KEY, THRESHOLDS } from '../../settings.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NOT_READ, NOT_RECORDED } from '../common/resource_data.ts'
import { LAG } from '../common/systems.ts'

const pending = (title: string, kind: 'repository' | 'journal' | 'xor'): Column => ({
  title,
  expr: dedup(GROUP_KEY, select('sds_replication_group_pending_bytes', ...SCOPE.system, `kind="${kind}"`)),
  unit: 'bytes',
})
const perLink = (metric: MetricName) => dedup(LINK_KEY, select(metric, ...SCOPE.system))

const groups = table({
  title: 'Replication groups',
  shows:
    'The replication groups of the selected systems: their sites, the time for which their oldest data waits for replication, and the data that waits: objects, journals, and data to be encoded with XOR between three or more sites.',
  normal: 'A lag of minutes, and data that follows the load. Groups of one site have neither.',
  otherwise: 'A lag of hours: see “Links”, and check the bandwidth between the sites.',
  rows: GROUP_KEY,
  columns: [
    { title: 'Sites', expr: dedup(GROUP_KEY, select('sds_replication_group_sites', ...SCOPE.system)) },
    { title: 'Lag', expr: LAG, unit: 's', steps: steps(THRESHOLDS.replicationLagSeconds) },
    pending('Objects', 'repository'),
    pending('Journal', 'journal'),
    pending('XOR', 'xor'),
  ],
  sortBy: 'Lag',
  noValue: NOT_READ,
  height: 7,
})

const links = table({
  title: 'Links that have failed, or copy to a new site',
  shows:
    'Replication links of the selected systems that have failed, and those that copy the existing data to a site that was added or joined again, with their progress.',
  normal: 'Empty.',
  otherwise:
    'A failed link: check the network between the sites, and the nodes of the other site. A progress that does not change for hours: check the free space of the other site, too.',
  rows: LINK_KEY,
  columns: [
    { title: 'State', expr: perLink('sds_replication_link_failed'), mappings: LINK_CELLS },
    { title: 'Copied', expr: perLink('sds_replication_link_bootstrap_ratio'), unit: 'percentunit' },
  ],
  sortBy: 'State',
  noValue: 'No link has failed or copies, or no data: see “Data”',
  height: 6,
})

const GROUP_NAME = '{{system}} / {{replication_group}}'

const lag = timeSeries({
  title: 'Top $topn replication groups by lag',
  shows:
    'Time for which the oldest data of a group waits for replication, while data waits. It is the recovery point of the group.',
  normal: 'Minutes.',
  otherwise: 'A line that rises by an hour each hour: nothing is copied. See “Links”.',
  queries: [{ expr: top(LAG), legend: GROUP_NAME }],
  unit: 's',
  steps: lineSteps(THRESHOLDS.replicationLagSeconds),
  limits: true,
  interval: SAMPLE_INTERVAL,
  noValue: NOT_RECORDED,
})

const backlog = timeSeries({
  title: 'Top $topn groups by data that waits',
  shows: 'Data of a replication group that waits for replication, of all kinds.',
  normal: 'Follows the load.',
  otherwise: 'Growth for hours: more is written than is copied. Check the bandwidth between the sites.',
  queries: [{ expr: top(recorded(RECORDED.replicationPending, SCOPE.system)), legend: GROUP_NAME }],
  unit: 'bytes',
  interval: SAMPLE_INTERVAL,
  noValue: NOT_RECORDED,
})

export const replication = [groups, links, lag, backlog] as const
