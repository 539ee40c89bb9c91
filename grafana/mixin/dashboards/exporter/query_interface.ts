import { select } from '../../promql/expression.ts'
import { perSystem, sumBy } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { QUERY_RESULT, upDown } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { increase, occurred } from './rates.ts'

const NOT_QUERIED = 'No system is queried'

const up = stateTimeline({
  title: 'Flux API',
  about: [
    'Whether the last poll of the Flux API succeeded, also without data. Systems whose dashboard API has all metrics are not queried.',
    'Always ok.',
    'Failed since the start: the system has no Flux API, or forbids it. Otherwise see “Polls of the Flux API” for the reason.',
  ],
  queries: [{ expr: perSystem(select('sds_system_query_up', ...SCOPE.system)), legend: '{{system}}' }],
  mappings: upDown(...QUERY_RESULT),
  noValue: NOT_QUERIED,
  width: 12,
})

const polls = timeSeries({
  title: 'Polls of the Flux API',
  about: [
    'Polls by result: ok, empty (no current data), or the reason of the failure.',
    'Only ok.',
    'forbidden: a missing role. client_error: a refused query. unavailable, server_error, timeout: the monitoring services of the system. not_found: no Flux API. After repeated failures the exporter may wait for up to an hour.',
  ],
  queries: [
    {
      expr: occurred(sumBy(['system', 'result'], increase('sds_query_polls_total'))),
      legend: '{{system}} {{result}}',
    },
  ],
  bars: true,
  stacked: true,
  noValue: 'No poll in this time',
})

export const queryInterface: readonly SizedPanel[] = [up, polls]
