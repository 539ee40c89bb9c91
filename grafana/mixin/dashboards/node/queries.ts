import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { MATCHERS } from '../../settings.ts'

/** The dashboard shows one node, so one series; `max` drops the labels and the copies of a second exporter. */
export const one = (metric: MetricName): Expression => promql`max(${select(metric, ...SCOPE.node)})`
/** A metric from the data port of the node, which has no pool. */
export const oneOfDataPort = (metric: MetricName): Expression =>
  promql`max(${select(metric, ...SCOPE.system, MATCHERS.node)})`
export const oneEach = (label: string, metric: MetricName): Expression =>
  by('max', [label], select(metric, ...SCOPE.node))
