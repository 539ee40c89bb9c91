import type { Duration } from '../../promql/duration.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

/** The dashboard shows one node, so one series; `max` drops the labels and the copies of a second exporter. */
export const one = (metric: MetricName): Expression => promql`max(${select(metric, ...SCOPE.node)})`
export const oneEach = (label: string, metric: MetricName): Expression =>
  by('max', [label], select(metric, ...SCOPE.node))
/**
 * Its points come every five minutes, and scrapes every minute: the scrapes of this range are 15 minutes apart, so always
 * three points. In a range of 15 minutes there would be three at most times, and two at the others.
 */
export const COUNTER_RANGE: Duration = '16m'

/** Of a counter from the query interface. */
export const oneEachRate = (label: string, metric: MetricName): Expression =>
  by('max', [label], promql`rate(${select(metric, ...SCOPE.node)}[${COUNTER_RANGE}])`)
