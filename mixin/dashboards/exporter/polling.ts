import { heatmap } from '../../grafana/heatmap.ts'
import { PLAIN, type SizedPanel } from '../../grafana/spec.ts'
import { matrix } from '../../grafana/table.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { dedup, perSystem, sumBy } from '../../promql/operators.ts'
import { perNamedPool } from '../../promql/pools.ts'
import { SCOPE } from '../../promql/scope.ts'

/** Counters of each exporter's own work: the requests of a pair of exporters really are twice as many. */
const rate = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  promql`rate(${select(metric, ...SCOPE.polling, ...matchers)}[$__rate_interval])`
const increase = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  promql`increase(${select(metric, ...SCOPE.polling, ...matchers)}[$__rate_interval])`

const BUCKETS = 'sds_api_request_duration_seconds_bucket'

const durations = heatmap({
  title: 'Request duration',
  about: [
    'How many requests to the storage systems took how long.',
    'One band well below a second for current values; forecasts may take longer.',
    'A second band near 30 seconds is requests that run into the time limit.',
  ],
  queries: [{ expr: sumBy(['le'], rate(BUCKETS)), legend: '{{le}}', format: 'heatmap' }],
  unit: 's',
  width: 12,
})

const slowest = timeSeries({
  title: 'Request duration, 95th percentile',
  about: [
    '19 of 20 requests were faster than this, by system and operation.',
    'Flat, far below the time limit of 30 seconds.',
    'A slow system answers slowly here first; a step after a configuration change is too many requests at once.',
  ],
  queries: [
    {
      // NaN where nothing was asked, which the comparison drops.
      expr: promql`histogram_quantile(0.95, ${sumBy(['system', 'operation', 'le'], rate(BUCKETS))}) >= 0`,
      legend: '{{system}} {{operation}}',
    },
  ],
  unit: 's',
  min: 0,
  width: 12,
})

const pollDuration = timeSeries({
  title: 'Poll duration by pool',
  about: [
    'How long the last poll of each pool took, good or failed, with its repetitions.',
    'Seconds.',
    'Close to the schedule of one minute: polls begin to be left out; raise the schedule or ask why the system is slow.',
  ],
  queries: [{ expr: perNamedPool('sds_pool_poll_duration_seconds'), legend: '{{system}} / {{pool}}' }],
  unit: 's',
  min: 0,
  width: 12,
})

const failures = timeSeries({
  title: 'Failed polls by reason',
  about: [
    'Failed polls per second, by reason.',
    'None.',
    'auth and forbidden: account and role. connect, dns, tls, timeout: the way to the system. syntax, schema, html: a proxy, or a version that answers differently. throttled, unavailable: the system asks for less.',
  ],
  queries: [
    {
      expr: sumBy(['system', 'result'], rate('sds_pool_polls_total', 'result!="ok"')),
      legend: '{{system}} {{result}}',
    },
  ],
  unit: 'ops',
  min: 0,
  bars: true,
  stacked: true,
  noValue: 'No failed poll',
  width: 12,
})

const answers = timeSeries({
  title: 'Answers by status',
  about: [
    'Requests to the storage systems per second, by HTTP status; where no status came, by the reason.',
    'Nearly all 200, at a rate that follows from the schedules.',
    '401 and 302 now and then are sessions that end. 403 is a missing role, 429 and 503 an overloaded system, 5xx its own fault.',
  ],
  queries: [
    { expr: sumBy(['system', 'code'], rate('sds_api_requests_total')), legend: '{{system}} {{code}}' },
  ],
  unit: 'reqps',
  min: 0,
  width: 12,
})

const logins = timeSeries({
  title: 'Failed logins',
  about: [
    'Logins that the storage systems refused or that did not reach them, by reason.',
    'None.',
    'Check the password file or token at once: repeated refusals can lock the account, so the exporter waits longer after each.',
  ],
  queries: [
    {
      expr: sumBy(['system', 'result'], increase('sds_api_logins_total', 'result!="ok"')),
      legend: '{{system}} {{result}}',
    },
  ],
  unit: 'none',
  min: 0,
  bars: true,
  noValue: 'No failed login',
  width: 12,
})

const skew = timeSeries({
  title: 'Clock difference',
  about: [
    "The storage system's clock minus the exporter's.",
    'Flat, within seconds of zero.',
    'A slope is a clock without a time service; a step is one that was set.',
  ],
  queries: [
    { expr: perSystem(select('sds_system_clock_skew_seconds', ...SCOPE.system)), legend: '{{system}}' },
  ],
  unit: 's',
  width: 12,
})

export const polling: readonly SizedPanel[] = [
  durations,
  slowest,
  pollDuration,
  failures,
  answers,
  logins,
  skew,
  timeSeries({
    title: 'Rejected values',
    about: [
      'Values of the feed that were not exported, because they cannot be what the document says, by attribute and reason.',
      'None.',
      'The log shows the first of each kind; the rest of the node is exported. A new version of the storage system is the usual cause.',
    ],
    queries: [
      {
        expr: sumBy(['system', 'attribute', 'reason'], rate('sds_api_rejected_values_total')),
        legend: '{{system}} {{attribute}}: {{reason}}',
      },
    ],
    unit: 'ops',
    min: 0,
    bars: true,
    noValue: 'No rejected value',
    width: 12,
  }),
]

const COVERAGE_KEY = ['system', 'pool_id', 'attribute', 'state'] as const

export const coverage: readonly SizedPanel[] = [
  matrix({
    title: 'Attribute coverage',
    about: [
      'For each attribute of the nodes feed, on how many nodes it is served, absent or unreadable, over the selected systems.',
      'Each attribute served on all nodes or absent on all: newer versions of the storage system dropped whole groups, and the panels about them stay empty.',
      'Unreadable values are a fault worth a report; absent on some nodes only means that their collector stands still.',
    ],
    expr: sumBy(
      ['attribute', 'state'],
      dedup(COVERAGE_KEY, select('sds_pool_attribute_nodes', ...SCOPE.system)),
    ),
    row: 'attribute',
    column: 'state',
    unit: 'none',
    steps: PLAIN,
    noValue: 'No poll yet',
    width: 24,
  }),
]
