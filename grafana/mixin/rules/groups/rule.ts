import type { Levels } from '../../../../src/alerting/references.ts'
import type {
  Comparison,
  FindingName,
  Scope,
  StatusCondition,
  ValueName,
} from '../../../../src/alerting/sources.ts'
import type { Duration } from '../../promql/duration.ts'
import type { Expression } from '../../promql/expression.ts'
import type { RecordedName } from '../../promql/metrics.ts'
import type { Reference } from '../../references.ts'
import type { PROMETHEUS } from '../../settings.ts'

/** `critical`: act now; `warning`: today; `info`: the next working day. */
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
  /** What to do first: a sentence without a capital letter at its beginning and without a full stop. */
  readonly advice: string
  /** The same condition over the state of the exporter, where the status page shows it. */
  readonly status?: StatusCondition
  /** Path of the dashboard about the alert; a template. */
  readonly dashboard: string
}

/** Constructors of alerts by their severity, with what all of them are about. */
export const alertsAbout = <About extends Partial<Pick<Alert, 'scope' | 'dashboard'>>>(about: About) => {
  type Row = Omit<Alert, 'alert' | 'severity' | keyof About>
  const of =
    (severity: Severity) =>
    (alert: AlertName, row: Row): Alert =>
      ({ ...about, alert, severity, ...row }) as Alert & About & Row
  return { critical: of('critical'), warning: of('warning'), info: of('info') }
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

/** A condition of {@link Alert.status}: the status page shows the finding while all comparisons hold. */
export const shown = <Name extends FindingName>(
  finding: Name,
  ...when: readonly Comparison<ValueName<Name>>[]
): StatusCondition => ({ finding, when })

type LevelName = keyof Levels<unknown>
type Level = Pick<Alert, 'alert' | 'summary' | 'for' | 'keepFiringFor'> & Partial<Pick<Alert, 'advice'>>

/** @param wait `for` @param keep `keepFiringFor` */
export const level = (alert: AlertName, summary: string, wait?: Duration, keep?: Duration): Level => ({
  alert,
  ...(wait && { for: wait }),
  ...(keep && { keepFiringFor: keep }),
  summary,
})

interface TwoLevels
  extends Omit<Alert, keyof Level | 'severity' | 'escalates' | 'expr' | 'status'>,
    Levels<Level> {
  readonly limit: Levels<Reference>
  readonly advice: string
  readonly expr: (limit: Reference, level: LevelName) => Expression
  readonly status: (limit: Reference, level: LevelName) => StatusCondition
}

/**
 * A critical alert and its warning. They have different names: by a common inhibition rule (`equal: [namespace,
 * alertname]`, kube-prometheus), the critical alert of one pool would inhibit a warning of that name of every pool.
 */
export const twoLevels = ({ limit, critical, warning, ...common }: TwoLevels): Alert[] => {
  const at = (severity: LevelName, own: Level): Alert => ({
    ...common,
    severity,
    expr: common.expr(limit[severity], severity),
    status: common.status(limit[severity], severity),
    ...own,
  })
  return [{ ...at('critical', critical), escalates: warning.alert }, at('warning', warning)]
}
