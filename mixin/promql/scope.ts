import { MATCHERS, PROMETHEUS } from '../settings.ts'
import { type Expression, type Matcher, select } from './expression.ts'

/** Matchers of the variables of a dashboard, by the series that are to be selected. */
export const SCOPE = {
  system: [MATCHERS.job, MATCHERS.system],
  pool: [MATCHERS.job, MATCHERS.system, MATCHERS.pool],
  node: [MATCHERS.job, MATCHERS.system, MATCHERS.pool, MATCHERS.node],
  /** Metrics of the exporter's process. */
  exporter: [MATCHERS.job, MATCHERS.instance],
  /** Counters of polls and requests, which have a label `system` but no `pool`. */
  polling: [MATCHERS.job, MATCHERS.instance, MATCHERS.system],
} as const satisfies Record<string, readonly Matcher[]>

/**
 * Firing alerts of the selected systems. Alerts have no label `job`; the empty alternative keeps those without a
 * label `system`.
 */
export const firingAlerts = (...matchers: readonly Matcher[]): Expression =>
  select(
    'ALERTS',
    'alertstate="firing"',
    `alertname=~"${PROMETHEUS.alertPrefix}.+"`,
    'system=~"$system|"',
    ...matchers,
  )
