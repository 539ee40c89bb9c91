import type { AlertingConfig, Subject, Tuning } from './config.ts'
import { defaultsOf, type PackagedRules } from './package_files.ts'
import type { SettingValues } from './references.ts'
import { tuned } from './rules.ts'
import { alertsOf, type Comparison, type FindingName } from './sources.ts'

/**
 * Quantile of the latency of requests that is compared with thresholds of the mean, for systems that serve a histogram
 * and no mean. Latencies are skewed to the right: the mean of an exponential distribution is its quantile 0.63, the mean
 * of a log-normal one with sigma 1.5 its quantile 0.77.
 */
export const LATENCY_QUANTILE = 0.75

/** Default of the setting `forecastTargetPercent`. */
export const DEFAULT_FORECAST_TARGET = 90

/** The target of forecasts that is compared, in percent, without reading the rules. */
export const forecastTarget = (config: AlertingConfig | undefined): number =>
  Number(config?.values['forecastTargetPercent'] ?? DEFAULT_FORECAST_TARGET)

/** The forecast of a pool is the median of its nodes. If less than this share of them have one, the pool has none. */
export const FORECAST_MIN_SHARE = 0.5

/** The condition of an alert with the settings of a system or pool. */
export interface Condition {
  readonly alert: string
  readonly severity: string
  readonly advice: string
  readonly finding: FindingName
  readonly when: readonly Comparison[]
}

/** The conditions of a system or pool whose alerts are not disabled. */
export type Conditions = ReturnType<typeof createConditions>

/** Subjects without settings of their own share one object; later calls return the same objects. */
export function conditionsOf(
  rules: PackagedRules,
  config: AlertingConfig | undefined,
): (subject: Subject) => Conditions {
  const defaults = defaultsOf(rules)
  const common = config === undefined ? [] : [config]
  const conditionsWith = (own: readonly Tuning[]) => createConditions(rules, defaults, [...common, ...own])
  const shared = conditionsWith([])
  const known = new Map<string, Conditions>()
  return (subject) => {
    const own = overridesOf(config, subject)
    if (own.length === 0) return shared
    const key = JSON.stringify([subject.system, subject.pool])
    const conditions = known.get(key) ?? conditionsWith(own)
    known.set(key, conditions)
    return conditions
  }
}

/** The overrides of the system, then those of the pool. */
function overridesOf(config: AlertingConfig | undefined, { system, pool }: Subject): readonly Tuning[] {
  const own = (config?.overrides ?? []).filter((override) => override.system === system)
  const ofSystem = own.filter((override) => override.pool === undefined)
  return pool === undefined ? ofSystem : [...ofSystem, ...own.filter((override) => override.pool === pool)]
}

/** @param tunings later ones have precedence */
function createConditions(
  { sources, inhibitions }: PackagedRules,
  defaults: SettingValues,
  tunings: readonly Tuning[],
) {
  const values: SettingValues = Object.assign({}, defaults, ...tunings.map((tuning) => tuning.values))
  const conditions = alertsOf(sources).flatMap((source): Condition[] => {
    const alert = source.status === undefined ? undefined : tuned(source, defaults, tunings)
    return alert?.status === undefined ? [] : [{ ...alert, ...alert.status }]
  })
  const worstFirst = conditions.toSorted((a, b) => rankOf(a) - rankOf(b))
  const byFinding = Map.groupBy(worstFirst, ({ finding }) => finding)
  return {
    /** The conditions of a finding, critical ones first, then in the order of the rules. */
    of: (finding: FindingName): readonly Condition[] => byFinding.get(finding) ?? [],
    inhibitions,
    /** The target of forecasts that is compared, in percent. */
    forecastTarget: Number(values['forecastTargetPercent']),
  }
}

const RANKS = ['critical', 'warning', 'info']

const rankOf = ({ severity }: Condition): number => RANKS.indexOf(severity)
