import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { perScraped } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

/** With all exporters: two of a pair really send twice as many requests. */
export const rate = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  perScraped(promql`rate(${select(metric, ...SCOPE.polling, ...matchers)}[$__rate_interval])`)
export const increase = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  perScraped(promql`increase(${select(metric, ...SCOPE.polling, ...matchers)}[$__rate_interval])`)

/** Counters have a series for each possible result; most of them stay 0. */
export const occurred = (events: Expression): Expression => promql`${events} > 0`
