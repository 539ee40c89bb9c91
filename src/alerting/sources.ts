/**
 * Sources of the rules as data. Expressions and texts have references to settings (references.ts). They are written in
 * `grafana/mixin/`; the package has them as a generated file (package_files.ts).
 */
import type { Levels } from './references.ts'

/** Whether settings may be the same for all systems only, differ by system, or differ by pool. */
export type Scope = 'all' | 'system' | 'pool'

export interface AlertSource {
  readonly alert: string
  readonly severity: string
  /** What the alert is about: nothing stands for a pool or a part of one, whose labels its result then has. */
  readonly scope?: Scope
  readonly expr: string
  /** How long the expression must hold, e.g. `15m`. */
  readonly for?: string
  /** How long the alert fires after the expression no longer holds. */
  readonly keepFiringFor?: string
  readonly summary: string
  /** What, where and how much; a template. The description of the rule has the advice after it. */
  readonly description: string
  /** What to do first: a sentence without a capital letter at its beginning and without a full stop. */
  readonly advice: string
  /** The same condition over the state of the exporter, where the status page shows it. */
  readonly status?: StatusCondition
  /** Path of the dashboard about the alert, from the root of Grafana. */
  readonly dashboard: string
}

/** What the status page finds, with the values that conditions of alerts compare. `src/status` calculates them. */
interface FindingValues {
  readonly nodes: 'unavailable' | 'bad' | 'not_accessible' | 'suspect' | 'unknown'
  readonly disks: 'bad' | 'bad_ratio'
  readonly disks_to_replace: 'disks'
  readonly capacity: 'used_ratio'
  readonly forecast: 'seconds' | 'used_ratio'
  readonly errors: 'failed_ratio' | 'system_failed_ratio' | 'transactions_per_second'
  readonly read_latency: 'seconds' | 'per_second'
  readonly write_latency: 'seconds' | 'per_second'
  readonly network: 'ratio'
  readonly cpu: 'ratio'
  readonly memory: 'ratio'
  readonly sample_age: 'newest_seconds' | 'oldest_seconds'
  readonly certificate: 'seconds_left'
  readonly clock: 'skew_seconds'
  readonly directory_tables: 'unready'
  readonly failed_links: 'links'
  readonly replication_lag: 'seconds'
  readonly quota: 'used_ratio'
  readonly system_alerts: 'critical' | 'error'
  readonly uncounted_nodes: 'nodes'
  readonly license: 'seconds_left'
}

export type FindingName = keyof FindingValues
export type ValueName<Name extends FindingName> = FindingValues[Name]

/** A limit is a number, or a reference to a setting, which is a text. A value that is not known fulfils none. */
export type Comparison<Value extends string = string> = readonly [
  value: Value,
  operator: '>' | '>=' | '<' | '<=',
  limit: number | string,
]

/** A finding of the status page that an alert is about. All comparisons must hold. */
export interface StatusCondition {
  readonly finding: FindingName
  readonly when: readonly Comparison[]
}

/** Alerts of a cause, without which those of its consequences are shown. The labels `equal` must be equal. */
export interface InhibitionSource {
  readonly source: readonly string[]
  readonly target: readonly string[]
  readonly equal: readonly string[]
}

/** Alerts that are evaluated together; `component` becomes a label of each. */
export interface AlertGroupSource {
  readonly name: string
  readonly component: string
  readonly alerts: readonly AlertSource[]
}

interface RecordingSource {
  readonly record: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
}

interface RecordingGroupSource {
  readonly name: string
  readonly recordings: readonly RecordingSource[]
}

export interface RuleSources {
  /** Between two evaluations, e.g. `1m`. */
  readonly interval: string
  /**
   * A series that says which version of the program the loaded rules are from. Each file of rules records it, with the
   * name of the file as label. A rule, because groups have no labels before Prometheus 3.
   */
  readonly info: RecordingSource
  readonly recording: readonly RecordingGroupSource[]
  readonly alerting: readonly AlertGroupSource[]
}

/** A setting with its default. The end of its name is its unit: `Ratio`, `Seconds`, `Percent`; others are counts. */
export type SettingSource = {
  /** What is compared, for the documentation. */
  readonly about: string
  /** As {@link AlertSource.scope}. */
  readonly scope?: Scope
} & (Levels<number> | SingleSetting)

interface SingleSetting {
  readonly value: number
  /** Only of settings that are ranges in expressions: the seconds that they must exceed, in whole seconds. */
  readonly rangeAbove?: number
}

/** The longest range of a setting; Prometheus refuses those of more than 292 years. */
export const MAX_SETTING_SECONDS = 3650 * 86_400

export type SettingSources = Readonly<Record<string, SettingSource>>

export const scopeOf = ({ scope = 'pool' }: { readonly scope?: Scope }): Scope => scope

export const alertsOf = ({ alerting }: RuleSources): AlertSource[] => alerting.flatMap(({ alerts }) => alerts)

/** Units of settings, by the end of their name. */
const UNITS = ['Ratio', 'Seconds', 'Percent'] as const
export type SettingUnit = (typeof UNITS)[number] | 'Count'

export const unitOf = (name: string): SettingUnit => UNITS.find((unit) => name.endsWith(unit)) ?? 'Count'

/** The key of a setting in the configuration, e.g. `used_ratio`. Values of durations have a unit, their keys have none. */
export const keyOf = (name: string): string =>
  name.replace(/Seconds$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Values of `hide` of the variable `cluster` in Grafana. It is shown where series have the label, which stores of several
 * Prometheus servers add, such as Thanos and Mimir.
 */
export const CLUSTER_HIDE = { shown: 0, hidden: 2 } as const

/** The path of the value in settings. */
export const CLUSTER_PATH = 'clusterHide'
