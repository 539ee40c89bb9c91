import { MATCHERS, PROMETHEUS } from '../settings.ts'
import { type Expression, type Matcher, promql, select } from './expression.ts'
import { RECORDED } from './metrics.ts'

/** Matchers of the variables of a dashboard, by the series that are to be selected. */
export const SCOPE = {
  /** All exporters. */
  job: [MATCHERS.cluster, MATCHERS.job],
  system: [MATCHERS.cluster, MATCHERS.job, MATCHERS.system],
  pool: [MATCHERS.cluster, MATCHERS.job, MATCHERS.system, MATCHERS.pool],
  node: [MATCHERS.cluster, MATCHERS.job, MATCHERS.system, MATCHERS.pool, MATCHERS.node],
  namespace: [MATCHERS.cluster, MATCHERS.job, MATCHERS.system, MATCHERS.namespace],
  /** Metrics of the exporter's process. */
  exporter: [MATCHERS.cluster, MATCHERS.job, MATCHERS.instance],
  /** Counters of polls and requests, which have a label `system` but no `pool`. */
  polling: [MATCHERS.cluster, MATCHERS.job, MATCHERS.instance, MATCHERS.system],
} as const satisfies Record<string, readonly Matcher[]>

/**
 * Firing alerts of the selected systems. Alerts have no label `job`; the empty alternative keeps those without a
 * label `system`.
 */
export const firingAlerts = (...matchers: readonly Matcher[]): Expression =>
  select(
    'ALERTS',
    MATCHERS.cluster,
    'alertstate="firing"',
    `alertname=~"${PROMETHEUS.alertPrefix}.+"`,
    'system=~"$system|"',
    ...matchers,
  )

/**
 * 1 where the rules were evaluated within a day, else nothing: without them there are no alerts, which is not the same
 * as no firing alert.
 */
export const rulesLoaded = (): Expression =>
  promql`group(last_over_time(${select(RECORDED.usedRatio, MATCHERS.cluster)}[1d]))`
