import { expect, test } from 'vitest'
import { interruptedBands } from '../../../grafana/mixin/promql/bands.ts'
import { promql, select } from '../../../grafana/mixin/promql/expression.ts'
import { type MetricName, RECORDED } from '../../../grafana/mixin/promql/metrics.ts'
import { perNode } from '../../../grafana/mixin/promql/operators.ts'
import { RECORDINGS } from '../../../grafana/mixin/rules/groups/recording.ts'
import { PROCESS_METRICS } from '../../../src/metrics/families.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'

const DIRECTION: 'read' | 'write' = 'read'

/** Checked by tsc: `@ts-expect-error` is itself an error where the line below it compiles. */
test('a metric that does not exist does not compile', () => {
  const known: readonly MetricName[] = [
    'sds_node_cpu_utilization_ratio',
    'sds_node_health_status',
    `sds_node_transaction_${DIRECTION}_latency_seconds`,
    'sds_pool_up',
    'sds_api_requests_total',
    'sds_api_request_duration_seconds_bucket',
    'process_start_time_seconds',
    'up',
    RECORDED.usedRatio,
  ]
  expect(known.map((metric) => select(metric))).toEqual(known)

  // @ts-expect-error
  select('sds_node_disk')
  // @ts-expect-error A histogram has no series of its own name.
  select('sds_api_request_duration_seconds')
  // @ts-expect-error
  select('process_start_time')
  // @ts-expect-error
  select('system_pool:sds_node_disk_space_allocated_bytes:mean')
  // @ts-expect-error
  select(`sds_node_transaction_${DIRECTION}_latency`)
  // @ts-expect-error
  interruptedBands([], 'sds_pool_ups', [])
})

test('a metric in a text does not compile, or is refused', () => {
  // @ts-expect-error
  perNode('sds_node_disks')
  // @ts-expect-error
  promql`sum(${'sds_node_disks'})`
  expect(() => promql`sum(sds_node_disks)`).toThrow('name the metric with select(): sds_node_disks')
  expect(() => promql`sum(level:metric:mean)`).toThrow('select(): level:metric:mean')
  expect(promql`sum_over_time(${select('up')}[1d:5m]) / 12`).toBe('sum_over_time(up[1d:5m]) / 12')
})

test('every recorded series has its rule', () => {
  const recorded = RECORDINGS.map(({ record }) => record)
  expect(recorded.toSorted()).toEqual(Object.values(RECORDED).toSorted())
})

test('prom-client exports the metrics of the process that are selected', async () => {
  const text = await createOwnMetrics({ version: '', nodeVersion: '' }).render('text')
  for (const [name, type] of Object.entries(PROCESS_METRICS)) {
    expect(text).toContain(`# TYPE ${name} ${type}\n`)
  }
})
