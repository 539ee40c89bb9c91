/**
 * Sources of the rules as data. Expressions and texts have references to settings (references.ts). They are written in
 * `mixin/`; the package has them as a generated file.
 */

/** One alert rule. */
export interface AlertSource {
  readonly alert: string
  readonly severity: string
  readonly expr: string
  /** How long the expression must hold, e.g. `15m`. */
  readonly for?: string
  /** How long the alert fires after the expression no longer holds. */
  readonly keepFiringFor?: string
  readonly summary: string
  readonly description: string
  /** Path of the dashboard about the alert, from the root of Grafana. */
  readonly dashboard: string
}

/** Alerts that are evaluated together; `component` becomes a label of each. */
export interface AlertGroupSource {
  readonly name: string
  readonly component: string
  readonly alerts: readonly AlertSource[]
}

export interface RecordingGroupSource {
  readonly name: string
  readonly recordings: readonly { readonly record: string; readonly expr: string }[]
}

export interface RuleSources {
  /** Between two evaluations, e.g. `1m`. */
  readonly interval: string
  readonly recording: RecordingGroupSource
  readonly alerting: readonly AlertGroupSource[]
}
