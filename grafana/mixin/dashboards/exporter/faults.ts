import { interruptedBands } from '../../promql/bands.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { dedup, perScraped, sum, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { seriesToPool } from '../../sdk/links.ts'
import { upDown } from '../../sdk/mappings.ts'
import { type About, from, type Query, type SizedPanel } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { POOL_KEY } from '../../settings.ts'
import { POOL_NAME } from '../common/lines.ts'
import { increase, occurred } from './rates.ts'

/** A counter of faults: what it counts by, and how its graph is drawn. */
interface Fault extends About {
  readonly tile: string
  readonly title: string
  readonly metric: MetricName
  readonly matchers: readonly Matcher[]
  /** Labels of the lines, after the system. */
  readonly labels: readonly string[]
  /** The metric that counts by attribute, too, from the second event on. */
  readonly byAttribute?: MetricName
  readonly interval?: string
  readonly noValue: string
}

const FAILED: Matcher = 'result!="ok"'

const FAULTS: readonly Fault[] = [
  {
    tile: 'Failed polls',
    title: 'Failed polls by reason',
    shows: 'Failed polls, by reason.',
    normal: 'None.',
    otherwise:
      'auth, forbidden: account and role. connect, dns, tls, timeout: the network path to the system. syntax, schema, html: a proxy, or another version of the system. throttled, unavailable: the system is overloaded.',
    metric: 'sds_pool_polls_total',
    matchers: [FAILED],
    labels: ['result'],
    noValue: 'No failed poll',
  },
  {
    tile: 'Failed logins',
    title: 'Failed logins',
    shows: 'Logins that the storage systems refused or that did not reach them, by reason.',
    normal: 'None.',
    otherwise:
      'Check the password file or token at once: repeated failures can lock the account. The exporter waits longer after each.',
    metric: 'sds_api_logins_total',
    matchers: [FAILED],
    labels: ['result'],
    noValue: 'No failed login',
  },
  {
    tile: 'Failed query polls',
    title: 'Failed polls of the Flux API',
    shows: 'Polls of the Flux API that failed or had no current data (empty), by reason.',
    normal: 'None.',
    otherwise:
      'forbidden: a missing role. client_error: a refused query. unavailable, server_error, timeout: the monitoring services of the system. not_found: no Flux API. After repeated failures the exporter may wait for up to an hour.',
    metric: 'sds_query_polls_total',
    matchers: [FAILED],
    labels: ['result'],
    noValue: 'No failed poll',
  },
  {
    tile: 'Rejected values',
    title: 'Rejected values',
    shows:
      'Values of the dashboard API or the Flux API that were not exported because they are invalid, by reason, and by attribute and reason from the second value on.',
    normal: 'None.',
    otherwise:
      'The log shows the first of each kind. The other values of the node are exported. The usual cause is a new version of the storage system.',
    metric: 'sds_api_rejected_values_by_reason_total',
    matchers: [],
    labels: ['reason'],
    // The series of an attribute begins with its first value, which no rate has.
    byAttribute: 'sds_api_rejected_values_total',
    // There may be many counters, one for each system, attribute and reason.
    interval: '5m',
    noValue: 'No rejected value',
  },
  {
    tile: 'Rows of unknown nodes',
    title: 'Rows of unknown nodes',
    shows: 'Rows of the Flux API that are joined to no node of a polled pool. Their values are not exported.',
    normal: 'None, if all pools of the system are polled.',
    otherwise:
      'Add the missing pools to the configuration. Otherwise ids and names of nodes differ between the dashboard API and the Flux API: report it.',
    metric: 'sds_query_unmatched_rows_total',
    matchers: [],
    labels: [],
    noValue: 'No row of an unknown node',
  },
]

const FAILED_POOLS = promql`min_over_time(${select('sds_pool_up', ...SCOPE.system)}[$__range])`
const failedPools = promql`count(${dedup(POOL_KEY, FAILED_POOLS)} == 0) or 0 * count(${dedup(POOL_KEY, FAILED_POOLS)})`

/** Whole numbers: `increase` extrapolates. */
const counted = ({ metric, matchers }: Fault): Expression =>
  promql`ceil(${sum(perScraped(promql`increase(${select(metric, ...SCOPE.polling, ...matchers)}[$__range])`))})`

export const faults = stat({
  title: 'Faults in the time range',
  shows:
    'Pools of which a poll failed, failed polls and logins, values that were rejected, and rows of the Flux API that belong to no known node, in the time range of the dashboard.',
  normal: '0, except for moments when a system restarts a service.',
  otherwise: 'Open the row “Faults in detail” below: it has the reasons over time.',
  queries: [
    { expr: failedPools, legend: 'Pools with failed polls' },
    ...FAULTS.map((fault) => ({ expr: counted(fault), legend: fault.tile })),
  ],
  decimals: 0,
  steps: from(1, 'warning'),
  width: 24,
})

const lines = (metric: MetricName, matchers: readonly Matcher[], labels: readonly string[]): Query => ({
  expr: occurred(sumBy(labels, increase(metric, ...matchers))),
  legend: labels.map((label) => `{{${label}}}`).join(' '),
})

const overTime = ({ metric, matchers, labels, byAttribute, ...panel }: Fault): SizedPanel =>
  timeSeries({
    ...panel,
    queries: [
      lines(metric, matchers, ['system', ...labels]),
      ...(byAttribute ? [lines(byAttribute, matchers, ['system', 'attribute', ...labels])] : []),
    ],
    bars: true,
    faults: true,
    ...(byAttribute ? {} : { stacked: true }),
  })

const pools = stateTimeline({
  title: 'Pools whose polls failed',
  shows:
    'Result of the polls of each pool of which one failed in the time range, at all exporters. A pool whose name is not known appears with its id.',
  normal: 'Empty, except for moments when a system restarts a service.',
  otherwise:
    'Failed while the system is reachable: permissions, a pool that was removed, or an unreadable response. See “Failed polls by reason”.',
  queries: [{ expr: interruptedBands(POOL_KEY, 'sds_pool_up', SCOPE.system), legend: POOL_NAME }],
  mappings: upDown('ok', 'failed'),
  noValue: 'No poll failed',
  links: [seriesToPool],
  width: 12,
})

export const faultsInDetail: readonly SizedPanel[] = [pools, ...FAULTS.map(overTime)]
