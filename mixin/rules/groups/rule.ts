import type { Scope } from '../../../src/alerting/sources.ts'
import type { Duration } from '../../promql/duration.ts'
import type { Expression } from '../../promql/expression.ts'
import type { RecordedName } from '../../promql/metrics.ts'
import type { PROMETHEUS } from '../../settings.ts'

/** `critical`: page the person on call; `warning`: a ticket for today; `info`: for the next working day. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The affected component; a label for routing. */
export const COMPONENTS = ['health', 'disks', 'capacity', 'service', 'access', 'exporter'] as const
export type Component = (typeof COMPONENTS)[number]

/** One alert rule. Two rules may share a name when their severities differ. */
export interface Alert {
  readonly alert: `${typeof PROMETHEUS.alertPrefix}${string}`
  readonly severity: Severity
  /** `all` for alerts about exporters, `system` for alerts about systems; others are about pools or their parts. */
  readonly scope?: Scope
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

/** One alert per severity; all else is the same. */
export const bySeverity = (
  common: Omit<Alert, 'severity' | 'expr' | 'for' | 'keepFiringFor'>,
  variants: Partial<Record<Severity, Pick<Alert, 'expr' | 'for' | 'keepFiringFor'>>>,
): Alert[] =>
  SEVERITIES.flatMap((severity) => {
    const variant = variants[severity]
    return variant === undefined ? [] : [{ ...common, severity, ...variant }]
  })
