import type { Scope } from '../../../../src/alerting/sources.ts'
import type { Duration } from '../../promql/duration.ts'
import type { Expression } from '../../promql/expression.ts'
import type { RecordedName } from '../../promql/metrics.ts'
import type { PROMETHEUS } from '../../settings.ts'

/** `critical`: page the person on call; `warning`: a ticket for today; `info`: for the next working day. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The affected component; a label for routing. */
export const COMPONENTS = [
  'health',
  'disks',
  'capacity',
  'service',
  'system',
  'background',
  'replication',
  'namespaces',
  'access',
  'exporter',
] as const
export type Component = (typeof COMPONENTS)[number]

export type AlertName = `${typeof PROMETHEUS.alertPrefix}${string}`

/** One alert rule. Its name is its own: see {@link twoLevels}. */
export interface Alert {
  readonly alert: AlertName
  readonly severity: Severity
  /** `all` for alerts about exporters, `system` for alerts about systems; others are about pools or their parts. */
  readonly scope?: Scope
  /** The alert with a lower threshold, which this one inhibits and shares the runbook of. */
  readonly escalates?: AlertName
  readonly expr: Expression
  /** How long the expression must hold; omitted where the expression itself covers a window. */
  readonly for?: Duration
  /** How long the alert fires after the expression no longer holds, against flapping and single failed polls. */
  readonly keepFiringFor?: Duration
  /** One sentence without variables. */
  readonly summary: string
  /** What, where and how much; a template. */
  readonly description: string
  /** Path of the dashboard about the alert; a template. */
  readonly dashboard: string
}

export interface Recording {
  readonly record: RecordedName
  readonly expr: Expression
}

/** Rules that are evaluated together; `component` becomes a label of each of its alerts. */
export interface AlertGroup {
  readonly name: string
  readonly component: Component
  readonly alerts: readonly Alert[]
}

export interface RecordingGroup {
  readonly name: string
  readonly recordings: readonly Recording[]
}

type Level = Pick<Alert, 'alert' | 'expr' | 'for' | 'keepFiringFor'>

/**
 * A critical alert and its warning. They have different names: by a common inhibition rule (`equal: [namespace,
 * alertname]`, kube-prometheus), the critical alert of one pool would inhibit a warning of that name of every pool.
 */
export const twoLevels = (
  common: Omit<Alert, keyof Level | 'severity' | 'escalates'>,
  { critical, warning }: Readonly<Record<'critical' | 'warning', Level>>,
): Alert[] => [
  { ...common, severity: 'critical', escalates: warning.alert, ...critical },
  { ...common, severity: 'warning', ...warning },
]
