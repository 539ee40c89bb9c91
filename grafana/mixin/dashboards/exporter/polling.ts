import { promql, select } from '../../promql/expression.ts'
import { dedup, perSystem, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { heatmap } from '../../sdk/heatmap.ts'
import { matrix } from '../../sdk/matrix.ts'
import { PLAIN, type SizedPanel } from '../../sdk/spec.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { POLLED_POOL_KEY, POOL_KEY } from '../../settings.ts'
import { topPools } from '../common/lines.ts'
import { rate } from './rates.ts'

const BUCKETS = 'sds_api_request_duration_seconds_bucket'

const durations = heatmap({
  title: 'Request duration',
  shows: 'Number of requests to the storage systems by duration.',
  normal: 'One band well below a second for current values. Forecasts may take longer.',
  otherwise: 'A second band near 30 seconds is requests that time out.',
  queries: [{ expr: sumBy(['le'], rate(BUCKETS)), legend: '{{le}}', format: 'heatmap' }],
  unit: 's',
  noValue: 'No request in this time range',
  width: 12,
})

const slowest = timeSeries({
  title: 'Request duration, 95th percentile',
  shows: '95 % of the requests were faster, by system and operation.',
  normal: 'Constant, far below the timeout of 30 seconds.',
  otherwise:
    'An increase is an early sign of an overloaded system. A step after a change of the configuration is caused by too many concurrent requests.',
  queries: [
    {
      // NaN where there were no requests; the comparison drops it.
      expr: promql`histogram_quantile(0.95, ${sumBy(['system', 'operation', 'le'], rate(BUCKETS))}) >= 0`,
      legend: '{{system}} {{operation}}',
    },
  ],
  unit: 's',
  // Some operations run once in an hour.
  rare: true,
  noValue: 'No request in this time range',
})

const pollDuration = topPools({
  title: 'Top $topn pools by poll duration',
  shows: 'Duration of the last poll, successful or failed, including retries, of the slowest pools.',
  normal: 'Seconds.',
  otherwise:
    'Close to the schedule of one minute: polls are skipped. Poll less often, or find out why the system is slow.',
  expr: dedup(POOL_KEY, select('sds_pool_poll_duration_seconds', ...SCOPE.system)),
  unit: 's',
  noValue: 'No poll in this time range',
  interval: '1m',
})

const answers = timeSeries({
  title: 'Answers by status',
  shows:
    'Requests to the storage systems per second, by HTTP status, or by reason where there was no response.',
  normal: 'Nearly all 200, at the rate of the schedules.',
  otherwise:
    'Single 401 and 302 are expired sessions. 403 is a missing role, 429 and 503 an overloaded system, other 5xx a fault of the system.',
  queries: [
    { expr: sumBy(['system', 'code'], rate('sds_api_requests_total')), legend: '{{system}} {{code}}' },
  ],
  unit: 'reqps',
  noValue: 'No request in this time range',
})

export const skew = timeSeries({
  title: 'Clock difference',
  shows: "The storage system's clock minus the exporter's.",
  normal: 'Constant, within seconds of zero.',
  otherwise: 'A slope is a clock without NTP, a step is a clock that was set.',
  queries: [
    { expr: perSystem(select('sds_system_clock_skew_seconds', ...SCOPE.system)), legend: '{{system}}' },
  ],
  unit: 's',
  signed: true,
  noValue: 'No system in this time range',
})

export const polling: readonly SizedPanel[] = [durations, slowest, pollDuration, answers]

const COVERAGE_KEY = [...POLLED_POOL_KEY, 'attribute', 'state'] as const

export const coverage: readonly SizedPanel[] = [
  matrix({
    title: 'Attribute coverage',
    shows:
      'Number of nodes that serve each attribute in the dashboard API or the Flux API, lack it, or serve it unreadable, over the selected systems.',
    normal:
      'Each attribute is served by all nodes or absent on all. Systems with the Flux API lack the mean latencies. Systems without both sources lack whole groups, and the panels that need them are empty.',
    otherwise: 'Report unreadable values. Absent on some nodes only means that their collector has stopped.',
    expr: sumBy(
      ['attribute', 'state'],
      dedup(COVERAGE_KEY, select('sds_pool_attribute_nodes', ...SCOPE.system)),
    ),
    row: 'attribute',
    column: 'state',
    steps: PLAIN,
    noValue: 'No poll yet',
    width: 24,
  }),
]
