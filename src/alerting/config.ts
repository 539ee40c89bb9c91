import type { SettingValues } from './references.ts'

/** Durations as Prometheus writes them, by alert. */
type Durations = Readonly<Record<string, string | undefined>>

/** What users change, for all systems or for some. */
export interface Tuning {
  /** Values of settings by path, e.g. `usedRatio.warning`; others keep their value. */
  readonly values: SettingValues
  readonly for: Durations
  readonly keepFiringFor: Durations
  readonly disabled: readonly string[]
}

/** A system, or one pool of a system by its name. */
export interface Subject {
  readonly system: string
  readonly pool?: string | undefined
}

/** Settings of a system. Those of one of its pools are applied after them. */
export interface Override extends Subject, Tuning {}

export interface AlertingConfig extends Tuning {
  /** Address of the runbooks, without an anchor; undefined: alerts and dashboards have no links to it. */
  readonly runbookBaseUrl?: string | undefined
  /** Root URL of Grafana, without a slash at its end; undefined: alerts have no `dashboard_url`. */
  readonly grafanaUrl?: string | undefined
  /** Labels of all alerts, beside those of the rules; values are templates of Prometheus. */
  readonly labels: Readonly<Record<string, string>>
  readonly overrides: readonly Override[]
}

/** The settings of an empty section. */
export const DEFAULT_ALERTING: AlertingConfig = {
  labels: {},
  values: {},
  for: {},
  keepFiringFor: {},
  disabled: [],
  overrides: [],
}
