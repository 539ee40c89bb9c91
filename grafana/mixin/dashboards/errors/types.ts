import { promql } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { sumBy } from '../../promql/operators.ts'
import { recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { top } from '../../promql/top.ts'
import { FAILURE_AREAS } from '../../sdk/mappings.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NO_RECORDED_DATA } from '../common/pool_data.ts'

const TYPES = recordedSelector(RECORDED.errorTypes, SCOPE.pool)

export const byCategory = timeSeries({
  title: 'Failures per sample by category',
  about: [
    'Failed transactions in the newest sample of all nodes of the selected pools, by category. The dashboard API does not list types that did not occur; they are drawn as 0 for an hour.',
    'Few user errors.',
    'System errors in bursts are related to events on nodes: see the health on the pool dashboard.',
  ],
  queries: [
    {
      expr: promql`${sumBy(['category'], TYPES)} or 0 * ${sumBy(['category'], promql`last_over_time(${TYPES}[1h])`)}`,
      legend: '{{category}}',
    },
  ],
  bars: true,
  stacked: true,
  fewNames: true,
  overrides: FAILURE_AREAS,
  noValue: NO_RECORDED_DATA,
  interval: SAMPLE_INTERVAL,
})

export const topTypes = timeSeries({
  title: 'Top $topn error types',
  about: [
    'Failed transactions in the newest samples of the selected pools by type, of the most frequent types in the last three hours of the time range, with the names of the system: HTTP status and protocol.',
    'A few types, mostly 404.',
    '403 is missing permissions, 404 no such object, 412 a failed condition, 5xx a fault of the system, 503 with high latency an overload.',
  ],
  queries: [{ expr: top(sumBy(['category', 'error_type'], TYPES)), legend: '{{error_type}}, {{category}}' }],
  noValue: NO_RECORDED_DATA,
  interval: SAMPLE_INTERVAL,
})
